"""`animator models audit` and `animator models releases`: what the model server is asked."""

import argparse
import os
import sys

from animator.launch.address import url_of
from animator.settings import load_settings
from serving.errors import ServingError

__all__ = ("ask_server",)


def ask_server(args: argparse.Namespace) -> int:
    """Ask the model server that `animator serve` started here, unless another is named."""
    for name, value in _here(getattr(args, "url", None)).items():
        os.environ.setdefault(name, value)
    try:
        code: int = args.run(args)
    except ServingError as error:
        print(f"animator: {error.message}", file=sys.stderr)
        return 1
    return code


def _here(url: str | None) -> dict[str, str]:
    """What is known of the server here; its key is for no other that is named."""
    settings = load_settings()
    own = url_of(settings.inference_host, settings.management_port)
    environment = {
        "SERVING_MANAGEMENT_URL": own,
        "SERVING_AUDIT_FILE": str(settings.serving_audit),
    }
    named = url or os.environ.get("SERVING_MANAGEMENT_URL") or own
    if named.rstrip("/") == own and settings.serving_keys.exists():
        environment["SERVING_KEY_FILE"] = str(settings.serving_keys)
    return environment
