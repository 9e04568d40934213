"""The sweeper: forgets drawings whose time is over, and files that belong to nothing."""

import logging
import time
from collections.abc import Callable
from itertools import groupby

from redis import Redis

from animator.jobs.accounts import Accounts
from animator.store import BlobStore, DocumentStore, forget_drawing, forget_motion

__all__ = ("Sweeper",)

logger = logging.getLogger(__name__)

_GRACE = 3600.0
"""Seconds after which a file that belongs to nothing is not one that is just being stored."""


class Sweeper:
    """Sweeps; done twice at a time it does no harm."""

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

    def sweep(self) -> None:
        """Forget what is over, with all that was made of it, and what belongs to nothing."""
        now = self._clock()
        expired = self._documents.expired(now)
        for drawing in expired:
            forget_drawing(self._documents, self._blobs, drawing)
        motions = self._documents.expired_motions(now)
        for motion in motions:
            forget_motion(self._documents, self._blobs, motion)
        self._documents.tidy(now - _GRACE)
        lost = self._lost(now - _GRACE)
        for blob in lost:
            self._blobs.delete(blob)
        counts = {"drawing": len(expired), "motion": len(motions), "file": len(lost)}
        self._accounts.swept(counts)
        if expired or lost:
            logger.info("forgot %d drawings and %d lost files", len(expired), len(lost))

    def _lost(self, before: float) -> list[str]:
        """Old files whose document is gone; it is asked for once for all of its files."""
        old = groupby(self._blobs.written_before(before), _id_in)
        return [blob for id, files in old if not self._documents.knows(id) for blob in files]


def _id_in(blob: str) -> str:
    """Files are named after the document that they belong to."""
    return blob.partition(".")[0]
