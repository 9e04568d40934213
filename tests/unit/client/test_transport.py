"""What is sent again, what is not, and which errors refusals become."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest

from animator.client.errors import RequestRefused, ServerUnreachable, error_from_code
from animator.client.transport import Transport
from animator.core.errors import AnimatorError, Conflict, NotFound, TooManyRequests

Answer = Callable[[httpx.Request], httpx.Response]


class Server:
    """Answers one after another; the last one for ever."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.asked: list[str] = []
        self._answers = answers

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.method)
        answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


@contextmanager
def speaking_to(server: Server, patience: float = 30.0) -> Iterator[Transport]:
    transport = httpx.MockTransport(server)
    with httpx.Client(transport=transport, base_url="http://server") as http:
        yield Transport(http, patience)


def problem(status: int, code: str, **headers: str) -> httpx.Response:
    body = {"code": code, "detail": "A sentence.", "page": "upload"}
    return httpx.Response(status, json=body, headers=headers)


OK = httpx.Response(200, json=1)
LOST = httpx.ReadError("the line broke")


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    return pauses


@pytest.mark.parametrize(
    ("code", "kind"),
    [("not_found", NotFound), ("conflict", Conflict), ("too_many_requests", TooManyRequests)],
)
def test_refusal_becomes_the_error_of_its_code(code: str, kind: type[AnimatorError]) -> None:
    server = Server(problem(400, code))
    with speaking_to(server, patience=0) as transport, pytest.raises(kind, match="A sentence"):
        transport.send("GET", "/")


def test_unknown_code_is_told_as_it_is() -> None:
    error = error_from_code("strange", "A sentence.")
    assert isinstance(error, RequestRefused)
    assert (error.told, error.message) == ("strange", "A sentence.")


def test_answer_that_is_no_problem_of_ours_is_a_refusal() -> None:
    server = Server(httpx.Response(418, text="<h1>A teapot</h1>"))
    with speaking_to(server) as transport, pytest.raises(RequestRefused, match="418"):
        transport.send("GET", "/")


@pytest.mark.parametrize(
    ("method", "failure"),
    [
        pytest.param("GET", LOST, id="lost answer to a question"),
        pytest.param("DELETE", LOST, id="lost answer to a deletion"),
        pytest.param("POST", httpx.ConnectError("away"), id="never sent"),
        pytest.param("POST", problem(503, "job_failed"), id="no work taken"),
        pytest.param("POST", problem(503, "storage_unavailable"), id="no store"),
        pytest.param("POST", problem(429, "too_many_requests"), id="too often"),
    ],
)
def test_what_may_safely_be_sent_twice_is_sent_again(
    method: str, failure: httpx.Response | Exception
) -> None:
    server = Server(failure, failure, OK)
    with speaking_to(server) as transport:
        assert transport.ask(int, method, "/") == 1
    assert server.asked == [method] * 3


def test_what_may_have_been_done_is_not_sent_again() -> None:
    server = Server(LOST, OK)
    with speaking_to(server) as transport, pytest.raises(ServerUnreachable, match="line broke"):
        transport.send("POST", "/")
    assert server.asked == ["POST"]


def test_refusal_for_good_is_not_sent_again() -> None:
    server = Server(problem(404, "not_found"), OK)
    with speaking_to(server) as transport, pytest.raises(NotFound):
        transport.send("GET", "/")
    assert server.asked == ["GET"]


def test_server_says_when_to_come_again(pauses: list[float]) -> None:
    server = Server(problem(429, "too_many_requests", **{"Retry-After": "7"}), OK)
    with speaking_to(server) as transport:
        transport.send("GET", "/")
    assert pauses == [7]


def test_patience_ends(pauses: list[float]) -> None:
    server = Server(problem(429, "too_many_requests", **{"Retry-After": "60"}), OK)
    with speaking_to(server, patience=30) as transport, pytest.raises(TooManyRequests):
        transport.send("GET", "/")
    assert pauses == []


@pytest.mark.parametrize("status", [502, 503, 504])
def test_proxy_without_a_server_is_asked_again_where_that_is_safe(status: int) -> None:
    from_proxy = httpx.Response(status, html="<h1>No server is available</h1>")
    server = Server(from_proxy, OK)
    with speaking_to(server) as transport:
        assert transport.ask(int, "GET", "/") == 1
        assert server.asked == ["GET", "GET"]
    server = Server(from_proxy, OK)
    with speaking_to(server) as transport, pytest.raises(ServerUnreachable, match=str(status)):
        transport.ask(int, "POST", "/")
    assert server.asked == ["POST"]
