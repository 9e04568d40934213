"""Lets `import ts` lead to our compatibility modules, in processes that ask for it."""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

__all__ = ("install_aliases",)

_ALIAS = "ts"
_TARGET = "serving.handlers.compat"

_DERIVE = "derive from BaseHandler, and read LOCAL_RANK and WORLD_SIZE as torchrun sets them"

_ABSENT = {
    "ts.torch_handler.dali_handler": "NVIDIA DALI is not offered",
    "ts.torch_handler.dali_image_classifier": "NVIDIA DALI is not offered",
    "ts.torch_handler.vllm_handler": "serve language models with vLLM's own server",
    "ts.torch_handler.trt_llm_handler": "serve language models with TensorRT-LLM's own server",
    "ts.torch_handler.distributed": _DERIVE,
    "ts.handler_utils.distributed": _DERIVE,
    "ts.handler_utils.preprocess": "NVIDIA DALI is not offered",
    "ts.handler_utils.hf_batch_streamer": "use the streamer of transformers itself",
}
"""What TorchServe has and we have not, with what to do."""


def install_aliases() -> None:
    """Let `ts` and its modules be ours from now on, also where torchserve is installed."""
    if not any(isinstance(finder, _AliasFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AliasFinder())


class _AliasFinder(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _ALIAS and not name.startswith(f"{_ALIAS}."):
            return None
        if name in _ABSENT:
            msg = f"{name} is not part of this server: {_ABSENT[name]}"
            raise ImportError(msg, name=name)
        real = find_spec(_TARGET + name.removeprefix(_ALIAS))
        if real is None:
            return None
        # A package, so that its modules are looked for here again.
        is_package = real.submodule_search_locations is not None
        return ModuleSpec(name, _AliasLoader(real.name), is_package=is_package)


class _AliasLoader(Loader):
    """Gives the one real module under its second name, so that classes are the same under both."""

    def __init__(self, real: str) -> None:
        self._real = real
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._real)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has written the alias's spec into the module; its own is kept.
        module.__spec__ = self._spec
