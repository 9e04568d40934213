"""What a command loads before it works: of a short clip that is most of the time."""

import subprocess
import sys
from pathlib import Path

from tests.support_scenes import write_files

NEEDLESS = {
    "av",
    "botocore",
    "charset_normalizer",
    "httpx",
    "litestar",
    "onnxruntime",
    "redis",
    "rq",
    "scipy.fft",
    "scipy.interpolate",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.stats",
    "torch",
    "unittest",
}
"""None of them is needed by a character that moves in a GIF."""


def loaded_by(code: str, folder: Path) -> set[str]:
    """The modules that a process has at its end."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(done.stdout.split())


def test_character_becomes_a_gif_without_models_films_and_servers(tmp_path: Path) -> None:
    scene = write_files(tmp_path)
    code = f"from animator.__main__ import main; assert main(['render', {str(scene)!r}]) == 0"
    loaded = loaded_by(code, tmp_path)
    assert (tmp_path / "video.gif").is_file()
    assert "scipy.sparse.linalg" in loaded
    assert sorted(NEEDLESS & loaded) == []
