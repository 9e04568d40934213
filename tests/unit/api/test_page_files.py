"""Files of the page: text is packed for those who can unpack it."""

import gzip
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.support_api import MemoryServices, app_over

SCRIPT = "export const words = 1;\n" * 50


@pytest.fixture
def page(tmp_path: Path) -> TestClient[Litestar]:
    (tmp_path / "index.html").write_text("<title>shell</title>")
    (tmp_path / "app.js").write_text(SCRIPT)
    (tmp_path / "icon.png").write_bytes(b"\x89PNG" * 50)
    return TestClient(app_over(MemoryServices(web_folder=tmp_path).as_services()))


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "deflate, gzip, br"])
def test_text_is_packed_for_those_who_can_unpack_it(
    page: TestClient[Litestar], accepted: str
) -> None:
    answer = page.get("/app.js", headers={"Accept-Encoding": accepted})
    assert answer.text == SCRIPT
    assert answer.headers["Content-Encoding"] == "gzip"
    assert int(answer.headers["Content-Length"]) == len(gzip.compress(SCRIPT.encode(), mtime=0))
    assert answer.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize(("path", "accepted"), [("/app.js", "identity"), ("/icon.png", "gzip")])
def test_other_files_go_as_they_are(page: TestClient[Litestar], path: str, accepted: str) -> None:
    answer = page.get(path, headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"


def test_packed_and_plain_bytes_have_tags_of_their_own(page: TestClient[Litestar]) -> None:
    packed, plain = (
        page.get("/app.js", headers={"Accept-Encoding": accepted}).headers["ETag"]
        for accepted in ("gzip", "identity")
    )
    assert packed != plain
    headers = {"Accept-Encoding": "gzip", "If-None-Match": packed}
    assert page.get("/app.js", headers=headers).status_code == 304
    headers = {"Accept-Encoding": "identity", "If-None-Match": packed}
    assert page.get("/app.js", headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/shared/abc", "/privacy", "/drawings/abc/edit/joints"])
def test_routes_of_the_page_get_its_shell(page: TestClient[Litestar], path: str) -> None:
    answer = page.get(path)
    assert (answer.status_code, answer.text) == (200, "<title>shell</title>")
