"""LocalPredictor: the same handlers, in this process; no server, no batches."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from serving.archive.inputs import check_inputs
from serving.archive.manifest import check_files
from serving.batching.batch import infer_in_groups
from serving.errors import InvalidModel, ModelNotFound, ServingError
from serving.handlers.handler import Handler, HandlerContext
from serving.handlers.loading import is_raw, load_handler
from serving.hardware import default_device, usable_cores
from serving.protocol.tensors import Tensors
from serving.registry.repository import StoredModel, find_models, version_rank

__all__ = ("LocalPredictor",)


class LocalPredictor:
    """Runs the models of a folder in this process; each is loaded when it is first asked.

    May be shared between threads; they take turns.

    Args:
        models_dir: a folder of model folders.
        threads: CPU threads for inference; None: all cores.
    """

    def __init__(self, models_dir: Path, threads: int | None = None) -> None:
        self._models_dir = models_dir
        self._threads = threads or usable_cores()
        self._loaded: dict[str, tuple[StoredModel, Handler]] = {}
        self._lock = threading.Lock()

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Tensors:
        """Run a model on one item.

        Args:
            model: its name.
            inputs: arrays by name, as the model declares them, without a batch axis.

        Raises:
            ModelNotFound: when there is no such model.
            InvalidModel: when it cannot be loaded.
            BadInput: when the model does not take these inputs.
            InferenceFailed: when the model failed.
        """
        with self._lock:
            if model not in self._loaded:
                self._loaded[model] = self._load(model)
            stored, handler = self._loaded[model]
            check_inputs(inputs, stored.manifest.inputs)
            (result,) = infer_in_groups([inputs], handler.infer)
        if isinstance(result, ServingError):
            raise result
        return result

    def _load(self, model: str) -> tuple[StoredModel, Handler]:
        stored = self._find(model)
        check_files(stored.manifest, stored.folder)
        handler = load_handler(stored.manifest.handler, stored.folder)
        if is_raw(handler):
            msg = f"{model} takes requests as they come, no tensors: ask it through the server"
            raise InvalidModel(msg)
        context = HandlerContext(
            model_dir=str(stored.folder),
            device=default_device(),
            threads=self._threads,
            model_name=model,
            model_version=stored.manifest.version,
            options=stored.options,
        )
        try:
            handler.load(context)
        except Exception as error:
            msg = f"{model} cannot be loaded: {type(error).__name__}: {error}"
            raise InvalidModel(msg) from error
        return stored, handler

    def _find(self, model: str) -> StoredModel:
        versions = [m for m in find_models(self._models_dir) if m.manifest.name == model]
        if not versions:
            msg = f"Model not found: {model}"
            raise ModelNotFound(msg)
        return max(versions, key=lambda stored: version_rank(stored.manifest.version))
