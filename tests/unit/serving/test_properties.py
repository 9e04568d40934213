import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.properties import format_properties, parse_properties


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1", {"a": "1"}),
        ("a = 1 ", {"a": "1 "}),
        ("a:1", {"a": "1"}),
        ("a 1 2", {"a": "1 2"}),
        ("a", {"a": ""}),
        ("  # no\n! no\n\na=1\r\nb=2", {"a": "1", "b": "2"}),
        ("a=1\na=2", {"a": "2"}),
        ("a=1,\\\n   2", {"a": "1,2"}),
        ("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        ("url=http\\://h\\:80/\\u00e4\\t!", {"url": "http://h:80/ä\t!"}),
        ("a=\\ud83d\\ude00", {"a": "😀"}),
        ("url=http://h:80", {"url": "http://h:80"}),
        ("a\\ b=1", {"a b": "1"}),
        ("a=1\\", {"a": "1"}),
    ],
)
def test_file_reads_as_in_java(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected


def test_values_are_written_as_java_writes_them() -> None:
    written = format_properties({"b": ' {"x": 1}\n', "a b": "c:\\d"})
    assert written == 'a\\ b=c\\:\\\\d\nb=\\ {"x"\\: 1}\\n\n'


_TEXT = st.text(st.characters(codec="utf-8"))


@given(st.dictionaries(_TEXT.filter(bool), _TEXT))
def test_what_is_written_reads_the_same(values: dict[str, str]) -> None:
    assert parse_properties(format_properties(values)) == values


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(parse_properties(text), dict)
