"""The sweeper: forgets drawings whose time is over, and files that belong to nothing."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import TypeVar

from redis import Redis

from animator.jobs.accounts import Accounts
from animator.store import BlobStore, DocumentStore, forget_drawing, forget_motion

__all__ = ("Sweeper",)

logger = logging.getLogger(__name__)

_GRACE = 3600.0
"""Seconds after which a file that belongs to nothing is not one that is just being stored."""

_Thing = TypeVar("_Thing")

_SHARE = 120.0
"""Seconds for each of the things to be done: a sweep that goes on for long is ended, and the last
of them must not wait for ever for the first."""


class Sweeper:
    """Sweeps; done twice at a time it does no harm."""

    def __init__(
        self,
        client: Redis,
        documents: DocumentStore,
        blobs: BlobStore,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare to sweep.

        Args:
            client: the Redis that all share.
            documents: what is kept of drawings.
            blobs: the files.
            clock: tells seconds since 1970.
            timer: tells seconds that pass.
        """
        self._redis = client
        self._accounts = Accounts(client)
        self._documents = documents
        self._blobs = blobs
        self._clock = clock
        self._timer = timer

    def sweep(self) -> None:
        """Forget what is over, with all that was made of it, and what belongs to nothing."""
        now = self._clock()
        forget = partial(forget_drawing, self._documents, self._blobs)
        drawings = self._do(forget, self._documents.expired(now))
        forget = partial(forget_motion, self._documents, self._blobs)
        motions = self._do(forget, self._documents.expired_motions(now))
        lost = self._do(self._blobs.delete, self._lost(now - _GRACE))
        self._accounts.swept({"drawing": drawings, "motion": motions, "file": lost})
        if drawings or lost:
            logger.info("forgot %d drawings and %d lost files", drawings, lost)
        # Last, for nobody knows how much there is of it.
        self._documents.tidy(now - _GRACE)

    def _do(self, act: Callable[[str], None], those: Iterable[str]) -> int:
        """Do something with each while there is time; how many it was done with.

        What is left has its turn in the next sweep.
        """
        count = 0
        for one in self._in_time(those):
            act(one)
            count += 1
        return count

    def _in_time(self, those: Iterable[_Thing]) -> Iterator[_Thing]:
        """Those whose turn comes before the time is over, the first in any case."""
        end = self._timer() + _SHARE
        for one in those:
            yield one
            if self._timer() > end:
                break

    def _lost(self, before: float) -> Iterator[str]:
        """Old files whose document is gone; it is asked for once for all of its files."""
        # Asking takes its time, too, where nothing is lost.
        for id, files in self._in_time(groupby(self._blobs.written_before(before), _id_in)):
            if not self._documents.knows(id):
                yield from files


def _id_in(blob: str) -> str:
    """Files are named after the document that they belong to."""
    return blob.partition(".")[0]
