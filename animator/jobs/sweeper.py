"""The sweeper: forgets drawings whose time is over, and files that belong to nothing."""

import logging
import time
from collections.abc import Callable

from redis import Redis

from animator.jobs.accounts import Accounts
from animator.store import BlobStore, DocumentStore, forget_drawing, forget_motion

__all__ = ("Sweeper",)

logger = logging.getLogger(__name__)

_LOCK = "animator:sweep"
_EVERY = 600
"""Seconds between two sweeps, whoever does them."""

_GRACE = 3600.0
"""Seconds after which a file that belongs to nothing is not one that is just being stored."""


class Sweeper:
    """Sweeps now and then; of all that share a Redis, one at a time does so."""

    def __init__(
        self,
        client: Redis,
        documents: DocumentStore,
        blobs: BlobStore,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare to sweep.

        Args:
            client: the Redis that all share.
            documents: what is kept of drawings.
            blobs: the files.
            clock: tells seconds since 1970.
        """
        self._redis = client
        self._accounts = Accounts(client)
        self._documents = documents
        self._blobs = blobs
        self._clock = clock

    def walk(self) -> None:
        """Sweep, when it is time and nobody else does."""
        # It is not given back: nobody sweeps again before it runs out.
        if not self._redis.set(_LOCK, 1, nx=True, ex=_EVERY):
            return
        try:
            self.sweep()
        except OSError:  # the next one may have more luck with the disk
            logger.exception("could not sweep")

    def sweep(self) -> None:
        """Forget what is over, with all that was made of it, and what belongs to nothing."""
        now = self._clock()
        expired = self._documents.expired(now)
        for drawing in expired:
            forget_drawing(self._documents, self._blobs, drawing)
        motions = self._documents.expired_motions(now)
        for motion in motions:
            forget_motion(self._documents, self._blobs, motion)
        old = self._blobs.written_before(now - _GRACE)
        lost = [blob for blob in old if not self._documents.knows(_id_in(blob))]
        for blob in lost:
            self._blobs.delete(blob)
        counts = {"drawing": len(expired), "motion": len(motions), "file": len(lost)}
        self._accounts.swept(counts)
        if expired or lost:
            logger.info("forgot %d drawings and %d lost files", len(expired), len(lost))


def _id_in(blob: str) -> str:
    """Files are named after the document that they belong to."""
    return blob.partition(".")[0]
