"""`python -m animator.launch PART`: one process of ours, as the supervisor starts it."""

import importlib
import logging
import sys

from animator.settings import load_settings
from serving.observe.logs import set_up_log

__all__ = ("main",)

# Each part imports only what it needs: the web process has no vision library, for one.
_PARTS = {
    "web": ("animator.launch.web", "run_web"),
    "worker": ("animator.launch.work", "run_worker"),
    "check-worker": ("animator.launch.work", "check_worker"),
}


def main(arguments: list[str]) -> int:
    """Run one part until it is stopped."""
    if len(arguments) != 1 or arguments[0] not in _PARTS:
        sys.stderr.write(f"usage: python -m animator.launch {{{','.join(_PARTS)}}}\n")
        return 2
    settings = load_settings()
    part, level = arguments[0], settings.log_level.upper()
    set_up_log(level, settings.log_format, part, f"%(levelname)s {part}: %(message)s")
    for noisy in ("uvicorn.error", "rq", "rq.worker", "httpx"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    module, function = _PARTS[arguments[0]]
    getattr(importlib.import_module(module), function)(settings)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
