"""Programs that ask the model server directly: by TorchServe's paths, by tensors, and over gRPC."""

import contextlib
import io
import json
import random
from typing import Any

import grpc
import httpx
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from animator.vision.detect import DETECTOR
from animator.vision.keypoints import POSE_ESTIMATOR
from benchmarks.soaking.product import Product
from benchmarks.soaking.world import World
from serving.client import Client
from serving.errors import ServingError
from serving.protocol.proto.generated import open_inference_pb2 as oip

__all__ = ("MODELS", "ask_now_and_then", "management_key", "predict", "reload")

MODELS = (DETECTOR, POSE_ESTIMATOR)
_TIMEOUT_S = 20.0
_LONGEST = 320
"""Longer side of a picture that is asked about, pixels."""


def ask_now_and_then(world: World, rng: random.Random, every: float) -> None:
    """Predictions with pauses of random length, until nobody shall begin any more."""
    ways = ["rest", "v2"] + (["grpc"] if world.product.grpc else [])
    while not world.done.wait(rng.expovariate(1 / every)):
        way = rng.choice(ways)
        code, text = predict(world, way, rng)
        world.answers.note(way, code, text)


def predict(world: World, way: str, rng: random.Random) -> tuple[str, str]:
    """Ask once; the code of the answer and its text, "ok" where it is a prediction."""
    product, model = world.product, rng.choice(MODELS)
    data = rng.choice(world.drawings)
    try:
        if way == "rest":
            return _rest(product, model, data)
        pixels = _pixels(data)
        if way == "grpc":
            return _grpc(product, model, pixels)
        with Client(product.models_url, timeout_s=_TIMEOUT_S) as client:
            answer = client.infer(model, {"image": pixels})
        return ("ok", "") if answer else ("nothing_told", model)
    except ServingError as error:
        return error.code, str(error)
    except httpx.HTTPError as error:
        return "server_unavailable", f"{type(error).__name__}: {error}"
    except grpc.RpcError as error:
        return f"grpc_{error.code().name.lower()}", str(error.details())


def reload(product: Product, model: str) -> None:
    """Have a model loaded anew, while it is asked.

    Raises:
        httpx.HTTPError: when that is refused.
    """
    url = f"{product.models_url}/v2/repository/models/{model}/load"
    httpx.post(url, headers=management_key(product), timeout=60).raise_for_status()


def management_key(product: Product) -> dict[str, str]:
    """The header that lets one manage the models; none while the server has no keys."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        keys = json.loads((product.settings.data_dir / "serving-keys.json").read_bytes())
        return {"Authorization": f"Bearer {keys['management']['key']}"}
    return {}


def _rest(product: Product, model: str, data: bytes) -> tuple[str, str]:
    url = f"{product.models_url}/predictions/{model}"
    answer = httpx.post(url, files={"data": ("drawing", data)}, timeout=_TIMEOUT_S)
    if answer.is_success:
        return "ok", ""
    told: Any = json.loads(answer.content)
    return f"rest_{told['code']}_{told['type']}", str(told["message"])


def _grpc(product: Product, model: str, pixels: NDArray[np.uint8]) -> tuple[str, str]:
    tensor = oip.ModelInferRequest.InferInputTensor(
        name="image", datatype="UINT8", shape=pixels.shape
    )
    request = oip.ModelInferRequest(
        model_name=model, inputs=[tensor], raw_input_contents=[pixels.tobytes()]
    )
    with grpc.insecure_channel(product.grpc) as channel:
        call = channel.unary_unary(
            "/inference.GRPCInferenceService/ModelInfer",
            request_serializer=oip.ModelInferRequest.SerializeToString,
            response_deserializer=oip.ModelInferResponse.FromString,
        )
        answer = call(request, timeout=_TIMEOUT_S)
    return ("ok", "") if answer.outputs else ("nothing_told", model)


def _pixels(data: bytes) -> NDArray[np.uint8]:
    """The picture, small, (h, w, 3)."""
    image = Image.open(io.BytesIO(data)).convert("RGB")
    image.thumbnail((_LONGEST, _LONGEST))
    return np.asarray(image)
