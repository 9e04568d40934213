"""The web process as one ASGI application."""

from litestar import Litestar
from litestar.di import Provide
from litestar.exceptions import HTTPException

from animator.api.animations import AnimationController
from animator.api.annotations import AnnotationController
from animator.api.consents import ConsentController
from animator.api.drawings import DrawingController
from animator.api.figures import FigureController
from animator.api.headers import add_security_headers
from animator.api.jobs import JobController
from animator.api.motions import get_health, list_motions
from animator.api.pages import get_page, refuse_unknown_api
from animator.api.problems import (
    problem_from_animator_error,
    problem_from_http_exception,
    problem_from_unexpected,
)
from animator.api.schema import BoxSchemaPlugin, describe_api
from animator.api.services import ApiServices
from animator.api.skeletons import list_skeletons
from animator.api.uploads import FORM_OVERHEAD
from animator.core.errors import AnimatorError

__all__ = ("create_app",)


def create_app(services: ApiServices) -> Litestar:
    """Put the routes together over the given services; nothing is started."""
    return Litestar(
        route_handlers=[
            DrawingController,
            AnnotationController,
            FigureController,
            ConsentController,
            AnimationController,
            JobController,
            list_motions,
            list_skeletons,
            get_health,
            refuse_unknown_api,
            get_page,
        ],
        dependencies={"services": Provide(lambda: services, sync_to_thread=False)},
        exception_handlers={
            AnimatorError: problem_from_animator_error,
            HTTPException: problem_from_http_exception,
            Exception: problem_from_unexpected,
        },
        before_send=[add_security_headers],
        request_max_body_size=services.limits.upload_bytes + FORM_OVERHEAD,
        openapi_config=describe_api(),
        plugins=[BoxSchemaPlugin()],
        logging_config=None,
    )
