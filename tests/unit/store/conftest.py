import secrets
from pathlib import Path

import pytest

from tests.support_s3 import ObjectServer
from tests.support_stores import Shelf


@pytest.fixture(params=["folder", "bucket"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    if request.param == "folder":
        return Shelf(tmp_path)
    server: ObjectServer = request.getfixturevalue("objects")
    return Shelf(server.place(f"{secrets.token_hex(4)}/"))
