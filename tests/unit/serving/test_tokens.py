import json
import stat
from pathlib import Path
from typing import Literal

import pytest

from serving.errors import Unauthorized
from serving.settings import ServerSettings
from serving.tokens import CannotWriteKeys, TokenKind, Tokens

NOW = 1_800_000_000.0


class Clock:
    """Says what it was told to."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def start(path: Path, who: Literal["off", "management", "all"] = "all") -> tuple[Tokens, Clock]:
    clock = Clock()
    settings = ServerSettings(
        key_file=str(path), token_authorization=who, token_expiration_min=0.25
    )
    tokens = Tokens(settings, clock)
    tokens.start()
    return tokens, clock


def keys(path: Path) -> dict[str, str]:
    return {kind: found["key"] for kind, found in json.loads(path.read_text()).items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "key_file.json"


def test_file_is_torchserves_and_its_owners(path: Path) -> None:
    start(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = json.loads(path.read_text())
    assert found["management"]["expiration time"] == "2027-01-15T08:00:15Z"
    assert set(found) == {"management", "inference", "API"}
    assert len({*keys(path).values()}) == 3
    assert all(len(key) == 32 for key in keys(path).values())
    assert [entry.name for entry in path.parent.iterdir()] == ["key_file.json"]


@pytest.mark.parametrize("kind", ["inference", "management"])
def test_key_opens_its_own_door(path: Path, kind: TokenKind) -> None:
    tokens, _ = start(path)
    tokens.check(kind, f"Bearer {keys(path)[kind]}")
    for header in (
        None,
        "",
        "Bearer",
        "Bearer x",
        f"Basic {keys(path)[kind]}",
        keys(path)[kind],
        f"Bearer {keys(path)['API']}",
        "Bearer ä",
    ):
        with pytest.raises(Unauthorized, match="Token Authorization failed"):
            tokens.check(kind, header)


def test_key_grows_old(path: Path) -> None:
    tokens, clock = start(path)
    header = f"Bearer {keys(path)['inference']}"
    clock.now = NOW + 14.9
    tokens.check("inference", header)
    clock.now = NOW + 15
    with pytest.raises(Unauthorized):
        tokens.check("inference", header)


def test_new_key_ends_the_old_one(path: Path) -> None:
    tokens, clock = start(path)
    before = keys(path)
    clock.now = NOW + 100
    key = tokens.renew("inference", f"Bearer {before['API']}")
    assert keys(path) == {**before, "inference": key}
    tokens.check("inference", f"Bearer {key}")
    with pytest.raises(Unauthorized):
        tokens.check("inference", f"Bearer {before['inference']}")
    with pytest.raises(Unauthorized):
        tokens.renew("inference", f"Bearer {key}")


def test_inference_is_open_where_only_management_is_asked(path: Path) -> None:
    tokens, _ = start(path, "management")
    tokens.check("inference", None)
    with pytest.raises(Unauthorized):
        tokens.check("management", None)


def test_nothing_is_asked_or_written_where_tokens_are_off(path: Path) -> None:
    tokens, _ = start(path, "off")
    tokens.check("management", None)
    assert not tokens.can_be_renewed
    assert not path.exists()


def test_file_goes_with_the_server(path: Path) -> None:
    tokens, _ = start(path)
    tokens.stop()
    assert not path.exists()


def test_file_of_the_next_server_stays(path: Path) -> None:
    first, _ = start(path)
    start(path)
    first.stop()
    assert path.exists()
    path.unlink()
    first.stop()


def test_file_that_cannot_be_written_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotWriteKeys, match="set key_file"):
        start(tmp_path / "file" / "keys")
