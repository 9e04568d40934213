"""The command `serving`, also `python -m serving`."""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from serving.app import serve_until_stopped
from serving.archive.commands import add_archive_commands
from serving.bench.options import DESCRIPTION, EPILOG, add_bench_options
from serving.check_command import add_check_command
from serving.console.audit_command import add_audit_command
from serving.console.parser import Parser
from serving.console.releases_command import add_releases_command
from serving.errors import ServingError
from serving.observe.logs import LogFormat, set_up_log
from serving.services import ACCESS_LOG
from serving.settings import ServerSettings, read_settings
from serving.torchserve_command import (
    add_torchserve_flags,
    launch,
    settings_from_flags,
    warn_of_ignored,
)

__all__ = ("build_parser", "main")

_EPILOG = """\
A models folder holds one folder a model, each with a manifest.json:

  models/echo/manifest.json    {"name": "echo", "handler": "handler.py:Echo"}
  models/echo/handler.py       class Echo, with load, decode, infer and encode

then, for example:

  serving start --models-dir models
  curl http://127.0.0.1:8080/ping
  curl -F data=@picture.png http://127.0.0.1:8080/predictions/echo
  curl -H "Authorization: Bearer KEY" http://127.0.0.1:8081/models/echo
  curl http://127.0.0.1:8082/metrics

KEY stands in the file key_file.json, which the server writes at its start. Archives made for
TorchServe are served with its own flags:

  serving start --model-store archives --models echo.mar --ts-config config.properties

Settings come from --config (TOML, table [serving]), over them the environment
(SERVING_HOST, SERVING_MIN_WORKERS, ...), over them these options. With slo_p99_ms
(SERVING_SLO_P99_MS=100) the server tunes batches by itself and refuses what would be late.
Stop it with Ctrl-C: requests under way get 3 seconds to end.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when it was stopped, 1 with one sentence when it cannot serve."""
    said = sys.argv[1:] if arguments is None else list(arguments)
    if said[:1] == ["torchserve"]:
        return launch(said[1:])
    options = build_parser().parse_args(said)
    level = getattr(options, "log_level", "warning").upper()
    form: LogFormat = options.log_format if hasattr(options, "log_format") else "text"
    set_up_log(level, form, "inference", "%(levelname)s %(message)s")
    if level != "DEBUG":
        # A line for each request costs half as much as the request: it is for who asks for it.
        logging.getLogger(ACCESS_LOG).setLevel(logging.WARNING)
    if hasattr(options, "run"):
        return _run(options)
    try:
        warn_of_ignored(options)
        serve_until_stopped(_settings(options))
    except ServingError as error:
        sys.stderr.write(f"serving: {error}\n")
        return 1
    finally:
        _lose_what_cannot_be_written()
    return 0


def _lose_what_cannot_be_written() -> None:
    """Keep a full disk, which does not take the log, from turning a good end into a bad one."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, stream.fileno())
            os.close(nothing)


def _run(options: argparse.Namespace) -> int:
    try:
        code: int = options.run(options)
    except ServingError as error:
        sys.stderr.write(f"serving: {error}\n")
        return 1
    return code


def _settings(options: argparse.Namespace) -> ServerSettings:
    if options.ts_config or options.model_store:
        settings = settings_from_flags(options, os.environ)
    else:
        settings = read_settings(options.config, os.environ)
    names = set(ServerSettings.__struct_fields__) - {"models", "watch"}
    given = {name: getattr(options, name, None) for name in names}
    if options.models:
        given["load_models"] = ",".join(options.models)
    if options.watch:
        given["watch"] = msgspec.structs.replace(settings.watch, enabled=True)
    if options.audit_file:
        given["audit"] = msgspec.structs.replace(settings.audit, file=options.audit_file)
    if options.disable_token_auth:
        given["token_authorization"] = "off"
    given["enable_model_api"] = options.enable_model_api or None
    return msgspec.structs.replace(
        settings, **{name: value for name, value in given.items() if value is not None}
    )


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command's own parser in it."""
    parser = Parser(
        prog="serving",
        description="A model server: dynamic batching, supervised workers, the Open Inference "
        "Protocol (v2) and TorchServe's /predictions.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    start = commands.add_parser(
        "start",
        help="serve the models of a folder until stopped",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = start.add_argument
    defaults = ServerSettings()
    add("--models-dir", metavar="DIR", help=f"folder of model folders ({defaults.models_dir})")
    add("--host", metavar="ADDRESS", help=f"address to listen on ({defaults.host})")
    for kind in ("inference", "management", "metrics"):
        flags = ["--port", "-p"] if kind == "inference" else []
        port = getattr(defaults, f"{kind}_port")
        add(f"--{kind}-port", *flags, type=int, metavar="N", help=f"port for {kind} ({port})")
    for kind in ("inference", "management"):
        port = getattr(defaults, f"grpc_{kind}_port")
        add(f"--grpc-{kind}-port", type=int, metavar="N", help=f"port for {kind} by gRPC ({port})")
    add("--key-file", metavar="FILE", help=f"where the keys are written ({defaults.key_file})")
    add("--watch", action="store_true", help="serve what arrives in the folder of models, too")
    add("--audit-file", metavar="FILE", help="write down who changes what is served")
    add_torchserve_flags(start)
    add("--config", type=Path, metavar="FILE", help="settings in TOML, table [serving]")
    add("--log-level", default="info", choices=("debug", "info", "warning", "error"))
    add("--log-format", default="text", choices=("text", "json"), help="json: an object a line")
    add_archive_commands(commands)
    add_check_command(commands)
    _add_bench_command(commands)
    add_releases_command(commands)
    add_audit_command(commands)
    commands.add_parser(
        "torchserve", help="the command of that name: --start, --stop and all its flags"
    )
    return parser


def _add_bench_command(commands: Any) -> None:
    parser = commands.add_parser(
        "bench",
        help="measure a model, and find how it is served best",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_bench_options(parser)

    def run(options: argparse.Namespace) -> int:
        # What measures is not needed to serve.
        from serving.bench.command import run_bench

        return run_bench(options)

    parser.set_defaults(run=run)


if __name__ == "__main__":
    sys.exit(main())
