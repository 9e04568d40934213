"""A decorator that says how long a function took."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ("timeit",)


def timeit(func: Callable[..., Any]) -> Callable[..., Any]:
    """Print a function's wall and processor time at each call."""

    @wraps(func)
    def time_and_call(*args: Any, **kwargs: Any) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        result = func(*args, **kwargs)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"{getattr(func, '__name__', func)}: {wall:.4f} s, {cpu:.4f} s of CPU")
        return result

    return time_and_call
