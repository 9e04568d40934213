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
    settings = load_settings()
    environment = {
        "SERVING_MANAGEMENT_URL": url_of(settings.inference_host, settings.management_port),
        "SERVING_AUDIT_FILE": str(settings.serving_audit),
    }
    if settings.serving_keys.exists():
        environment["SERVING_KEY_FILE"] = str(settings.serving_keys)
    for name, value in environment.items():
        os.environ.setdefault(name, value)
    try:
        code: int = args.run(args)
    except ServingError as error:
        print(f"animator: {error.message}", file=sys.stderr)
        return 1
    return code
