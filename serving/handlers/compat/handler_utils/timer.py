"""A decorator that measures a handler's steps, when model-config.yaml asks for it."""

import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ("timed",)


def timed(func: Callable[..., Any]) -> Callable[..., Any]:
    """Measure a method as `ts_handler_<name>` in milliseconds where `handler: {profile: true}`."""

    @wraps(func)
    def measure(self: Any, *args: Any, **kwargs: Any) -> Any:
        context = getattr(self, "context", None)
        config = getattr(context, "model_yaml_config", None) or {}
        if context is None or not (config.get("handler") or {}).get("profile"):
            return func(self, *args, **kwargs)
        started = _now()
        result = func(self, *args, **kwargs)
        name = getattr(func, "__name__", "step")
        context.metrics.add_time(f"ts_handler_{name}", (_now() - started) * 1000)
        return result

    return measure


def _now() -> float:
    """Tell the time, seconds, when the GPU has done what it was given."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()
