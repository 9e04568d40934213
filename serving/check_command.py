"""The command `check`: whether archives and settings are good, and what would happen with them."""

import argparse
import asyncio
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from serving.archive.archive import open_archive
from serving.archive.check import describe_archive
from serving.archive.stored import StoredModel
from serving.config_properties import read_properties, settings_from_properties
from serving.engine import Engine
from serving.errors import ServingError
from serving.observe.metrics import ServerMetrics
from serving.settings import ServerSettings, read_settings
from serving.workflow.ensemble import ENSEMBLE_FILE, read_ensemble
from serving.workflow.war import open_workflow

__all__ = ("add_check_command",)

_EPILOG = """\
examples:
  serving check store/*.mar models/echo
  serving check --load store/cat.mar              is it loaded, and how long does that take?
  serving check --ts-config config.properties     the settings, and every archive of its store

The exit code is 0 when all is good, else 1.
"""
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def add_check_command(commands: Any) -> None:
    """Add the command to a parser's; it sets `run`, which is given what was parsed."""
    parser = commands.add_parser(
        "check",
        help="say whether models and settings are good, and what would happen",
        description="Says whether models and settings are good, and what would happen with them. "
        "Nothing of them is run without --load.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("paths", nargs="*", type=Path, metavar="PATH", help="archives, folders, workflows (.war)")
    add("--config", type=Path, metavar="FILE", help="settings in TOML, table [serving]")
    add("--ts-config", type=Path, metavar="FILE", help="config.properties of TorchServe")
    add("--load", action="store_true", help="load each model in a worker, too: runs its code")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    """Check what was named; 1 when something is not good."""
    settings = _settings(options)
    if not options.paths and settings is None:
        sys.stderr.write("serving: name an archive, or a file of settings\n")
        return 1
    if settings is not None:
        for sentence in _describe_settings(settings):
            print(sentence)
    paths: Sequence[Path] = options.paths or _archives_of(settings)
    checked = [_check(path, settings or ServerSettings(), options.load) for path in paths]
    return 0 if all(checked) else 1


def _settings(options: argparse.Namespace) -> ServerSettings | None:
    """Read the settings; what is ignored in them is said by a warning each."""
    # A check is for being told.
    logging.getLogger("serving").setLevel(logging.WARNING)
    if options.ts_config is not None:
        return settings_from_properties(read_properties(options.ts_config, os.environ, {}))
    return None if options.config is None else read_settings(options.config, os.environ)


def _describe_settings(settings: ServerSettings) -> Iterator[str]:
    yield "the settings are good; beside the defaults:"
    defaults = ServerSettings()
    for name in settings.__struct_fields__:
        value = getattr(settings, name)
        if value != getattr(defaults, name) and name not in {"properties", "keystore_pass"}:
            yield f"  {name} = {value!r}"
    for name in ("inference_address", "management_address"):
        host = urlsplit(getattr(settings, name)).hostname or settings.host
        if host not in _LOOPBACK:
            yield f"  models are code, and others can reach them at {host} ({name})"
    if settings.watch.enabled:
        place = settings.watch.source or settings.models_dir
        yield f"  models are code, and who can write to {place} may run any (watch)"


def _archives_of(settings: ServerSettings | None) -> Sequence[Path]:
    """The archives of the store: what is there, whether loaded at the start or later."""
    if settings is None or not Path(settings.models_dir).is_dir():
        return ()
    entries = sorted(Path(settings.models_dir).iterdir())
    return [path for path in entries if not path.name.startswith(".")]


def _check(path: Path, settings: ServerSettings, is_loading: bool) -> bool:
    with tempfile.TemporaryDirectory() as work:
        try:
            for sentence in _describe(path, settings, Path(work), is_loading):
                print(f"{path}: {sentence}")
        except ServingError as error:
            sys.stderr.write(f"{path}: {error}\n")
            return False
    return True


def _describe(path: Path, settings: ServerSettings, work: Path, is_loading: bool) -> Iterator[str]:
    if path.suffix == ".war":
        workflow = open_workflow(path, work, path.name)
        yield f"the workflow {workflow.name} of {', '.join(workflow.spec.nodes)}"
        return
    if (path / ENSEMBLE_FILE).is_file():
        ensemble = read_ensemble(path)
        asked = [step.model or step.function for step in ensemble.steps]
        yield f"the ensemble {ensemble.name} of {', '.join(asked)}"
        return
    stored = open_archive(path, work)
    yield from describe_archive(stored)
    if is_loading:
        yield f"loaded in {asyncio.run(_load(stored, settings)):.1f} s"


async def _load(stored: StoredModel, settings: ServerSettings) -> float:
    """Load a model in one worker, as the server would, and let it go; the seconds that took."""
    engine = Engine(settings, ServerMetrics())
    started = time.monotonic()
    try:
        await engine.register(stored)
        return time.monotonic() - started
    finally:
        await engine.stop(0)
