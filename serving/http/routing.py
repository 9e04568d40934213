"""What every table of addresses needs: which verbs there are, and what to say where none leads."""

from serving.http.problems import WrongMethod
from serving.http.request import HttpRequest
from serving.management import NOT_ALLOWED

__all__ = ("ASKING", "NOT_FOUND", "check_method")

NOT_FOUND = "Requested resource is not found, please refer to API document."

ASKING = ("POST", "GET", "PUT", "PATCH", "DELETE")
"""The verbs that ask for a prediction; of TorchServe's any does."""


def check_method(request: HttpRequest, *methods: str) -> None:
    """Refuse other verbs; HEAD asks as GET does.

    Raises:
        WrongMethod: when the request's verb is none of these.
    """
    asked = "GET" if request.method == "HEAD" else request.method
    if asked not in methods:
        raise WrongMethod(request.method, *methods, message=NOT_ALLOWED)
