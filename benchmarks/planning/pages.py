"""Tables in a page of the documentation, between marks that readers do not see."""

import re
from pathlib import Path

__all__ = ("put_into",)


def put_into(page: Path, name: str, text: str) -> None:
    """Replace what stands between `<!-- name -->` and `<!-- /name -->`.

    Raises:
        ValueError: when the page has no such marks, or has them twice.
    """
    before = page.read_text(encoding="utf-8")
    place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    after, number = place.subn(lambda found: f"{found[1]}\n{text.strip()}\n\n{found[2]}", before)
    if number != 1:
        msg = f"{page} has {number} places called {name}, not one"
        raise ValueError(msg)
    page.write_text(after, encoding="utf-8")
