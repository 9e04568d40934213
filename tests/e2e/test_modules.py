"""The page's pure modules, by node's own runner; its types, by the TypeScript compiler."""

import subprocess

import pytest

from tests.support_web import WEB, node

__all__ = ("node",)

TSC = WEB / "node_modules" / "typescript" / "bin" / "tsc"


def test_pure_modules_pass_their_own_tests(node: str) -> None:
    files = [str(file) for file in (WEB / "tests").glob("*.test.js")]
    assert files
    done = subprocess.run([node, "--test", *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_agree(node: str) -> None:
    if not TSC.is_file():
        pytest.skip("the TypeScript compiler is not installed: run `npm ci` in web/")
    command = [node, str(TSC), "--project", str(WEB / "jsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
