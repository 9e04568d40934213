"""Following: what traces show of a batch.

Each request's own trace has its wait in the queue, and the batch that it went with. The first of
them has the batch itself, which links to all its items, and what the worker did; the others link to
that.
"""

import time

from serving.batching.pending import Batch, Pending
from serving.errors import ServingError
from serving.observe.origin import Origin
from serving.observe.tracing import Attribute, Span
from serving.protocol.asker import NOBODY
from serving.workers.messages import Item, Outcome
from serving.workers.runs import Answer

__all__ = ("FollowedBatch", "follow")

_NOBODY = Origin("")


class FollowedBatch:
    """A batch of which a trace shows something, from its leaving the queue.

    Args:
        batch: that left.
        model: its name and version.
        whose: the followed ones of those who wait for it, each with its span; not empty.
    """

    def __init__(
        self,
        batch: Batch[Item, Outcome],
        model: tuple[str, str],
        whose: list[tuple[Pending[Item, Outcome], Span]],
    ) -> None:
        name, version = model
        said: dict[str, Attribute] = {
            "serving.model.name": name,
            "serving.model.version": version,
            "serving.batch.size": len(batch.items),
        }
        for pending, span in whose:
            span.child("queue", begun=pending.arrived).end(at=batch.began)
        spans = [span for _, span in whose]
        self.span = spans[0].child("batch", begun=batch.began, links=spans)
        others = [each.child("batch", begun=batch.began, links=[self.span]) for each in spans[1:]]
        self._spans = [self.span, *others]
        for each in self._spans:
            each.note(said)

    def end(self, answer: Answer | ServingError) -> None:
        """Show what the worker did, and that the answer has come."""
        now = time.monotonic()
        if isinstance(answer, Answer) and answer.began:
            self._show_work(answer)
        error = answer.code if isinstance(answer, ServingError) else ""
        for span in self._spans:
            span.end(error, at=now)

    def _show_work(self, answer: Answer) -> None:
        """What the worker's process says that it took, by the clock that all processes share."""
        began, ended = answer.began, answer.began + answer.seconds
        called, done = began + answer.input_s, ended - answer.output_s
        laps = (
            ("preprocess", began, called),
            ("model", called, done),
            ("postprocess", done, ended),
        )
        pid, device = answer.place
        for name, at, until in laps:
            if until > at:
                lap = self.span.child(name, begun=at)
                lap.note({"process.pid": pid, "serving.device": device})
                lap.end(at=until)


def follow(
    batch: Batch[Item, Outcome], model: tuple[str, str]
) -> tuple[Origin, FollowedBatch | None]:
    """Where a batch comes from, and what shows it in traces; None where nobody looks."""
    origins = [pending.origin or _NOBODY for pending in batch.pendings]
    if len(origins) == 1 and origins[0].span is None:
        return origins[0], None
    # Of an item of an ensemble's batch the id is that of several requests already.
    request_id = ",".join([origin.request_id.replace(",", "+") for origin in origins])
    askers = tuple([each.askers[0] if len(each.askers) == 1 else NOBODY for each in origins])
    whose = [
        (pending, origin.span)
        for pending, origin in zip(batch.pendings, origins, strict=True)
        if origin.span is not None
    ]
    if not whose:
        return Origin(request_id, None, askers), None
    followed = FollowedBatch(batch, model, whose)
    return Origin(request_id, followed.span, askers), followed
