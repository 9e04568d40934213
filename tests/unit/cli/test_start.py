"""What a command loads before it works: of a short clip that is most of the time."""

import subprocess
import sys
from pathlib import Path

import pytest

from animator.compat import FOLDER
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

COMMAND = "from animator.__main__ import main; assert main({words!r}) == 0"
SCRIPT = f"import sys; sys.path.insert(0, {FOLDER!r}); import animated_drawings.render as render; "


@pytest.mark.parametrize(
    "code",
    [
        COMMAND.format(words=["render", "scene.yaml", "-o", "video.gif"]),
        SCRIPT + "render.start('scene.yaml')",
        COMMAND.format(words=["animate", "bob", "--motion", "wave", "-o", "video.gif"]),
    ],
    ids=["render", "script", "animate"],
)
def test_character_becomes_a_gif_without_models_films_and_servers(
    tmp_path: Path, code: str
) -> None:
    write_files(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    loaded = set(done.stdout.split())
    assert (tmp_path / "video.gif").is_file()
    assert "scipy.sparse.linalg" in loaded
    assert sorted(NEEDLESS & loaded) == []
