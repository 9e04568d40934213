"""The servers that are compared, ours and others: how each is started with a model, and asked."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.serving_running import MODELS, Place, Server, Workload

__all__ = ("find_servers", "prepare_ours")

_MAR_MODEL = {"handler": "torchserve_handler.py"}
_MAR_MODELS = {
    "maskrcnn": {
        "handler": "object_detector",
        "modelFile": "maskrcnn_model.py",
        "serializedFile": "weights.pth",
    }
}


def find_servers(peers: Path | None, names: Sequence[str]) -> list[Server]:
    """List ours, and those of the peers that are installed under `peers`.

    Args:
        peers: a folder with virtual environments named venv-triton, venv-litserve, venv-torchserve.
        names: what the names in the table must begin with; empty: all.
    """
    servers = [
        Server("serving", _prepare_ours, "/predictions/{}", _plain),
        Server("serving, v2", _prepare_ours, "/v2/models/{}/infer", _v2_numbers),
        Server("serving, .mar", _prepare_ours_mar, "/predictions/{}", _plain),
    ]
    if peers is not None:
        bins = {name: peers / f"venv-{name}" / "bin" for name in _PEERS}
        servers += [_PEERS[name](bin_) for name, bin_ in bins.items() if bin_.is_dir()]
    return [s for s in servers if not names or any(s.name.startswith(name) for name in names)]


def _plain(picture: bytes) -> tuple[bytes, dict[str, str]]:
    return picture, {"Content-Type": "application/octet-stream"}


def _form(picture: bytes) -> tuple[bytes, dict[str, str]]:
    head = 'Content-Disposition: form-data; name="content"; filename="a.jpg"'
    body = b"--BOUND\r\n" + head.encode() + b"\r\nContent-Type: image/jpeg\r\n\r\n"
    kind = "multipart/form-data; boundary=BOUND"
    return body + picture + b"\r\n--BOUND--\r\n", {"Content-Type": kind}


def _v2(datatype: str, shape: list[int], data: bytes) -> tuple[bytes, dict[str, str]]:
    tensor = {"name": "image", "shape": shape, "datatype": datatype}
    head = json.dumps({"inputs": [tensor | {"parameters": {"binary_data_size": len(data)}}]})
    return head.encode() + data, {
        "Content-Type": "application/octet-stream",
        "Inference-Header-Content-Length": str(len(head)),
    }


def _v2_numbers(picture: bytes) -> tuple[bytes, dict[str, str]]:
    return _v2("UINT8", [len(picture)], picture)


def _v2_bytes(picture: bytes) -> tuple[bytes, dict[str, str]]:
    return _v2("BYTES", [1, 1], struct.pack("<I", len(picture)) + picture)


def _prepare_ours(place: Place, work: Workload) -> Sequence[str]:
    return _our_command(prepare_ours(place, work), [])


def prepare_ours(place: Place, work: Workload) -> Path:
    """Write a model and the settings of this server; where the settings are."""
    folder = place.folder / "models" / work.case
    folder.mkdir(parents=True)
    shutil.copy(MODELS / "native_handler.py", folder / "handler.py")
    manifest = {"name": work.case, "version": "1.0", "handler": "handler.py:Compared"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return _write_config(place, work)


def _prepare_ours_mar(place: Place, work: Workload) -> Sequence[str]:
    (place.folder / "models").mkdir()
    _write_mar(place.folder / "models", work.case)
    models = ["--models", f"{work.case}={work.case}.mar"]
    return _our_command(_write_config(place, work), models)


def _our_command(config: Path, more: Sequence[str]) -> Sequence[str]:
    options = ["--config", str(config), "--log-level", "warning", *more]
    return [sys.executable, "-m", "serving", "start", *options]


def _write_config(place: Place, work: Workload) -> Path:
    config = place.folder / "serving.toml"
    config.write_text(
        f"[serving]\nmodels_dir = {json.dumps(str(place.folder / 'models'))}\n"
        f"inference_port = {place.port}\nmanagement_port = {place.port + 1}\n"
        f"metrics_port = {place.port + 2}\ngrpc_inference_port = {place.port + 3}\n"
        f"grpc_management_port = {place.port + 4}\n"
        f"[serving.defaults]\nbatch_size = {work.batch_size}\n"
        f"max_batch_delay_ms = {work.delay_ms}\nmin_workers = {work.workers}\n"
    )
    return config


def _write_mar(folder: Path, case: str) -> None:
    model = {"modelName": case, "modelVersion": "1.0"} | _MAR_MODELS.get(case, _MAR_MODEL)
    manifest = {
        "createdOn": "01/01/2026 00:00:00",
        "runtime": "python",
        "model": model,
        "archiverVersion": "0.12.0",
    }
    with zipfile.ZipFile(folder / f"{case}.mar", "w") as archive:
        archive.writestr("MAR-INF/MANIFEST.json", json.dumps(manifest))
        for key, name in model.items():
            if key in {"handler", "modelFile"} and name.endswith(".py"):
                archive.write(MODELS / name, name)
            elif key == "serializedFile":
                archive.write(_mask_rcnn_weights(), name)


def _mask_rcnn_weights() -> Path:
    """Random weights, the same for every server; made once."""
    path = Path(tempfile.gettempdir()) / "bench-mask-rcnn.pth"
    if not path.exists():
        code = "import sys, maskrcnn_model as m; m.write_weights(sys.argv[1])"
        environment = os.environ | {"PYTHONPATH": str(MODELS)}
        subprocess.run([sys.executable, "-c", code, path], env=environment, check=True)
    return path


def _torchserve(bin_: Path) -> Server:
    def prepare(place: Place, work: Workload) -> Sequence[str]:
        store = place.folder / "store"
        store.mkdir()
        _write_mar(store, work.case)
        config = place.folder / "config.properties"
        model = {
            "defaultVersion": True,
            "marName": f"{work.case}.mar",
            "minWorkers": work.workers,
            "maxWorkers": work.workers,
            "batchSize": work.batch_size,
            "maxBatchDelay": round(work.delay_ms),
            "responseTimeout": 120,
        }
        addresses = "".join(
            f"{kind}_address=http://127.0.0.1:{place.port + offset}\n"
            for offset, kind in enumerate(("inference", "management", "metrics"))
        )
        config.write_text(
            f"{addresses}grpc_inference_port={place.port + 3}\n"
            f"grpc_management_port={place.port + 4}\n"
            f"disable_token_authorization=true\njob_queue_size=1000\nload_models={work.case}.mar\n"
            f"models={json.dumps({work.case: {'1.0': model}})}\n"
        )
        options = ["--foreground", "--ncs", "--disable-token-auth", "--model-store", str(store)]
        return [str(bin_ / "torchserve"), "--start", *options, "--ts-config", str(config)]

    path = f"{bin_}:{os.environ['PATH']}"
    return Server("TorchServe", prepare, "/predictions/{}", _plain, {"PATH": path})


def _triton(bin_: Path) -> Server:
    code = (
        "import pytriton, site; print(pytriton.__path__[0], site.getsitepackages()[0], sep='\\n')"
    )
    found = subprocess.run(
        [bin_ / "python", "-c", code], capture_output=True, text=True, check=True
    )
    home, packages = (Path(line) for line in found.stdout.split())
    home /= "tritonserver"

    def prepare(place: Place, work: Workload) -> Sequence[str]:
        model = place.folder / "repository" / work.case / "1"
        model.mkdir(parents=True)
        shutil.copy(MODELS / "triton_model.py", model / "model.py")
        (model.parent / "config.pbtxt").write_text(
            f'backend: "python" max_batch_size: {work.batch_size}\n'
            'input [ { name: "image" data_type: TYPE_STRING dims: [ 1 ] } ]\n'
            'output [ { name: "out" data_type: TYPE_FP32 dims: [ 1 ] } ]\n'
            f"instance_group [ {{ count: {work.workers} kind: KIND_CPU }} ]\n"
            "dynamic_batching { max_queue_delay_microseconds: "
            f"{round(work.delay_ms * 1000)} }}\n"
        )
        backends = place.folder / "backends"
        shutil.copytree(home / "backends", backends)
        (stub,) = (home / "python_backend_stubs").glob("3.11/*")
        (backends / "python" / stub.name).symlink_to(stub)
        return [
            str(home / "bin" / "tritonserver"),
            f"--model-repository={place.folder / 'repository'}",
            f"--backend-directory={backends}",
            f"--http-port={place.port}",
            "--http-address=127.0.0.1",
            f"--grpc-port={place.port + 1}",
            "--grpc-address=127.0.0.1",
            f"--metrics-port={place.port + 2}",
            "--log-info=false",
        ]

    environment = {"PATH": f"{bin_}:{os.environ['PATH']}", "PYTHONPATH": f"{MODELS}:{packages}"}
    return Server("Triton", prepare, "/v2/models/{}/infer", _v2_bytes, environment)


def _litserve(bin_: Path) -> Server:
    def prepare(place: Place, work: Workload) -> Sequence[str]:
        return [str(bin_ / "python"), str(MODELS / "litserve_app.py"), str(place.port)]

    return Server("LitServe", prepare, "/predict", _form)


_PEERS: Mapping[str, Callable[[Path], Server]] = {
    "triton": _triton,
    "torchserve": _torchserve,
    "litserve": _litserve,
}
