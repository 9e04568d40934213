import pytest

from animator.core.animation import FORMATS, AnimationFormat, format_of
from animator.render import EXPORTERS, WRITERS


def test_every_format_is_in_the_table_and_can_be_written() -> None:
    assert set(FORMATS) == set(AnimationFormat) == set(WRITERS) | set(EXPORTERS)
    assert not set(WRITERS) & set(EXPORTERS)


def test_no_two_formats_share_a_suffix() -> None:
    assert len({facts.suffix for facts in FORMATS.values()}) == len(FORMATS)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wave.gif", AnimationFormat.GIF),
        ("films/My.Wave.MP4", AnimationFormat.MP4),
        ("wave.webm", AnimationFormat.WEBM),
        ("wave.png", AnimationFormat.PNG),
        ("wave.apng", AnimationFormat.APNG),
        ("wave.sheet.zip", AnimationFormat.SHEET),
        ("wave.zip", None),
        ("wave.avi", None),
        ("gif", None),
        ("", None),
    ],
)
def test_name_says_the_format(name: str, expected: AnimationFormat | None) -> None:
    assert format_of(name) is expected
