"""The page is whole by itself."""

from tests.support_web import WEB


def test_page_names_no_other_host() -> None:
    allowed = ("http://www.w3.org/2000/svg",)
    for file in WEB.rglob("*"):
        if file.suffix not in {".html", ".js", ".css", ".svg"} or "node_modules" in file.parts:
            continue
        text = file.read_text(encoding="utf-8")
        for name in allowed:
            text = text.replace(name, "")
        assert "http://" not in text, file
        assert "https://" not in text, file
