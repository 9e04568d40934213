"""TorchServe's inference API.

Oddities of the reference: a failed prediction is 503 (kept); a full queue and a missing worker have
one message (corrected); /ping is Healthy before a model is loaded (corrected); a POST of a form
without the field reaches the handler (corrected: 400).
"""

import concurrent.futures
import time

import httpx
import pytest

from tests.support_contract import Server


def check_error(answer: httpx.Response, status: int, kind: str) -> str:
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("application/json")
    body = answer.json()
    assert body.keys() == {"code", "type", "message"}
    assert (body["code"], body["type"]) == (status, kind)
    message: str = body["message"]
    return message


def test_ping_is_healthy(http: httpx.Client) -> None:
    answer = http.get("/ping")
    assert (answer.status_code, answer.json()) == (200, {"status": "Healthy"})


@pytest.mark.parametrize("field", ["data", "body"])
def test_input_comes_in_a_field_of_a_form(http: httpx.Client, field: str) -> None:
    answer = http.post("/predictions/echo", files={field: ("picture.png", b"hello")})
    assert (answer.status_code, answer.json()) == (200, {"text": "hello", "length": 5})


def test_field_may_have_no_file_name(http: httpx.Client) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="data"\r\n\r\nhello\r\n--x--\r\n'
    answer = http.post(
        "/predictions/echo",
        content=body,
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )
    assert answer.json() == {"text": "hello", "length": 5}


@pytest.mark.parametrize("kind", ["application/octet-stream", "image/png", "", "application/json"])
def test_input_comes_as_the_raw_body(http: httpx.Client, kind: str) -> None:
    headers = {"Content-Type": kind} if kind else {}
    answer = http.post("/predictions/echo", content=b"hello", headers=headers)
    assert answer.json() == {"text": "hello", "length": 5}


def test_large_upload_arrives_whole(http: httpx.Client) -> None:
    data = b"a" * 1_500_000
    answer = http.post("/predictions/echo", files={"data": data})
    assert answer.json()["length"] == 1_500_000


def test_version_may_be_named(http: httpx.Client) -> None:
    assert http.post("/predictions/echo/1.0", content=b"hello").status_code == 200


@pytest.mark.parametrize(
    ("path", "kind"),
    [("dog", "ModelNotFoundException"), ("echo/2.0", "ModelVersionNotFoundException")],
)
def test_unknown_model_is_404(http: httpx.Client, path: str, kind: str) -> None:
    assert check_error(http.post(f"/predictions/{path}", content=b"hello"), 404, kind)


def test_unknown_path_is_404(http: httpx.Client) -> None:
    check_error(http.get("/nowhere"), 404, "ResourceNotFoundException")


def test_wrong_verb_is_405(http: httpx.Client) -> None:
    check_error(http.delete("/ping"), 405, "MethodNotAllowedException")


@pytest.mark.parametrize("body", [b"", b"no number"], ids=["empty", "text"])
def test_input_that_the_model_does_not_take_is_400(http: httpx.Client, body: bytes) -> None:
    message = check_error(
        http.post("/predictions/fragile", content=body), 400, "BadRequestException"
    )
    assert "could not convert string to float" in message


def test_form_without_the_field_is_400(http: httpx.Client) -> None:
    answer = http.post("/predictions/echo", files={"picture": b"hello"})
    assert "no field data or body" in check_error(answer, 400, "BadRequestException")


def test_broken_form_is_400(http: httpx.Client) -> None:
    answer = http.post(
        "/predictions/echo",
        content=b"--x\r\nnonsense",
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )
    check_error(answer, 400, "BadRequestException")


def test_too_large_a_request_is_413(http: httpx.Client) -> None:
    answer = http.post("/predictions/echo", content=b"a" * 2_000_001)
    check_error(answer, 413, "BadRequestException")


def test_failure_of_the_model_says_why(http: httpx.Client) -> None:
    answer = http.post("/predictions/fragile", content=b"nan")
    message = check_error(answer, 503, "InternalServerException")
    assert message == "ArithmeticError: not a number"
    assert "retry-after" not in answer.headers


def test_lack_of_memory_is_507(http: httpx.Client) -> None:
    answer = http.post("/predictions/fragile", content=b"-1")
    check_error(answer, 507, "InternalServerException")


@pytest.mark.parametrize("where", ["header", "parameter"])
def test_deadline_is_the_clients(http: httpx.Client, where: str) -> None:
    begun = time.monotonic()
    answer = http.post(
        "/predictions/fragile",
        content=b"1",
        headers={"timeout": "0.1"} if where == "header" else {},
        params={"timeout": "0.1"} if where == "parameter" else {},
    )
    assert time.monotonic() - begun < 0.9
    check_error(answer, 504, "RequestTimeoutException")


@pytest.mark.parametrize("text", ["0", "-1", "soon", "nan", "inf"])
def test_deadline_that_is_none_is_400(http: httpx.Client, text: str) -> None:
    answer = http.post("/predictions/echo", content=b"x", headers={"timeout": text})
    check_error(answer, 400, "BadRequestException")


def test_bad_item_fails_alone_in_a_batch(http: httpx.Client) -> None:
    bodies = [b"0.05", b"nan", b"0", b"no number", b"0", b"0"]
    with concurrent.futures.ThreadPoolExecutor(len(bodies)) as pool:
        answers = pool.map(lambda body: http.post("/predictions/fragile", content=body), bodies)
    assert [answer.status_code for answer in answers] == [200, 503, 200, 400, 200, 200]


def test_request_whose_client_hung_up_is_not_run(server: Server, http: httpx.Client) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        busy = pool.submit(http.post, "/predictions/fragile", content=b"1.5")
        time.sleep(0.1)
        with httpx.Client(base_url=server.inference, timeout=0.1) as impatient:
            for _ in range(3):
                with pytest.raises(httpx.ReadTimeout):
                    impatient.post("/predictions/fragile", content=b"6")
        begun = time.monotonic()
        assert http.post("/predictions/fragile", content=b"0").status_code == 200
        assert time.monotonic() - begun < 5
        assert busy.result().status_code == 200
