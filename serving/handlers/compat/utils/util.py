"""Labels, classes of modules, and the exception by which a handler chooses its status."""

import enum
import inspect
import json
import logging
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = (
    "CLEANUP_REGEX",
    "PT2Backend",
    "PredictionException",
    "check_valid_pt2_backend",
    "deprecated",
    "get_yaml_config",
    "list_classes_from_module",
    "load_label_mapping",
    "map_class_to_label",
)

_log = logging.getLogger(__name__)

CLEANUP_REGEX = re.compile(r"<.*?>|&(?:[a-z0-9]+|#[0-9]{1,6}|#x[0-9a-f]{1,6});")
"""Tags and character references of HTML."""

PT2Backend = enum.Enum(  # type: ignore[misc]
    "PT2Backend",
    {
        name.upper(): name
        for name in (
            "eager",
            "aot_eager",
            "inductor",
            "nvfuser",
            "aot_nvfuser",
            "aot_cudagraphs",
            "ofi",
            "fx2trt",
            "onnxrt",
            "ipex",
            "torchxla_trace_once",
            "openvino",
            "tensorrt",
            "hpu_backend",
        )
    },
    type=str,
)
"""What `torch.compile` may be told to compile with."""


class PredictionException(Exception):
    """Raised by a handler that chooses the status of its error.

    Args:
        message: for the client.
        error_code: status of HTTP.
    """

    def __init__(self, message: str, error_code: int = 500) -> None:
        super().__init__(message)
        self.message = message
        self.error_code = error_code

    def __str__(self) -> str:
        return f"{self.message} : {self.error_code}"


def list_classes_from_module(
    module: ModuleType, parent_class: type | None = None
) -> list[type[Any]]:
    """List the classes that a module defines itself, by name; of one kind if it is said."""
    found = [
        member
        for _, member in inspect.getmembers(module, inspect.isclass)
        if member.__module__ == module.__name__
    ]
    return [kind for kind in found if parent_class is None or issubclass(kind, parent_class)]


def load_label_mapping(mapping_file_path: str) -> dict[str, str] | None:
    """Read which class has which label; None, and a warning, without the file.

    The file says `{"0": "cat"}`, `{"0": ["n02", "cat"]}` or `{"object_type_names": ["cat"]}`.

    Raises:
        Exception: when it says something else.
    """
    path = Path(mapping_file_path)
    if not path.is_file():
        _log.warning("%s is missing: classes are answered by their numbers", path.name)
        return None
    mapping = json.loads(path.read_text())
    if not isinstance(mapping, dict):
        msg = f"{path.name} must be an object of class numbers and labels"
        raise Exception(msg)
    names = mapping.get("object_type_names")
    if isinstance(names, list):
        return {str(index): name for index, name in enumerate(names)}
    labels = {
        key: value[-1] if isinstance(value, list) else value for key, value in mapping.items()
    }
    if not all(isinstance(label, str) for label in labels.values()):
        msg = f"{path.name}: a label must be a string, or a list that ends in one"
        raise Exception(msg)
    return labels


def map_class_to_label(
    probs: Sequence[Sequence[Any]],
    mapping: Mapping[str, str] | None = None,
    lbl_classes: Iterable[Sequence[Any]] | None = None,
) -> list[dict[str, Any]]:
    """Pair labels with probabilities, one dictionary for each row.

    Args:
        probs: for each item, a list of values.
        mapping: number of a class, as a string, to its label; None keeps the numbers.
        lbl_classes: for each item, the classes of its values; None: 0, 1, 2 ...
    """
    if not isinstance(probs, list):
        msg = "the probabilities must be a list: call tolist() first"
        raise Exception(msg)
    if mapping is not None and not isinstance(mapping, dict):
        msg = "the mapping must be a dictionary"
        raise Exception(msg)
    classes = [range(len(probs[0]))] * len(probs) if lbl_classes is None else lbl_classes
    return [
        {
            (str(index) if mapping is None else mapping[str(index)]): value
            for index, value in zip(indices, values, strict=False)
        }
        for indices, values in zip(classes, probs, strict=False)
    ]


def check_valid_pt2_backend(backend: str) -> bool:
    """Whether `torch.compile` may be told to use that backend."""
    is_known = backend in {member.value for member in PT2Backend}
    if not is_known:
        _log.warning("%s is no backend that is known here", backend)
    return is_known


def get_yaml_config(yaml_file_path: str) -> Any:
    """Read a YAML file; only plain data, no objects."""
    import yaml

    return yaml.safe_load(Path(yaml_file_path).read_text())


def deprecated(
    version: Any, replacement: str = "", klass: type[Warning] = PendingDeprecationWarning
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function warn when it is called, and say what to call instead."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def warn_and_call(*args: Any, **kwargs: Any) -> Any:
            name = getattr(function, "__name__", "this function")
            warnings.warn(f"{name} goes in {version}; use {replacement}", klass, stacklevel=2)
            return function(*args, **kwargs)

        return warn_and_call

    return decorate
