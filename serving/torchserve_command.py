"""The command `torchserve`: the reference's flags, started in the background, stopped by its pid.

A script of that name in front of others need only run `serving torchserve "$@"`.
"""

import argparse
import contextlib
import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path

import msgspec
import psutil

from serving.app import Ports, announce, serve_until_stopped
from serving.config_properties import lay_over, read_properties, settings_from_properties
from serving.console.parser import Parser
from serving.errors import ServingError
from serving.observe.custom import MODEL_METRICS_LOG, TS_METRICS_LOG
from serving.protocol.metadata import our_version
from serving.reference_words import ReferenceWords
from serving.services import ACCESS_LOG
from serving.settings import InvalidSettings, ServerSettings
from serving.snapshots import latest_snapshot

__all__ = (
    "add_torchserve_flags",
    "build_parser",
    "launch",
    "settings_from_flags",
    "warn_of_ignored",
)

_MARK = "serving.torchserve_command"
_STOP_S = 60
_LOG_BYTES = 100 * 1024 * 1024
_LOG_FILES = 5

# The reference's loggers of these files, by their name there.
_FILES = {
    "access_log": (ACCESS_LOG, "log_dir"),
    "model_log": ("serving.workers.output", "log_dir"),
    "ts_log": ("serving", "log_dir"),
    "ts_metrics": (TS_METRICS_LOG, "metrics_dir"),
    "model_metrics": (MODEL_METRICS_LOG, "metrics_dir"),
}

_IGNORED = {
    "log_config": "--log-config is ignored: there is no log4j",
    "cpp_log_config": "--cpp-log-config is ignored: there is no C++ backend",
    "plugins_path": "--plugins-path is ignored: Java plugins cannot be loaded",
}

_EPILOG = """\
examples:
  serving torchserve --start --model-store store --models all
  serving torchserve --start --ts-config config.properties --foreground
  serving torchserve --stop

A server of this user that runs already is told; `serving start` takes the same flags and stays in
the foreground. docs/torchserve.md tells what differs from TorchServe.
"""

_log = logging.getLogger(__name__)


def launch(arguments: Sequence[str]) -> int:
    """Start or stop the server as the reference's command does; 0 when that was done."""
    options = build_parser().parse_args(arguments)
    if options.version:
        sys.stdout.write(f"TorchServe Version is {our_version()}\n")
        return 0
    pid_file = _pid_file(os.environ)
    running = _running(pid_file)
    if options.stop:
        return _stop(running, pid_file, wait=options.foreground)
    if running is not None:
        sys.stdout.write(
            "TorchServe is already running, please use torchserve --stop to stop TorchServe.\n"
        )
        return 1
    try:
        # What is wrong with the flags is told here, and not by a process that nobody sees.
        settings_from_flags(options, os.environ)
    except ServingError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    # A process of its own, so that --stop knows it by its command line.
    process = subprocess.Popen([sys.executable, "-m", _MARK, *arguments])
    pid_file.write_text(str(process.pid))
    return process.wait() if options.foreground else 0


def add_torchserve_flags(parser: argparse.ArgumentParser) -> None:
    """Give a parser the reference's flags that say what is served and how."""
    add = parser.add_argument
    add("--ts-config", metavar="FILE", help="config.properties of TorchServe")
    add("--model-store", metavar="DIR", help="folder of archives, of which --models are served")
    add("--workflow-store", metavar="DIR", help="folder of workflow archives; default: the models'")
    add("--models", nargs="+", metavar="[NAME=]ARCHIVE", help="archives served at once, or all")
    add("--log-config", metavar="FILE", help="ignored: there is no log4j")
    add("--cpp-log-config", metavar="FILE", help="ignored: there is no C++ backend")
    add("--foreground", action="store_true", help="stay until the server has ended")
    add("--no-config-snapshots", "--ncs", action="store_true", help="write and read no snapshots")
    add("--plugins-path", "--ppath", metavar="DIR", help="ignored: Java plugins cannot be loaded")
    add("--disable-token-auth", "--dt", action="store_true", help="ask for no tokens")
    add("--enable-model-api", action="store_true", help="let models be registered and removed")


def settings_from_flags(
    options: argparse.Namespace, environment: Mapping[str, str]
) -> ServerSettings:
    """Lay the environment over the flags over a file, or over the last snapshot.

    Raises:
        InvalidSettings: when a file or folder is missing, or a value is wrong.
    """
    logs = environment.get("LOG_LOCATION", "logs")
    values = _values(options, environment, Path(logs))
    if "compat" not in values and "SERVING_COMPAT" in environment:
        values["compat"] = environment["SERVING_COMPAT"]
    settings = settings_from_properties(values)
    if not values.get("model_store"):
        raise InvalidSettings("Missing mandatory parameter --model-store")
    for flag, folder in (
        ("--model-store", settings.models_dir),
        ("--workflow-store", settings.workflows_dir),
    ):
        if folder and not Path(folder).is_dir():
            msg = f"{flag} directory not found: {folder}"
            raise InvalidSettings(msg)
    return msgspec.structs.replace(
        settings,
        log_dir=logs,
        metrics_dir=environment.get("METRICS_LOCATION", "logs"),
        snapshots=not options.no_config_snapshots,
    )


