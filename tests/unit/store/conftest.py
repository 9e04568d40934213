import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support_s3 import ObjectServer, object_server
from tests.support_stores import Shelf


@pytest.fixture(scope="session")
def objects() -> Iterator[ObjectServer]:
    with object_server() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture(params=["folder", "bucket"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    if request.param == "folder":
        return Shelf(tmp_path)
    server: ObjectServer = request.getfixturevalue("objects")
    return Shelf(server.place(f"{secrets.token_hex(4)}/"))
