import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the importers need the extra `torch`")

import torch

from models.importers import reading
from models.importers.errors import CannotImport, UnsafeFile
from models.importers.reading import read_checkpoint
from tests.support_checkpoints import write_mar, write_pickle

WEIGHTS = {"a.weight": torch.tensor([1.0, 2.0])}


class Evil:
    """Unpickling it would make a file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.file,)


@pytest.mark.parametrize(
    "wrap", [dict, lambda s: {"model": s}, lambda s: {"state_dict": s, "x": 1}]
)
def test_state_is_found_in_whatever_libraries_wrap_around_it(
    tmp_path: Path, wrap: Callable[[object], object]
) -> None:
    torch.save(wrap({f"module.{k}": v for k, v in WEIGHTS.items()}), tmp_path / "a.pth")
    assert read_checkpoint(tmp_path / "a.pth").state["a.weight"].tolist() == [1, 2]


def test_files_of_old_torch_are_read(tmp_path: Path) -> None:
    torch.save(WEIGHTS, tmp_path / "a.pth", _use_new_zipfile_serialization=False)
    assert read_checkpoint(tmp_path / "a.pth").state.keys() == WEIGHTS.keys()


@pytest.mark.parametrize("protocol", [2, 4])
def test_pickled_arrays_are_read(tmp_path: Path, protocol: int) -> None:
    arrays = {"model": {"a.weight": np.array([1.0, 2.0], np.float32)}, "score": np.float64(0.5)}
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(arrays, protocol))
    assert read_checkpoint(tmp_path / "a.pkl").state["a.weight"].tolist() == [1, 2]


def test_numbers_beside_the_weights_do_no_harm(tmp_path: Path) -> None:
    torch.save({"meta": {"best": np.float64(0.7)}, "state_dict": WEIGHTS}, tmp_path / "a.pth")
    assert read_checkpoint(tmp_path / "a.pth").state.keys() == WEIGHTS.keys()


def test_configuration_in_a_checkpoint_is_kept(tmp_path: Path) -> None:
    torch.save({"meta": {"config": "a = 1"}, "state_dict": WEIGHTS}, tmp_path / "a.pth")
    assert read_checkpoint(tmp_path / "a.pth").config == "a = 1"


def test_mar_is_read_without_being_unpacked(tmp_path: Path) -> None:
    members = {"../../config.py": "b = 2", "/etc/evil": "no"}
    (tmp_path / "in").mkdir()
    file = write_mar(tmp_path / "in" / "a.mar", WEIGHTS, members)
    checkpoint = read_checkpoint(file)
    assert checkpoint.state.keys() == WEIGHTS.keys()
    assert checkpoint.config == "b = 2"
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["a.mar"]


@pytest.mark.parametrize("save", ["pickle", "torch", "old torch", "mar"])
def test_nothing_in_a_file_is_run(tmp_path: Path, save: str) -> None:
    mark, file = tmp_path / "mark", tmp_path / "a.bin"
    content = {"model": WEIGHTS, "more": Evil(mark)}
    if save == "pickle":
        file.write_bytes(pickle.dumps(content["more"]))
    elif save == "mar":
        write_mar(file, content)
    else:
        torch.save(content, file, _use_new_zipfile_serialization=save == "torch")
    with pytest.raises(UnsafeFile, match="not run"):
        read_checkpoint(file)
    assert not mark.exists()


def test_codec_in_a_pickle_is_no_way_out(tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(b"c_codecs\nencode\n(Vabc\nVrot13\ntR.")
    with pytest.raises(UnsafeFile, match="rot13"):
        read_checkpoint(tmp_path / "a.pkl")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04nothing", b"\x80\x04N."])
def test_other_files_are_refused_with_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.pth").write_bytes(content)
    with pytest.raises(CannotImport):
        read_checkpoint(tmp_path / "a.pth")


def test_half_a_checkpoint_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    torch.save(WEIGHTS, buffer)
    (tmp_path / "a.pth").write_bytes(buffer.getvalue()[:-200])
    with pytest.raises(CannotImport):
        read_checkpoint(tmp_path / "a.pth")
    whole = write_pickle(tmp_path / "a.pkl", WEIGHTS).read_bytes()
    (tmp_path / "a.pkl").write_bytes(whole[:-20])
    with pytest.raises(CannotImport, match="neither"):
        read_checkpoint(tmp_path / "a.pkl")


@pytest.mark.parametrize("manifest", ["{", "{}", '{"model": {"serializedFile": "gone.pth"}}'])
def test_archive_without_its_weights_is_refused(tmp_path: Path, manifest: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.mar", "w") as archive:
        archive.writestr("MAR-INF/MANIFEST.json", manifest)
    with pytest.raises(CannotImport, match="archive"):
        read_checkpoint(tmp_path / "a.mar")


def test_archive_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = json.dumps({"model": {"serializedFile": "w"}})
    with zipfile.ZipFile(tmp_path / "a.mar", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("MAR-INF/MANIFEST.json", manifest)
        archive.writestr("w", bytes(2_000_000))
    monkeypatch.setattr(reading, "MAX_BYTES", 1_000_000)
    with pytest.raises(UnsafeFile, match="more than 1000000 bytes"):
        read_checkpoint(tmp_path / "a.mar")


def test_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 10)
    with pytest.raises(UnsafeFile, match="at most 10"):
        read_checkpoint(write_pickle(tmp_path / "a.pkl", WEIGHTS))
