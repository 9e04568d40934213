"""`animator serve`: the page, the models and the job workers, in one command."""

import argparse
import os
from typing import Any

from animator.cli import Subparsers

__all__ = ("add_parser", "run")

_EPILOG = """\
Settings come from a TOML file (--config, or ANIMATOR_CONFIG), whose table [serving] is that of the
model server (`animator bench` writes one), over it the environment (ANIMATOR_PORT,
ANIMATOR_DATA_DIR, REDIS_URL ...), over that these options. The parts can run apart, on one machine
or several, over one Redis, and one data folder or one bucket (ANIMATOR_STORE):

  animator serve --role inference
  REDIS_URL=redis://queue:6379 animator serve --role worker --inference-url http://models:8080
  REDIS_URL=redis://queue:6379 animator serve --role web --host 0.0.0.0

Ctrl-C stops everything. Jobs under way are begun again at the next start.
"""

_OPTIONS: tuple[tuple[str, str, str], ...] = (
    ("--host", "ADDRESS", "where the page listens (127.0.0.1)"),
    ("--port", "N", "port of the page (8000)"),
    ("--data-dir", "DIR", "drawings, animations and the queue (~/.local/share/animator)"),
    ("--models-dir", "DIR", "folder of model folders"),
    ("--redis-url", "URL", "a Redis or Valkey (a private one in the data folder)"),
    ("--store", "URL", "a bucket for all that is kept: s3://BUCKET/PREFIX (the data folder)"),
    ("--inference-url", "URL", "the model server, when it runs elsewhere"),
    ("--inference-host", "ADDRESS", "where the model server listens (127.0.0.1)"),
    ("--inference-port", "N", "port for predictions (8080)"),
    ("--management-port", "N", "port for management (8081)"),
    ("--metrics-port", "N", "port for metrics of the models (8082)"),
    ("--app-metrics-port", "N", "port for metrics of page and jobs; 0: none (8083)"),
    ("--job-workers", "N", "processes that work on jobs (half the cores)"),
    ("--drain-seconds", "N", "how long to go on for proxies that turn away, before stopping (0)"),
    ("--learning", "true", "let people allow that drawings are learned from (false)"),
    ("--trace-endpoint", "URL", "where traces are taken, such as http://127.0.0.1:4318"),
    ("--log-level", "LEVEL", "debug, info, warning or error (info)"),
    ("--log-format", "FORM", "text, or json: an object a line, with ids of requests and jobs"),
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `serve`."""
    parser = subparsers.add_parser(
        "serve",
        help="run everything, or one part with --role",
        description="Runs the page, the models and the job workers, until Ctrl-C.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--role",
        choices=("all", "web", "inference", "worker"),
        default="all",
        help="which part to run (all)",
    )
    parser.add_argument("--config", metavar="FILE", help="settings in TOML")
    for flag, metavar, text in _OPTIONS:
        parser.add_argument(flag, metavar=metavar, help=text)


def run(args: argparse.Namespace) -> int:
    """Serve until told to stop."""
    # Servers and the queue are loaded only for this command: `--help` needs none of them.
    from animator.launch.address import url_of
    from animator.launch.roles import Role
    from animator.launch.serve import serve
    from animator.settings import load_settings
    from serving.observe.logs import set_up_log

    named = {"ANIMATOR_CONFIG": args.config} if args.config else {}
    settings = load_settings(_flags(args), {**os.environ, **named})
    level = settings.log_level.upper()
    set_up_log(level, settings.log_format, "serve", "%(levelname)s %(message)s")
    role = Role(args.role)
    url = url_of(settings.host, settings.port) if role in (Role.ALL, Role.WEB) else None
    serve(role, settings, on_ready=lambda: print(_greet(role.value, url), flush=True))
    return 0


def _flags(args: argparse.Namespace) -> dict[str, Any]:
    names = (flag.removeprefix("--").replace("-", "_") for flag, *_ in _OPTIONS)
    return {name: getattr(args, name) for name in names}


def _greet(role: str, url: str | None) -> str:
    if url is not None:
        return f"Animator is ready: {url}  (Ctrl-C stops it)"
    return f"Animator's {role} is ready  (Ctrl-C stops it)"
