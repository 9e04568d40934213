"""Tables that a benchmark puts into a page."""

from pathlib import Path

import pytest

from benchmarks.planning.pages import put_into

PAGE = "# Page\n\n<!-- one -->\nold\n<!-- /one -->\n\nText.\n"


def test_table_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    for _ in range(2):
        put_into(page, "one", r"| a\1 |" + "\n")
    assert page.read_text() == PAGE.replace("old\n", "\n" + r"| a\1 |" + "\n\n")


def test_page_without_the_mark_is_refused_and_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    with pytest.raises(ValueError, match="0 places called two"):
        put_into(page, "two", "text")
    assert page.read_text() == PAGE
