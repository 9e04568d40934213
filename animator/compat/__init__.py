"""Names under which programs written for other software find us; never on the path by itself.

`PYTHONPATH` with `FOLDER` in it lets scripts that `import animated_drawings` run as they are,
without that project installed; where it is installed, and this folder not on the path, nothing
clashes.
"""

from pathlib import Path

__all__ = ("FOLDER",)

FOLDER = str(Path(__file__).parent)
