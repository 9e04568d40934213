"""Consent: that a drawing and its corrections may be learned from; off unless it is given."""

import time

from litestar import Controller, delete, get, put
from litestar.params import FromPath

from animator.api.services import Services
from animator.core.documents import Consent, DrawingDocument
from animator.core.errors import LearningOff

__all__ = ("ConsentController",)


class ConsentController(Controller):
    """Routes under /api/drawings/{id}/consent."""

    path = "/api/drawings/{drawing_id:str}/consent"
    tags = ("drawings",)

    @get(sync_to_thread=True)
    def get_consent(self, drawing_id: FromPath[str], services: Services) -> Consent:
        """Since when the drawing may be learned from."""
        return services.documents.get(Consent, drawing_id)

    @put(sync_to_thread=True)
    def give_consent(self, drawing_id: FromPath[str], services: Services) -> Consent:
        """Allow that the drawing and its corrections are learned from."""
        if not services.learning:
            msg = "This server does not learn from drawings."
            raise LearningOff(msg)
        consent = Consent(given=time.time())
        services.documents.put(drawing_id, consent)
        return consent

    @delete(sync_to_thread=True)
    def take_back(self, drawing_id: FromPath[str], services: Services) -> None:
        """Forbid it again; models that learned from it before are not unmade."""
        services.documents.get(DrawingDocument, drawing_id)
        services.documents.delete(Consent, drawing_id)
