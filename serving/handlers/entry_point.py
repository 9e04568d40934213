"""From a handler's name in a TorchServe archive to what is called."""

import importlib
import importlib.util
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from serving.errors import InvalidModel
from serving.handlers.compat.utils.util import list_classes_from_module

__all__ = ("EntryPoint", "find_entry_point", "wrap_in_envelope")

_DEFAULTS = "ts.torch_handler"
_ENVELOPES = "ts.torch_handler.request_envelope"


@dataclass(frozen=True, slots=True, eq=False)
class EntryPoint:
    """What is called.

    Attributes:
        initialize: once, with the context.
        handle: with the rows of a batch and the context.
    """

    initialize: Callable[[Any], Any]
    handle: Callable[[Any, Any], Any]


def find_entry_point(reference: str) -> EntryPoint:
    """Find a function of a module, or the one handler class that it defines.

    Args:
        reference: `file.py`, `file`, `file:function`, `file.py:Class`, or a default handler's name.

    Raises:
        InvalidModel: when there is no such module, function or class.
    """
    module_name, _, attribute = reference.partition(":")
    module = _import(module_name.rpartition("/")[2].removesuffix(".py"))
    named = getattr(module, attribute or "handle", None)
    if inspect.isclass(named):
        return _of_class(named)
    if named is not None:
        # A function is told to initialise by a call without a batch.
        return EntryPoint(lambda context: named(None, context), named)
    if attribute:
        msg = f"the handler {module_name} has no {attribute}"
        raise InvalidModel(msg)
    return _of_class(_only_handler(module))


def wrap_in_envelope(handle: Callable[[Any, Any], Any], envelope: str) -> Callable[[Any, Any], Any]:
    """Put an envelope before a handler, where there is one."""
    if not envelope:
        return handle
    (kind,) = list_classes_from_module(importlib.import_module(f"{_ENVELOPES}.{envelope}"))
    wrapped: Callable[[Any, Any], Any] = kind(handle).handle
    return wrapped


def _import(name: str) -> ModuleType:
    # Asked first, so that a module that is there but lacks a package says so itself.
    for candidate in (name, f"{_DEFAULTS}.{name}"):
        if name and importlib.util.find_spec(candidate) is not None:
            return importlib.import_module(candidate)
    msg = f"there is no handler {name}: neither a file of the archive nor a default handler"
    raise InvalidModel(msg)


def _only_handler(module: ModuleType) -> type[Any]:
    classes = list_classes_from_module(module)
    handlers = [kind for kind in classes if hasattr(kind, "handle")]
    if len(handlers) != 1:
        names = ", ".join(kind.__name__ for kind in handlers) or "none"
        msg = f"a handler is a function `handle` or one class with a method `handle`, found {names}"
        raise InvalidModel(msg)
    return handlers[0]


def _of_class(kind: type[Any]) -> EntryPoint:
    handler = kind()
    initialize = getattr(handler, "initialize", None)
    return EntryPoint(initialize or _nothing, handler.handle)


def _nothing(_context: Any) -> None:
    """Stand in for `initialize` where a class has none."""
