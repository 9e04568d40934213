"""The API answers what its OpenAPI document says, and nobody gets at what is another's.

Both walk over all routes of the document, so that none can be forgotten.
"""

from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from litestar.testing import TestClient
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import positive_data_acceptance

from animator.api import create_app
from animator.core.documents import DrawingDocument, MotionDocument, Ownership, Share
from animator.core.job import JobEvent
from tests.support_api import MemoryServices, put_animation, put_drawing

KNOWN = {
    "drawing_id": "drawing",
    "animation_id": "animation",
    "share_id": "share",
    "job_id": "drawing-job",
    "figure_id": "f0",
    "file_name": "file.gif",
    "motion_name": "own-motion",
}
"""An id for each parameter of an address."""


def fill(memory: MemoryServices, owner: str | None = None) -> MemoryServices:
    """Nothing but a drawing with an animation that is shared, a motion, and a job that is done."""
    memory.documents.documents.clear()
    memory.blobs.blobs.clear()
    drawing = put_drawing(memory)
    memory.blobs.put("picture", b"jpeg")
    memory.documents.documents[DrawingDocument, drawing.id] = DrawingDocument(
        id=drawing.id, name="Max.png", upload="upload", job="drawing-job", created=0.0,
        picture="picture", width=40, height=30,
    )  # fmt: skip
    put_animation(memory, drawing.id)
    share = Share(id="share", animation="animation", created=1.0, expires=1e12)
    memory.documents.put("share", share)
    motion = MotionDocument(
        id="motion", owner=owner or "nobody", title="Hop", job="motion-job", created=0.0
    )
    memory.documents.put(motion.id, motion)
    if owner is not None:
        memory.documents.put(drawing.id, Ownership(owner=owner, sha256="0" * 64, created=1.0))
    memory.jobs.report(JobEvent(job="drawing-job", state="done", step="done", progress=1.0))
    return memory


def document_of(memory: MemoryServices) -> Any:
    """The document of an API, with ids that are known to it in every address."""
    document = schemathesis.openapi.from_asgi(
        "/schema/openapi.json", create_app(memory.as_services())
    )

    @document.hook
    def map_path_parameters(_context: Any, parameters: dict[str, Any] | None) -> Any:
        return parameters and {name: KNOWN[name] for name in parameters}

    return document


def test_api_answers_as_its_document_says() -> None:
    failures = []
    memory = MemoryServices(learning=True)
    for found in document_of(memory).get_all_operations():
        operation = found.ok()
        fill(memory)  # each begins with everything in its place: some delete it

        @settings(
            max_examples=5, derandomize=True, suppress_health_check=list(HealthCheck), database=None
        )
        @given(operation.as_strategy())
        def check(case: Any) -> None:
            # No schema can say that a motion must be known, or a box lie inside its drawing.
            case.call_and_validate(excluded_checks=[positive_data_acceptance])

        try:
            check()
        except FailureGroup as error:
            failures.append(f"{operation.label}: {error}")
    assert not failures, "\n\n".join(failures)


SHARED_WITH_ALL = {"get_share", "get_shared_file"}


def test_nobody_gets_at_what_is_anothers_by_any_route() -> None:
    memory = fill(MemoryServices(), owner="somebody-else")
    before = (dict(memory.documents.documents), dict(memory.blobs.blobs), list(memory.jobs.queued))
    walked = set()
    with TestClient(create_app(memory.as_services())) as client:
        client.post("/api/motions")  # no motion, but a stranger has a cookie from now on
        paths = client.get("/schema").json()["paths"]
        for path, methods in paths.items():
            for method, operation in methods.items():
                if "{" not in path or operation["operationId"] in SHARED_WITH_ALL:
                    continue
                answer = client.request(
                    method, path.format(**KNOWN), json={}, headers={"If-Match": "*"}
                )
                told = (answer.status_code, answer.json().get("code"))
                assert told == (404, "not_found"), f"{method} {path}: {told}"
                walked.add(operation["operationId"])
    assert len(walked) > 20
    assert before == (memory.documents.documents, memory.blobs.blobs, memory.jobs.queued)


def test_document_names_errors_headers_and_who_may_ask() -> None:
    with TestClient(create_app(MemoryServices().as_services())) as client:
        document = client.get("/schema").json()
        assert client.get("/schema/openapi.yaml").status_code == 200
    upload = document["paths"]["/api/drawings"]["post"]["responses"]
    assert {"200", "201", "400", "401", "403", "413", "415", "429", "500", "503"} == set(upload)
    for path, methods in document["paths"].items():
        for operation in methods.values():  # any may need a store, or the list of keys, elsewhere
            assert "Retry-After" in operation["responses"]["503"]["headers"], path
    health = document["paths"]["/api/health"]["get"]["responses"]
    assert health["503"]["content"] == health["200"]["content"]
    assert "Location" in upload["201"]["headers"]
    assert "Retry-After" in upload["429"]["headers"]
    problem = upload["415"]["content"]["application/problem+json"]["schema"]["$ref"]
    assert document["components"]["schemas"][problem.rpartition("/")[2]]["required"]
    assert document["components"]["securitySchemes"]["owner"]["in"] == "cookie"
    assert {"owner": []} in document["security"]


def test_examples_of_the_document_are_taken() -> None:
    memory = fill(MemoryServices())
    asked = 0
    with TestClient(create_app(memory.as_services())) as client:
        for path, methods in client.get("/schema").json()["paths"].items():
            for method, operation in methods.items():
                content = operation.get("requestBody", {}).get("content", {})
                example = content.get("application/json", {}).get("example")
                if example is not None:
                    fill(memory)
                    answer = client.request(
                        method, path.format(**KNOWN), json=example, headers={"If-Match": "*"}
                    )
                    assert answer.is_success, f"{method} {path}: {answer.text}"
                    asked += 1
    assert asked == 4
