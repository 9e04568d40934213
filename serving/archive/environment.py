"""Environments: the Python packages that one model needs, apart from everybody else's."""

import logging
import shutil
import site
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from serving.archive.stored import StoredModel
from serving.errors import InvalidModel

__all__ = ("install_requirements",)

_TIMEOUT_S = 1200.0
"""Longest installation, seconds."""

_log = logging.getLogger(__name__)


def install_requirements(stored: StoredModel, file: str, work_dir: Path) -> StoredModel:
    """Install a model's requirements in an environment of its own, over the server's packages.

    Packages may run code while they are installed: this is for archives that are trusted.

    Args:
        stored: the model.
        file: its requirements, a file of its folder.
        work_dir: where the environment goes when the model has no folder of ours.

    Returns:
        The model with the interpreter of that environment.

    Raises:
        InvalidModel: when they cannot be installed; what pip says of it is in the log.
    """
    own = stored.work_dir
    if own is None:
        work_dir.mkdir(parents=True, exist_ok=True)
        own = Path(tempfile.mkdtemp(prefix="model-", dir=work_dir))
    environment = own / "venv"
    python = environment / "bin" / "python"
    try:
        venv.create(environment, symlinks=True)
        _inherit(environment)
        _pip(stored, python, ["install", "--upgrade-strategy", "only-if-needed", "-r", file])
    except BaseException:
        shutil.rmtree(own if stored.work_dir is None else environment, ignore_errors=True)
        raise
    return replace(stored, work_dir=own, python=python)


def _inherit(environment: Path) -> None:
    """Let the environment see the server's packages, those that are linked in among them."""
    (packages,) = environment.glob("lib/python*/site-packages")
    lines = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
    (packages / "server.pth").write_text("\n".join(lines) + "\n")


def _pip(stored: StoredModel, python: Path, arguments: Sequence[str]) -> None:
    name = stored.manifest.name
    command = [sys.executable, "-m", "pip", "--python", str(python), "--no-input", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=stored.folder,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        msg = f"the requirements of {name} were not installed within {_TIMEOUT_S:.0f} s"
        raise InvalidModel(msg) from error
    if done.returncode:
        _log.error("pip could not install the requirements of %s:\n%s", name, done.stderr)
        reasons = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        msg = f"the requirements of {name} cannot be installed: {(reasons or ['see the log'])[-1]}"
        raise InvalidModel(msg)
