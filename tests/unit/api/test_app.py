from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from animator.api import create_app
from animator.api.problems import Problem
from animator.core.errors import AnimatorError, Conflict, JobFailed, ModelUnavailable
from animator.core.job import JobEvent
from tests.support_api import MemoryServices, put_drawing

Client = TestClient[Litestar]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "index.html").write_text("<title>shell</title>")
    (tmp_path / "app.js").write_text("export {};")
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "tests" / "geometry.js").write_text("")
    (tmp_path / ".hidden.js").write_text("")
    return tmp_path


@pytest.fixture
def memory(site: Path) -> MemoryServices:
    return MemoryServices(web_folder=site)


@pytest.mark.parametrize(
    ("method", "address", "status", "code"),
    [
        pytest.param("GET", "/api/nope", 404, "not_found", id="unknown address"),
        pytest.param("POST", "/api/nope", 404, "not_found", id="post to unknown address"),
        pytest.param("PUT", "/api/motions", 405, "method_not_allowed", id="wrong method"),
        pytest.param("GET", "/nope.js", 404, "not_found", id="unknown file"),
        pytest.param("GET", "/schema/nope", 404, "not_found", id="unknown schema"),
        pytest.param("GET", f"/{300 * 'a'}.js", 404, "not_found", id="name too long for a file"),
    ],
)
def test_refusals_are_problems(
    client: Client, method: str, address: str, status: int, code: str
) -> None:
    response = client.request(method, address)
    problem = msgspec.json.decode(response.content, type=Problem)
    assert (response.status_code, problem.status, problem.code) == (status, status, code)
    assert response.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        pytest.param(Conflict("changed"), 412, id="conflict"),
        pytest.param(ModelUnavailable("away"), 503, id="models away"),
        pytest.param(JobFailed("away"), 503, id="queue away"),
        pytest.param(AnimatorError("other"), 422, id="any other"),
    ],
)
def test_own_errors_keep_code_sentence_and_page(
    client: Client,
    memory: MemoryServices,
    error: AnimatorError,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_drawing(memory)
    monkeypatch.setattr(memory.jobs, "last_event", raising(error))
    response = client.get("/api/jobs/drawing-j")
    problem = msgspec.json.decode(response.content, type=Problem)
    assert (response.status_code, problem.code) == (status, error.code)
    assert (problem.detail, problem.page) == (error.message, error.page)


def test_fault_of_ours_tells_nothing_of_its_inside(
    client: Client,
    memory: MemoryServices,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_drawing(memory)
    monkeypatch.setattr(memory.jobs, "last_event", raising(RuntimeError("secret")))
    response = client.get("/api/jobs/drawing-j")
    assert (response.status_code, response.json()["code"]) == (500, "internal_error")
    assert "secret" not in response.text
    assert "secret" in caplog.text


@pytest.mark.parametrize("address", ["/", "/app.js", "/api/motions", "/api/nope", "/schema"])
def test_every_answer_allows_only_our_own_host_and_sets_no_cookie(
    client: Client, address: str
) -> None:
    headers = client.get(address).headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "http" not in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Set-Cookie" not in headers


def test_gallery_is_listed_in_its_order(client: Client) -> None:
    assert [m["name"] for m in client.get("/api/motions").json()] == ["wave", "jump", "dance"]


def test_health_tells_the_upload_limit(client: Client, memory: MemoryServices) -> None:
    health = client.get("/api/health").json()
    assert (health["status"], health["upload_bytes"]) == ("ok", memory.limits.upload_bytes)


def test_health_turns_proxies_away_before_the_end(client: Client, memory: MemoryServices) -> None:
    services = client.app.state["services"]
    services.draining.set()
    health = client.get("/api/health")
    assert (health.status_code, health.json()["status"]) == (503, "stopping")
    assert client.get("/api/motions").status_code == 200


def test_schema_needs_no_other_host(client: Client) -> None:
    schema = client.get("/schema").json()
    assert schema["openapi"].startswith("3.1")
    assert "/api/drawings/{drawing_id}/animations" in schema["paths"]
    assert client.get("/schema/openapi.json").json() == schema
    assert client.get("/schema/openapi.yaml").status_code == 200
    assert client.get("/schema/swagger").status_code == 404


def test_schema_describes_boxes_and_uploads_as_they_are_sent(client: Client) -> None:
    schema = client.get("/schema").json()
    box = schema["components"]["schemas"]["FigureAnnotation"]["properties"]["box"]
    assert (box["type"], box["minItems"], box["maxItems"]) == ("array", 4, 4)
    body = schema["paths"]["/api/drawings"]["post"]["requestBody"]["content"]
    assert body["multipart/form-data"]["schema"]["required"] == ["file"]
    assert "application/octet-stream" in body


@pytest.mark.parametrize("address", ["/", "/drawings/abc", "/shared/abc", "/privacy"])
def test_addresses_of_the_page_get_its_shell(client: Client, address: str) -> None:
    response = client.get(address)
    assert (response.status_code, response.text) == (200, "<title>shell</title>")
    assert response.headers["Content-Type"].startswith("text/html")
    assert response.headers["Cache-Control"] == "no-cache"


def test_lost_reader_gets_the_shell_as_not_found(client: Client) -> None:
    response = client.get("/nowhere", headers={"Accept": "text/html"})
    assert (response.status_code, response.text) == (404, "<title>shell</title>")


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("/package.json", id="not public"),
        pytest.param("/tests/geometry.js", id="tests"),
        pytest.param("/.hidden.js", id="hidden"),
        pytest.param("/%2e%2e/%2e%2e/pyproject.js", id="outside"),
        pytest.param("/..%2fother.js", id="encoded slash"),
    ],
)
def test_other_files_stay_hidden(client: Client, site: Path, address: str) -> None:
    (site.parent / "other.js").write_text("secret")
    response = client.get(address)
    assert response.status_code == 404
    assert "secret" not in response.text


def test_page_is_revalidated_by_its_content(client: Client, site: Path) -> None:
    tag = client.get("/app.js").headers["ETag"]
    again = client.get("/app.js", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    (site / "app.js").write_text("export const changed = 1;")
    assert client.get("/app.js", headers={"If-None-Match": tag}).status_code == 200


def test_head_of_the_page_has_no_body(client: Client) -> None:
    response = client.head("/")
    assert (response.status_code, response.content) == (200, b"")


def test_app_is_made_without_starting_anything(memory: MemoryServices) -> None:
    create_app(memory.as_services())
    assert not memory.jobs.queued


def raising(error: Exception) -> Callable[[str], JobEvent]:
    def fail(job: str) -> JobEvent:
        raise error

    return fail
