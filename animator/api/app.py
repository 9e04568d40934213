"""The web process as one ASGI application."""

from typing import Any

from litestar import Litestar, Request, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException

from animator.api.animations import AnimationController
from animator.api.annotations import AnnotationController
from animator.api.belonging import Belonging
from animator.api.consents import ConsentController
from animator.api.drawings import DrawingController
from animator.api.figures import FigureController
from animator.api.headers import add_security_headers
from animator.api.jobs import JobController
from animator.api.motions import MotionController, get_health
from animator.api.origins import describe_cors, refuse_foreign_origins
from animator.api.owner import OwnerController
from animator.api.owners import (
    provide_owner,
    recognise_owner,
    refuse_others,
    set_owner_cookie,
)
from animator.api.pages import get_page, refuse_unknown_api
from animator.api.problems import (
    problem_from_animator_error,
    problem_from_http_exception,
    problem_from_unexpected,
)
from animator.api.rates import limit_rate
from animator.api.schema import BoxSchemaPlugin, describe_api
from animator.api.services import ApiServices
from animator.api.shares import ShareController
from animator.api.skeletons import list_skeletons
from animator.api.uploads import FORM_OVERHEAD
from animator.core.errors import AnimatorError

__all__ = ("create_app", "state_of")


def create_app(services: ApiServices) -> Litestar:
    """Put the routes together over the given services; nothing is started."""
    api = Router(
        "/",
        route_handlers=[
            DrawingController,
            AnnotationController,
            FigureController,
            ConsentController,
            AnimationController,
            ShareController,
            JobController,
            OwnerController,
            MotionController,
            list_skeletons,
            get_health,
            refuse_unknown_api,
        ],
        guards=[refuse_foreign_origins, recognise_owner, limit_rate, refuse_others],
        dependencies={"owner": Provide(provide_owner)},
    )
    return Litestar(
        route_handlers=[api, get_page],
        dependencies={"services": Provide(provide_services)},
        state=state_of(services),
        exception_handlers={
            AnimatorError: problem_from_animator_error,
            HTTPException: problem_from_http_exception,
            Exception: problem_from_unexpected,
        },
        before_send=[add_security_headers, set_owner_cookie],
        cors_config=describe_cors(services.access.origins),
        on_shutdown=[services.count.close] if services.count else [],
        request_max_body_size=services.limits.upload_bytes + FORM_OVERHEAD,
        openapi_config=describe_api(),
        plugins=[BoxSchemaPlugin()],
        logging_config=None,
    )


def state_of(services: ApiServices) -> State:
    """What guards and routes find at the app: the services, and what was learnt of them."""
    return State({"services": services, "belonging": Belonging(services.documents)})


async def provide_services(request: Request[Any, Any, Any]) -> ApiServices:
    """What the routes work with: the services that the guards go by, too."""
    services: ApiServices = request.app.state.services
    return services