def _values(
    options: argparse.Namespace, environment: Mapping[str, str], logs: Path
) -> dict[str, str]:
    """The keys of config.properties, as they hold for this start."""
    said = _said(options)
    path = environment.get("TS_CONFIG_FILE", options.ts_config)
    if path is not None:
        if not Path(path).is_file():
            msg = f"--ts-config file not found: {path}"
            raise InvalidSettings(msg)
        return read_properties(Path(path), environment, said)
    last = None if options.no_config_snapshots else latest_snapshot(logs)
    if last is not None:
        return read_properties(last, environment, said)
    usual = Path("config.properties")
    if usual.is_file():
        return read_properties(usual, environment, said)
    return lay_over({}, environment, said)


def _said(options: argparse.Namespace) -> dict[str, str]:
    said: dict[str, str] = {}
    for key, text in (
        ("model_store", options.model_store),
        ("workflow_store", options.workflow_store),
        ("load_models", ",".join(options.models) if options.models else None),
        ("disable_token_authorization", "true" if options.disable_token_auth else None),
        ("enable_model_api", "true" if options.enable_model_api else None),
    ):
        if text is not None:
            said[key] = text
    return said


def build_parser() -> argparse.ArgumentParser:
    """The parser with all flags."""
    parser = Parser(
        prog="serving torchserve",
        description="TorchServe's command: starts a server that goes on by itself, and stops it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("-v", "--version", action="store_true", help="say the version")
    what.add_argument("--start", action="store_true", help="start the server")
    what.add_argument("--stop", action="store_true", help="stop the server")
    add_torchserve_flags(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until stopped, in this process; 1 with one sentence when it cannot serve."""
    options = build_parser().parse_args(arguments)
    logging.basicConfig(
        level=logging.INFO,
        stream=sys.stdout,
        format="%(asctime)s [%(levelname)-5s] %(name)s - %(message)s",
    )
    try:
        settings = settings_from_flags(options, os.environ)
        _write_logs(settings)
        if settings.compat == "torchserve":
            logging.getLogger("serving.workers.pool").addFilter(ReferenceWords())
        warn_of_ignored(options)
        serve_until_stopped(settings, _announce)
    except ServingError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    return 0


def warn_of_ignored(options: argparse.Namespace) -> None:
    """Name the flags that change nothing."""
    for flag, sentence in _IGNORED.items():
        if getattr(options, flag):
            _log.warning("%s", sentence)


def _announce(ports: Ports) -> None:
    announce(ports)
    # Clients of the reference wait for these words.
    _log.info("Model server started.")


def _write_logs(settings: ServerSettings) -> None:
    """Write the reference's files; a folder that takes none is told."""
    for name, (logger_name, folder) in _FILES.items():
        path = Path(getattr(settings, folder)) / f"{name}.log"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handler = RotatingFileHandler(
                path, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8"
            )
        except OSError as error:
            _log.warning("cannot write %s: %s", path, error.strerror)
            continue
        is_metrics = folder == "metrics_dir"
        text = "%(asctime)s - %(message)s"
        handler.setFormatter(logging.Formatter(text))
        logger = logging.getLogger(logger_name)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        # The files of numbers and requests alone hold them: they are no news.
        logger.propagate = not is_metrics and name != "access_log"


def _pid_file(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("TEMP") or tempfile.gettempdir()) / ".model_server.pid"


def _running(pid_file: Path) -> psutil.Process | None:
    """The server whose number is in the file; a file that lies is removed."""
    try:
        process = psutil.Process(int(pid_file.read_text()))
        if _MARK in process.cmdline():
            return process
    except FileNotFoundError:
        return None
    except (OSError, ValueError, psutil.Error):
        pass
    sys.stdout.write("Removing orphan pid file.\n")
    pid_file.unlink(missing_ok=True)
    return None


def _stop(running: psutil.Process | None, pid_file: Path, *, wait: bool) -> int:
    if running is None:
        sys.stdout.write("TorchServe is not currently running.\n")
        return 0
    with contextlib.suppress(psutil.NoSuchProcess):
        running.send_signal(signal.SIGTERM)
        if wait:
            try:
                running.wait(timeout=_STOP_S)
            except psutil.TimeoutExpired:
                sys.stdout.write("Stopping TorchServe took too long.\n")
                return 1
    pid_file.unlink(missing_ok=True)
    if not wait:
        sys.stdout.write("TorchServe has stopped.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
