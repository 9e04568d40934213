"""The audit log of a running server: who changed what, over REST, gRPC and the command line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from serving.__main__ import main
from serving.bench.ports import free_ports
from serving.protocol.proto.generated import torchserve_management_pb2 as pb
from tests.support_contract import Server, running_server

pytestmark = pytest.mark.usefixtures("guarded")


class Guarded:
    """A server with keys and an audit log, whose models may be changed."""

    def __init__(self, server: Server, folder: Path, grpc_port: int) -> None:
        self.server = server
        # One client: each that is made reads the certificates of the machine anew.
        self.http = httpx.Client(timeout=60)
        self.grpc_port = grpc_port
        self.key_file = folder / "keys.json"
        self.file = folder / "audit.jsonl"
        self.key: str = json.loads(self.key_file.read_text())["management"]["key"]
        self.headers = {"Authorization": f"Bearer {self.key}"}

    def ask(self, method: str, path: str, **parameters: Any) -> httpx.Response:
        url = f"{self.server.management}{path}"
        return self.http.request(method, url, params=parameters, headers=self.headers)

    def latest(self, **asked: Any) -> dict[str, Any]:
        answer = self.ask("GET", "/audit", limit=1, **asked)
        assert answer.status_code == 200, answer.text
        (entry,) = answer.json()["entries"]
        assert isinstance(entry, dict)
        return entry


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("audit")
    (port,) = free_ports(1)
    with running_server(
        SERVING_TOKEN_AUTHORIZATION="management",
        SERVING_KEY_FILE=str(folder / "keys.json"),
        SERVING_AUDIT_FILE=str(folder / "audit.jsonl"),
        SERVING_ENABLE_MODEL_API="true",
        SERVING_GRPC_MANAGEMENT_PORT=str(port),
    ) as (_, server):
        guarded = Guarded(server, folder, port)
        with guarded.http:
            yield guarded


def test_log_begins_with_what_is_served(guarded: Guarded) -> None:
    (first,) = guarded.ask("GET", "/audit", next_page_token=2).json()["entries"]
    assert json.loads(guarded.file.read_bytes().splitlines()[0]) == first
    assert (first["sequence"], first["what"], first["who"]) == (1, "start", "start")
    assert first["after"]["models"]["echo"] == {"default": "1.0", "workers": {"1.0": [1, 1]}}


def test_change_over_rest_is_noted_with_its_key_and_request(guarded: Guarded) -> None:
    answer = guarded.ask("PUT", "/models/echo", min_worker=2, synchronous="true")
    assert answer.status_code == 200
    entry = guarded.latest()
    assert (entry["what"], entry["model"], entry["version"]) == ("scale", "echo", "1.0")
    assert entry["before"]["workers"] == {"1.0": [1, 1]}
    assert entry["after"]["workers"] == {"1.0": [2, 2]}
    assert (entry["who"], entry["via"], entry["result"]) == ("management key", "rest", "ok")
    assert entry["address"].startswith("127.0.0.1:")
    assert entry["request_id"] == answer.headers["x-request-id"]
    assert entry["agent"].startswith("python-httpx/")
    assert guarded.key not in guarded.file.read_text()


def test_change_over_grpc_is_noted_as_one(guarded: Guarded) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{guarded.grpc_port}") as channel:
        call = channel.unary_unary(
            "/org.pytorch.serve.grpc.management.ManagementAPIsService/SetDefault",
            request_serializer=pb.SetDefaultRequest.SerializeToString,
            response_deserializer=pb.ManagementResponse.FromString,
        )
        request = pb.SetDefaultRequest(model_name="echo", model_version="1.0")
        metadata = (("authorization", f"Bearer {guarded.key}"), ("x-request-id", "mine"))
        call(request, metadata=metadata, timeout=20)
        with pytest.raises(grpc.RpcError):
            call(request, metadata=(("authorization", "Bearer wrong"),), timeout=20)
    refused = guarded.latest()
    assert (refused["what"], refused["who"], refused["via"]) == ("refuse", "unknown key", "grpc")
    entry = guarded.latest(what="set_default")
    assert (entry["who"], entry["via"], entry["request_id"]) == ("management key", "grpc", "mine")


def test_attempt_that_fails_is_noted_with_its_reason(guarded: Guarded) -> None:
    assert guarded.ask("POST", "/models", url="nothing.mar").status_code == 404
    entry = guarded.latest(result="failed")
    assert (entry["what"], entry["result"]) == ("register", "archive_not_found")
    assert (entry["model"], "nothing.mar" in entry["reason"]) == ("nothing.mar", True)
    # The query of an address may be a signature that opens a bucket.
    secret = "https://bucket.example.org/cat.mar?X-Amz-Signature=5ec7e7"
    assert guarded.ask("POST", "/models", url=secret).status_code == 400
    entry = guarded.latest(result="failed")
    assert entry["model"] == "cat.mar"
    assert "https://bucket.example.org/cat.mar?..." in entry["reason"]
    assert "5ec7e7" not in guarded.file.read_text()


def test_load_and_unload_of_the_protocol_are_noted(guarded: Guarded) -> None:
    url = f"{guarded.server.inference}/v2/repository/models/nothing/load"
    assert guarded.http.post(url, json={}).status_code == 404
    entry = guarded.latest(what="load")
    assert (entry["model"], entry["who"], entry["result"]) == (
        "nothing",
        "no key",
        "model_not_found",
    )


def test_attempt_with_a_wrong_key_is_noted_and_learns_nothing(guarded: Guarded) -> None:
    url = f"{guarded.server.management}/audit"
    answer = guarded.http.get(url, headers={"Authorization": "Bearer guessed"})
    assert answer.status_code == 401
    assert "entries" not in answer.text
    entry = guarded.latest()
    assert (entry["what"], entry["who"], entry["result"]) == (
        "refuse",
        "unknown key",
        "unauthorized",
    )
    assert entry["reason"].startswith("GET /audit: ")
    assert "guessed" not in guarded.file.read_text()


def test_renewed_key_is_noted(guarded: Guarded) -> None:
    keys = json.loads(guarded.key_file.read_text())
    url = f"{guarded.server.management}/token?type=inference"
    assert guarded.http.get(url, headers=guarded.headers).status_code == 401
    assert guarded.latest(what="renew_key")["result"] == "unauthorized"
    assert guarded.http.get(
        url, headers={"Authorization": f"Bearer {keys['API']['key']}"}
    ).is_success
    entry = guarded.latest(what="renew_key")
    assert (entry["who"], entry["after"]) == ("API key", {"kind": "inference"})


def test_metrics_count_entries(guarded: Guarded) -> None:
    head = guarded.ask("GET", "/audit", limit=1).json()["head_sequence"]
    lines = guarded.http.get(f"{guarded.server.metrics}/metrics").text.splitlines()
    assert f"serving_audit_entries_total {head:.1f}" in lines
    assert "serving_audit_lost_total 0.0" in lines


@pytest.mark.parametrize(
    "asked", [{"limit": 0}, {"limit": 1001}, {"what": "steal"}, {"since": "yesterday"}], ids=str
)
def test_wrong_question_is_refused(guarded: Guarded, asked: dict[str, Any]) -> None:
    assert guarded.ask("GET", "/audit", **asked).status_code == 400


def flags(guarded: Guarded) -> list[str]:
    return [f"--url={guarded.server.management}", f"--key-file={guarded.key_file}"]


def test_command_lists_entries_for_people_and_for_programs(
    guarded: Guarded, capsys: pytest.CaptureFixture[str]
) -> None:
    guarded.ask("PUT", "/models/echo", min_worker=1, synchronous="true")
    guarded.ask("PUT", "/models/echo", min_worker=2, synchronous="true")
    assert main(["audit", "list", "--model=echo", "--limit=2", "--since=1h", *flags(guarded)]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["TIME", "(UTC)", "WHO", "WHAT", "MODEL", "RESULT", "CHANGE"]
    assert [
        row.endswith(f"workers {change}")
        for row, change in zip(
            rows, ("{1.0:[2,2]} -> {1.0:[1,1]}", "{1.0:[1,1]} -> {1.0:[2,2]}"), strict=True
        )
    ] == [True, True]
    assert main(["audit", "list", "--json", "--limit=3", *flags(guarded)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["sequence"] for line in lines] == sorted(line["sequence"] for line in lines)
    assert len(lines) == 3


def test_command_goes_on_with_what_happens_until_it_is_interrupted(
    guarded: Guarded, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    happens = iter((1, 2, None))

    def pause(_: float) -> None:
        workers = next(happens)
        if workers is None:
            raise KeyboardInterrupt
        guarded.ask("GET", "/token")
        guarded.ask("PUT", "/models/echo", min_worker=workers, synchronous="true")

    monkeypatch.setattr("serving.console.auditing.time.sleep", pause)
    asked = ["audit", "list", "--follow", "--json", "--limit=1", "--what=scale"]
    assert main([*asked, *flags(guarded)]) == 130
    _, *told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [entry["after"]["workers"]["1.0"][0] for entry in told] == [1, 2]


def test_command_says_what_to_do_where_it_cannot_ask(
    guarded: Guarded, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(guarded.file.parent)
    url = f"--url={guarded.server.management}"
    assert main(["audit", "list", url]) == 1
    assert "the server wants a key: name the file" in capsys.readouterr().err
    assert main(["audit", "list", url, "--token=wrong"]) == 1
    assert "the key is wrong or too old" in capsys.readouterr().err
    assert main(["audit", "list", url, "--key-file=nowhere.json"]) == 1
    assert "there is no file of keys nowhere.json" in capsys.readouterr().err
    (port,) = free_ports(1)
    assert main(["audit", "list", f"--url=http://127.0.0.1:{port}"]) == 1
    assert "start it, or name it by --url" in capsys.readouterr().err


def test_command_follows_the_chain(
    guarded: Guarded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = guarded.ask("GET", "/audit", limit=1).json()["head"]
    assert main(["audit", "verify", str(guarded.file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"head {head}"
    copy = tmp_path / "audit.jsonl"
    lines = guarded.file.read_bytes().splitlines(keepends=True)
    copy.write_bytes(b"".join(lines[:-1]))
    assert main(["audit", "verify", str(copy)]) == 0
    assert main(["audit", "verify", str(copy), "--head", head]) == 1
    assert "was cut off" in capsys.readouterr().err
    copy.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    assert main(["audit", "verify", str(copy)]) == 1
    assert "BROKEN: audit.jsonl line 3, entry 4" in capsys.readouterr().err
