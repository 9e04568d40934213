"""Files of settings from strangers: limits, and bad fields by their names."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.core.errors import InvalidScene
from animator.ingest.fields import (
    MAX_BYTES,
    MAX_NODES,
    Finite,
    convert_fields,
    find_file,
    parse_toml,
    parse_yaml,
    read_limited,
)


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    number: Finite
    names: tuple[str, str] = ("a", "b")


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    inner: tuple[Inner, ...]
    flag: bool = False


def yaml_of(text: str | bytes) -> object:
    data = text if isinstance(text, bytes) else text.encode()
    return parse_yaml(data, "scene.yaml", InvalidScene)


def test_tuples_of_python_are_lists() -> None:
    assert yaml_of("a: !!python/tuple\n- b\n- c\n") == {"a": ["b", "c"]}


def test_dates_and_merges_are_plain_texts() -> None:
    assert yaml_of("a: 2023-02-30\n<<: {b: 1}") == {"a": "2023-02-30", "<<": {"b": 1}}


def test_shared_lists_are_read() -> None:
    assert yaml_of("a: &x [1, 2]\nb: *x") == {"a": [1, 2], "b": [1, 2]}


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.getcwd []",
        "a: !!python/name:os.system",
        "&a [*a]",
        "\n".join(f"k{i}: &k{i} [{', '.join([f'*k{i - 1}' if i else 'x'] * 9)}]" for i in range(9)),
        "[" * 500,
        "[" * 40 + "]" * 40,
        "- " * 1500,
        "a: !!int x",
        "a: !!timestamp 2023-02-30",
        "a: !!python/tuple b",
        "? [a]\n: b",
        "--- 1\n--- 2",
        "a: b: c",
        "\x00",
        b"\xff\xfe\x00",
        b"\x80abc",
    ],
    ids=[
        *("object", "name", "itself", "bomb", "deep", "depth", "list", "int", "date", "tuple"),
        *("key", "two", "syntax", "nul", "utf16", "bytes"),
    ],
)
def test_what_is_no_plain_yaml_is_refused_with_the_file(text: str | bytes) -> None:
    with pytest.raises(InvalidScene, match=r"^scene\.yaml is no YAML of plain values: ."):
        yaml_of(text)


def test_as_many_values_as_allowed_are_read_and_one_more_is_not() -> None:
    few = "[" + ",".join(["0"] * (MAX_NODES - 1)) + "]"
    assert yaml_of(few) == [0] * (MAX_NODES - 1)
    with pytest.raises(InvalidScene, match="more than 5000 values"):
        yaml_of(few[:-1] + ",0]")


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for parse in (parse_yaml, parse_toml):
        try:
            parse(data, "scene", InvalidScene)
        except InvalidScene as error:
            assert error.message.startswith("scene ")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "f: expected fields with names, got nothing."),
        ("x", "f: expected fields with names, got a text."),
        ({}, "f: inner: is missing."),
        ({"inner": [], "fla": 1}, "f: fla: there is no such field."),
        ({"inner": [], "flag": 1}, "f: flag: expected true or false, got a whole number."),
        ({"inner": [{"number": 1}, {}]}, "f: inner[1].number: is missing."),
        ({"inner": [{"number": "x"}]}, "f: inner[0].number: expected a number, got a text."),
        (
            {"inner": [{"number": float("inf")}]},
            "f: inner[0].number: expected a number <= 1000000.0.",
        ),
        (
            {"inner": [{"number": float("nan")}]},
            "f: inner[0].number: expected a number >= -1000000.0.",
        ),
        (
            {"inner": [{"number": 1, "names": ["a"]}]},
            "f: inner[0].names: expected a list of length 2, got 1.",
        ),
        ({"inner": [{"number": 10**5000}]}, "f: inner[0].number: number out of range."),
    ],
)
def test_bad_field_is_named(value: object, said: str) -> None:
    with pytest.raises(InvalidScene) as caught:
        convert_fields(value, Outer, "f", InvalidScene)
    assert caught.value.message == said


def test_field_above_is_named_too() -> None:
    with pytest.raises(InvalidScene, match=r"^f: a\.b\.inner: is missing\.$"):
        convert_fields({}, Outer, "f", InvalidScene, "a.b")


def test_broken_toml_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidScene, match=r"^scene\.toml is no TOML: .*line 2"):
        parse_toml(b"a = 1\nb = ]\n", "scene.toml", InvalidScene)


def test_missing_and_huge_files_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidScene, match=r"none\.yaml cannot be read: No such file"):
        read_limited(tmp_path / "none.yaml", InvalidScene)
    (tmp_path / "huge.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(InvalidScene, match=r"huge\.yaml has more than 65536 bytes"):
        read_limited(tmp_path / "huge.yaml", InvalidScene)
    with pytest.raises(InvalidScene, match="cannot be read"):
        read_limited(Path("nul\0.yaml"), InvalidScene)


def test_file_is_found_from_here_from_its_folder_and_from_those_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = tmp_path / "examples" / "config" / "scene.yaml"
    scene.parent.mkdir(parents=True)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for place in (scene.parent / "a", tmp_path / "a", here / "a"):
        place.write_text("")
    assert find_file("a", scene, "f", InvalidScene).resolve() == here / "a"
    (here / "a").unlink()
    assert find_file("a", scene, "f", InvalidScene) == scene.parent / "a"
    (scene.parent / "a").unlink()
    assert find_file("a", scene, "f", InvalidScene) == tmp_path / "a"


@pytest.mark.parametrize("name", ["none", "x" * 5000, "a\0b"])
def test_file_that_is_nowhere_is_refused_with_the_field(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidScene, match=r"^scene: there is no file '"):
        find_file(name, tmp_path / "scene.yaml", "scene", InvalidScene)
