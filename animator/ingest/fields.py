"""Files that people write, to typed values: limits first, and every bad field by its name."""

import re
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import yaml

from animator.core.errors import AnimatorError

__all__ = (
    "MAX_BYTES",
    "Finite",
    "convert_fields",
    "find_file",
    "parse_toml",
    "parse_yaml",
    "read_limited",
)

MAX_BYTES = 64 * 1024
"""Of a file of settings; those of AnimatedDrawings have up to 5,000."""

MAX_NODES = 5_000
"""Of a YAML file once its aliases are written out: a few lines can stand for billions."""

MAX_DEPTH = 30

Finite = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
"""A number; `convert_fields` lets no "not a number" through."""

Value = TypeVar("Value")

_KINDS = {
    "object": "fields with names",
    "array": "a list",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}
"""What people call the kinds of values that msgspec names."""


class _Loader(yaml.SafeLoader):
    """Plain values only; a `!!python/tuple`, of which AnimatedDrawings' files are full, is a list.

    Keys `<<` are ordinary: merging mappings into one another multiplies them.
    """


def _sequence(loader: _Loader, node: yaml.Node) -> list[Any]:
    if not isinstance(node, yaml.SequenceNode):
        msg = "a tuple must be a list"
        raise yaml.constructor.ConstructorError(None, None, msg, node.start_mark)
    return loader.construct_sequence(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:python/tuple", _sequence)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if not tag.endswith((":merge", ":timestamp"))]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_limited(file: Path, error: type[AnimatorError]) -> bytes:
    """Bytes of a file of settings.

    Raises:
        error: when there is no such file, or it is larger than `MAX_BYTES`.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as problem:  # ValueError: a NUL in its name
        reason = getattr(problem, "strerror", None) or str(problem)
        msg = f"{file} cannot be read: {reason}."
        raise error(msg) from problem
    if len(data) > MAX_BYTES:
        msg = f"{file} has more than {MAX_BYTES} bytes; that is no file of settings."
        raise error(msg)
    return data


def find_file(name: str, beside: Path, field: str, error: type[AnimatorError]) -> Path:
    """The file that a field of a file names.

    It is looked for as AnimatedDrawings does, from the working directory and from its own folder:
    from the folder of the file that names it, and the folders above.

    field: file and path of the field, for messages.

    Raises:
        error: when there is none.
    """
    try:
        folders = (Path(), *beside.resolve().parents)
        for folder in folders:
            if (folder / name).exists():
                return folder / name
    except (OSError, ValueError):  # a name that no file can have: too long, or with a NUL
        pass
    msg = f"{field}: there is no file {name[:200]!r}, from here or from {beside.parent}."
    raise error(msg)


def parse_yaml(data: bytes, where: str, error: type[AnimatorError]) -> Any:
    """YAML as mappings with keys that are texts, lists and plain values.

    where: name of the file, for messages.

    Raises:
        error: when it is no YAML, or asks for more than plain values.
    """
    loader = None
    try:
        loader = _Loader(data)
        node = loader.get_single_node()
        if node is None:
            return None
        _weigh(node, {}, 0)
        return loader.construct_document(node)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError, TypeError) as problem:
        # Numbers and dates that are none (`0x`, `!!int x`) raise whatever Python says of them.
        msg = f"{where} is no YAML of plain values: {_in_a_line(problem)}."
        raise error(msg) from problem
    finally:
        if loader is not None:
            loader.dispose()


def parse_toml(data: bytes, where: str, error: type[AnimatorError]) -> Any:
    """TOML as plain values.

    Raises:
        error: when it is none.
    """
    try:
        return msgspec.toml.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as problem:
        msg = f"{where} is no TOML: {_in_a_line(problem)}."
        raise error(msg) from problem


def convert_fields(
    value: Any, kind: type[Value], where: str, error: type[AnimatorError], below: str = ""
) -> Value:
    """Plain values as a struct, a list or a number.

    where: name of the file, for messages.
    below: path of the field that the value stands in, for messages.

    Raises:
        error: with the path of the field that is missing, unknown or wrong.
    """
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError, OverflowError) as problem:
        raise error(f"{where}: {_explain(_in_a_line(problem), below)}.") from problem


def _explain(text: str, below: str) -> str:
    """What msgspec says of a value, with the path of the field in front, in words for people."""
    found = re.fullmatch(r"(.*?)(?: - at (?:`key` in )?`(?:key in )?\$\.?(.*)`)?", text)
    said, path = (found[1], found[2] or "") if found else (text, "")
    field = re.fullmatch(r"Object (missing required|contains unknown) field `(.*)`", said)
    if field:
        said = "is missing" if field[1].startswith("missing") else "there is no such field"
    else:
        said = re.sub(r"`([\w |]+)`", lambda words: _name_kinds(words[1]), said)
        said = said.replace("Invalid enum value", "there is no choice")
        said = f"{said[:1].lower()}{said[1:]}"
    parts = ".".join(part for part in (below, path, field[2] if field else "") if part)
    return ": ".join(part for part in (parts.replace(".[", "["), said) if part)


def _name_kinds(words: str) -> str:
    return " or ".join(_KINDS.get(word, f"`{word}`") for word in words.split(" | "))


def _in_a_line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:300].rstrip(". ")


def _weigh(node: yaml.Node, known: dict[int, int], depth: int) -> int:
    """Number of nodes below and with this one, aliases written out.

    Raises:
        ValueError: when there are too many, or too deep ones, or one that holds itself.
    """
    place = id(node)
    if place in known:
        weight = known[place]
    else:
        if depth > MAX_DEPTH:
            msg = f"it is nested more than {MAX_DEPTH} deep"
            raise ValueError(msg)
        known[place] = MAX_NODES  # until it is weighed: a node that holds itself is too heavy
        weight = 1 + sum(_weigh(child, known, depth + 1) for child in _children(node))
        known[place] = weight
    if weight > MAX_NODES:
        msg = f"it holds more than {MAX_NODES} values"
        raise ValueError(msg)
    return weight


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
