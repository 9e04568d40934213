"""BaseHandler: loads a torch or ONNX model and answers batches with it."""

import importlib
import logging
import os
import tempfile
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from serving.handlers.compat.handler_utils.timer import timed
from serving.handlers.compat.utils.util import (
    check_valid_pt2_backend,
    list_classes_from_module,
    load_label_mapping,
)

__all__ = ("BaseHandler",)

_log = logging.getLogger(__name__)


class BaseHandler:
    """The three steps of a handler; users override the ones that are theirs."""

    def __init__(self) -> None:
        self.model: Any = None
        self.mapping: dict[str, str] | None = None
        self.device: Any = None
        self.map_location: str | None = None
        self.initialized = False
        self.context: Any = None
        self.manifest: Any = None
        self.model_pt_path: str | None = None
        self.model_yaml_config: Any = None
        self.explain = False
        self.target = 0
        self.profiler_args: dict[str, Any] = {}

    def initialize(self, context: Any) -> None:
        """Load the model: a class and its weights, TorchScript, an exported program or ONNX.

        Raises:
            RuntimeError: when the archive holds none of these.
        """
        self.model_yaml_config = context.model_yaml_config
        self.manifest = context.manifest
        self._choose_device(context.system_properties.get("gpu_id"))
        folder = context.system_properties["model_dir"]
        described = self.manifest["model"]
        serialized = described.get("serializedFile")
        self.model_pt_path = str(Path(folder) / serialized) if serialized else None
        self.model = self._load(folder, described.get("modelFile") or "")
        self.model = self._compiled(self.model)
        self.mapping = load_label_mapping(str(Path(folder) / "index_to_name.json"))
        self.initialized = True

    def handle(self, data: Any, context: Any) -> Any:
        """Answer a batch: a prediction for each item, or an explanation, or a description."""
        started = time.perf_counter()
        self.context = context
        if self._is_describe():
            output = [self.describe_handle()]
        elif os.environ.get("ENABLE_TORCH_PROFILER"):
            output, _ = self._infer_with_profiler(data)
        else:
            output = self._answer(data)
        elapsed_ms = round((time.perf_counter() - started) * 1000, 2)
        context.metrics.add_time("HandlerTime", elapsed_ms, None, "ms")
        return output

    @timed
    def preprocess(self, data: Any) -> Any:
        """Make a tensor of the requests' inputs."""
        return torch.as_tensor(data, device=self.device)

    @timed
    def inference(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        """Run the model."""
        with torch.inference_mode():
            return self.model(data.to(self.device), *args, **kwargs)

    @timed
    def postprocess(self, data: Any) -> Any:
        """Make a list of the model's outputs, one entry for each item."""
        return data.tolist()

    def explain_handle(self, data_preprocess: Any, raw_data: Any) -> Any:
        """Explain predictions; the class asked about is the first request's `target`."""
        row = raw_data[0]
        inputs, target = None, 0
        if isinstance(row, Mapping):
            inputs = row.get("data") or row.get("body")
            target = row.get("target") or 0
        return self.get_insights(data_preprocess, inputs, target)

    def get_insights(self, tensor_data: Any, _raw_data: Any, _target: Any = 0) -> Any:
        """Explain predictions on a tensor; a handler that can do so overrides this.

        Raises:
            NotImplementedError: always.
        """
        msg = f"{type(self).__name__} explains nothing: it has no get_insights"
        raise NotImplementedError(msg)

    def describe_handle(self) -> Any:
        """Say more of the model than the server knows; nothing here."""
        return None

    def get_device(self) -> Any:
        """Tell the device of the model."""
        return self.device

    def _answer(self, data: Any) -> Any:
        prepared = self.preprocess(data)
        if self._is_explain():
            return self.explain_handle(prepared, data)
        return self.postprocess(self.inference(prepared))

    def _infer_with_profiler(self, data: Any) -> tuple[Any, Any]:
        """Answer under torch's profiler; `profiler_args` says what it notes and where it goes.

        Returns:
            The answer, and the profile.
        """
        from torch import profiler

        name = self.manifest["model"].get("modelName", "model")
        folder = Path(tempfile.gettempdir()) / "pytorch_profiler" / name
        activities = [profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(profiler.ProfilerActivity.CUDA)
        arguments = {
            "activities": activities,
            "record_shapes": True,
            "on_trace_ready": profiler.tensorboard_trace_handler(str(folder)),
            **self.profiler_args,
        }
        with profiler.profile(**arguments) as profile:
            output = self._answer(data)
        _log.info("%s", profile.key_averages().table(sort_by="cpu_time_total", row_limit=10))
        return output, profile

    def _is_explain(self) -> bool:
        is_asked = self._is_said("explain")
        self.explain = self.explain or is_asked
        return is_asked

    def _is_describe(self) -> bool:
        return self._is_said("describe")

    def _is_said(self, header: str) -> bool:
        return bool(self.context) and self.context.get_request_header(0, header) == "True"

    def _choose_device(self, gpu_id: int | None) -> None:
        if gpu_id is not None and torch.cuda.is_available():
            self.map_location, name = "cuda", f"cuda:{gpu_id}"
        elif gpu_id is not None and torch.backends.mps.is_available():
            self.map_location = name = "mps"
        else:
            self.map_location = name = "cpu"
        self.device = torch.device(name)

    def _load(self, folder: str, model_file: str) -> Any:
        path = self.model_pt_path or ""
        if model_file:
            model = self._load_pickled_model(folder, model_file, self.model_pt_path)
            model.to(self.device)
            return model.eval()
        if path.endswith(".pt"):
            return self._load_torchscript_model(path).eval()
        if path.endswith(".onnx"):
            return self._load_onnx_model(path)
        if path.endswith((".so", ".pt2")):
            return self._load_torch_export_aot_compile(path)
        msg = (
            "no model could be loaded: an archive has a modelFile, or a serializedFile that ends "
            "in .pt, .onnx, .so or .pt2"
        )
        raise RuntimeError(msg)

    def _load_torchscript_model(self, model_pt_path: str) -> Any:
        load: Any = torch.jit.load
        with warnings.catch_warnings():
            # That TorchScript is old is known.
            warnings.simplefilter("ignore")
            return load(model_pt_path, map_location=self.device)

    def _load_onnx_model(self, path: str) -> Any:
        import onnxruntime

        providers = ["CUDAExecutionProvider"] if self.map_location == "cuda" else []
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        return onnxruntime.InferenceSession(
            path, options, providers=[*providers, "CPUExecutionProvider"]
        )

    def _load_torch_export_aot_compile(self, model_so_path: str) -> Any:
        if self.map_location == "cuda":
            torch.cuda.set_device(self.device)
        if model_so_path.endswith(".pt2"):
            return torch._inductor.aoti_load_package(model_so_path)
        return torch._export.aot_load(model_so_path, str(self.map_location))

    def _load_pickled_model(
        self, model_dir: str, model_file: str, model_pt_path: str | None
    ) -> Any:
        path = Path(model_dir) / model_file
        if not path.is_file():
            msg = f"the archive has no {model_file}"
            raise RuntimeError(msg)
        # The model's folder is where modules are looked for first.
        module = importlib.import_module(model_file.partition(".")[0])
        classes = list_classes_from_module(module)
        if len(classes) != 1:
            msg = f"{model_file} must define one class, it defines {len(classes)}: {classes}"
            raise ValueError(msg)
        model = classes[0]()
        if model_pt_path:
            # Weights are data: what would run code while it is loaded is refused.
            weights = torch.load(model_pt_path, map_location=self.device, weights_only=True)
            model.load_state_dict(weights)
        return model

    def _compiled(self, model: Any) -> Any:
        options = _compile_options((self.model_yaml_config or {}).get("pt2"))
        if options is None:
            return model
        try:
            return torch.compile(model, **options)
        except Exception as error:
            _log.warning("the model runs uncompiled: %s", error)
            return model


def _compile_options(pt2: Any) -> dict[str, Any] | None:
    """Read what `pt2` of a model-config.yaml asks of `torch.compile`; None: nothing.

    Raises:
        ValueError: when it is neither a backend's name nor a table.
    """
    if not pt2:
        return None
    if isinstance(pt2, str):
        options: dict[str, Any] = {"backend": pt2}
    elif not isinstance(pt2, dict):
        msg = "pt2 is the name of a backend, or a table"
        raise ValueError(msg)
    elif "compile" in pt2:
        options = dict(pt2["compile"])
        if not options.pop("enable", False):
            return None
    elif "export" in pt2:
        return None
    else:
        options = pt2
    is_valid = "backend" not in options or check_valid_pt2_backend(options["backend"])
    return options if is_valid else None
