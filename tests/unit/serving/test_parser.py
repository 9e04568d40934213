"""What is said of a wrong command line: one sentence, the nearest right word, and exit code 2."""

from collections.abc import Sequence

import pytest

from serving.console.parser import Parser


def said_of(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    parser = Parser(prog="zoo")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    feed = commands.add_parser("feed", help="give food")
    feed.add_argument("animal")
    feed.add_argument("--portions", type=int)
    feed.add_argument("--food", choices=("hay", "fish"))
    commands.add_parser("wash", help="with water")
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(arguments)
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["feed"], "zoo feed: the following arguments are required: animal"),
        (["feed", "cat", "--portion=2", "--portions", "x"], "invalid int value: 'x'"),
        (["feed", "cat", "--potrions", "2"], "arguments: --potrions 2; is it --portions?"),
        (["feed", "cat", "dog"], "zoo feed: unrecognized arguments: dog (see `zoo feed --help`)"),
        (["feed", "cat", "--food", "fsh"], "is it fish?"),
        (["fed", "cat"], "is it feed?"),
    ],
)
def test_wrong_use_is_told_in_one_line(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = said_of(arguments, capsys)
    assert sentence in said
    assert said.count("\n") == 1


def test_without_a_command_all_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    said = said_of([], capsys)
    assert "give food" in said
    assert "with water" in said
