"""From "package.module:Class" or "file.py:Class" to a handler."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from serving.errors import InvalidModel
from serving.handlers.handler import AnyHandler, RawHandler

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = ("is_async", "is_raw", "load_attribute", "load_handler")

_METHODS = ("load", "decode", "infer", "encode")
_RAW_METHOD = "answer"
_ASYNC_METHOD = "answer_async"


def is_raw(handler: AnyHandler) -> "TypeIs[RawHandler]":
    """Whether a handler reads requests and writes replies itself."""
    return callable(getattr(handler, _RAW_METHOD, None))


def is_async(handler: AnyHandler) -> bool:
    """Whether a handler can answer several batches at a time."""
    return callable(getattr(handler, _ASYNC_METHOD, None))


def load_handler(reference: str, folder: Path) -> AnyHandler:
    """Build the handler that a manifest names; its model is not loaded yet.

    A module that ends in `.py` is a file in the model's folder; any other is imported by its name.

    Raises:
        InvalidModel: when there is no such class, or it is no handler.
    """
    try:
        handler: AnyHandler = load_attribute(reference, folder)()
    except Exception as error:
        msg = f"cannot build the handler {reference}: {type(error).__name__}: {error}"
        raise InvalidModel(msg) from error
    needed = _METHODS[:1] if is_raw(handler) else _METHODS
    missing = [name for name in needed if not callable(getattr(handler, name, None))]
    if missing:
        msg = f"{reference} is no handler: it has no {', '.join(missing)}"
        raise InvalidModel(msg)
    return handler


def load_attribute(reference: str, folder: Path) -> Any:
    """Import "package.module:name" or "file.py:name", the latter from the model's folder.

    Raises:
        Exception: whatever the import raises.
    """
    module_name, _, name = reference.partition(":")
    if module_name.endswith(".py"):
        return getattr(_module_from_file(folder / module_name), name)
    return getattr(importlib.import_module(module_name), name)


def _module_from_file(path: Path) -> ModuleType:
    # The folder's name keeps two models' handler.py apart.
    name = f"serving_model_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        msg = f"{path} is no Python file"
        raise ImportError(msg)
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickles look their module up by its name.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
