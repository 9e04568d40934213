import pytest

from serving.archive.manifest import BackendHints, Manifest
from serving.open_inference.config import platform_of


@pytest.mark.parametrize(
    ("manifest", "platform"),
    [
        (Manifest(name="m", handler="handler.py:Mine"), "python"),
        (Manifest(name="m", model="m.onnx"), "onnxruntime_onnx"),
        (Manifest(name="m", model="m.pt"), "pytorch_libtorch"),
        (Manifest(name="m", model="m.pt2"), "pytorch"),
        (Manifest(name="m", model="m.pt", backend=BackendHints(model_file="net.py")), "pytorch"),
        (Manifest(name="m", model="m.onnx", backend=BackendHints(name="openvino")), "openvino"),
    ],
)
def test_platforms_have_tritons_names(manifest: Manifest, platform: str) -> None:
    assert platform_of(manifest) == platform
