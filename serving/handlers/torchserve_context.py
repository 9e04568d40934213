"""What handlers of TorchServe's are told: of their model, and of each batch."""

import copy
import os
import sys
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from serving.handlers.compat import __version__
from serving.handlers.compat.context import Context, RequestProcessor
from serving.handlers.compat.metrics.metric_cache_yaml_impl import MetricsCacheYamlImpl
from serving.handlers.compat.utils.util import get_yaml_config
from serving.handlers.handler import HandlerContext, Send
from serving.protocol.exchange import RawRequest

__all__ = ("TorchServeOptions", "apart", "begin_batch", "limit_threads", "make_context")


class TorchServeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a handler of TorchServe's is told, beside its model's files.

    Attributes:
        handler: a file of the archive, `file:function`, or the name of a default handler.
        manifest: of the archive, as it stands there.
        service_envelope: "body", "json", "kserve" or "kservev2"; "" for none.
        decode_input_request: whether JSON and text reach the handler as objects and strings.
        limit_max_image_pixels: whether pictures that are bombs are refused.
        compat: "torchserve" lets a failing batch fail as one, and says no more of it.
        metrics_config: a YAML file of metrics; "" for the default ones.
        sequence_headers: names of the headers of a sequence's id, start and end.
    """

    handler: str
    manifest: dict[str, Any] = {}
    service_envelope: Literal["", "body", "json", "kserve", "kservev2"] = ""
    decode_input_request: bool = True
    limit_max_image_pixels: bool = True
    compat: Literal["better", "torchserve"] = "better"
    metrics_config: str = ""
    sequence_headers: tuple[str, str, str] = (
        "ts_request_sequence_id",
        "ts_request_sequence_start",
        "ts_request_sequence_end",
    )


def make_context(options: TorchServeOptions, given: HandlerContext) -> Context:
    """What a handler is told when it is initialised."""
    metrics = MetricsCacheYamlImpl(options.metrics_config or None)
    metrics.model_name = given.model_name
    metrics.initialize_cache()
    # Values measured while the model loads belong to no request, yet to the model.
    metrics.set_request_ids("load")
    config_file = options.manifest.get("model", {}).get("configFile")
    context = Context(
        given.model_name,
        given.model_dir,
        options.manifest,
        given.batch_size,
        given.gpu_id,
        __version__,
        options.limit_max_image_pixels,
        metrics,
        (get_yaml_config(config_file) or {}) if config_file else {},
    )
    (
        context.header_key_sequence_id,
        context.header_key_sequence_start,
        context.header_key_sequence_end,
    ) = options.sequence_headers
    return context


def begin_batch(context: Context, requests: Sequence[RawRequest], send: Send) -> None:
    """Tell of the requests of a batch."""
    ids = {index: request.request_id for index, request in enumerate(requests)}
    context.request_ids = ids
    context.request_processor = [RequestProcessor(_headers(request)) for request in requests]
    context.metrics.request_ids = ids
    context.send_part = send  # type: ignore[attr-defined]


def apart(context: Context) -> Context:
    """The same for one of several batches at a time, which do not see one another."""
    own = copy.copy(context)
    own.metrics = copy.copy(context.metrics)
    own.stopping_criteria = None
    return own


def _headers(request: RawRequest) -> dict[str, Any]:
    """Tell a handler the request's headers, and for each field what it was sent as."""
    headers: dict[str, Any] = {
        name: {"content-type": kind} for name, kind in request.content_types.items()
    }
    headers.update(request.headers)
    if request.verb != "predict":
        headers[request.verb] = "True"
    return headers


def limit_threads(threads: int) -> None:
    """Let libraries take no more cores than are this worker's; torch only where it is loaded."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, str(threads))
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(threads)
