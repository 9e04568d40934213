from pathlib import Path

import msgspec
import pytest

pytest.importorskip("torch", reason="training needs the extra `torch`")

import torch
from torch import nn
from torch.optim import AdamW

from models.training.checkpoint import Progress, load_checkpoint, save_checkpoint
from models.training.parcel import BadParcel, pack, unpack


def trained() -> tuple[nn.Linear, AdamW]:
    torch.manual_seed(0)
    network = nn.Linear(40, 30)
    optimizer = AdamW(network.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        torch.autograd.backward(network(torch.ones(1, 40)).square().sum())
        optimizer.step()
    return network, optimizer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    network, optimizer = trained()
    average = {name: value.clone() for name, value in network.state_dict().items()}
    progress = Progress(step=3, pictures=48, seconds=1.5, next_seed=11)
    for name in ("detector", "pose"):
        save_checkpoint(tmp_path / f"{name}.pt", network, average, optimizer, progress)
    (tmp_path / "pose.jsonl").write_text("{}\n")
    return tmp_path


def test_checkpoints_come_out_as_they_went_in_but_for_rounded_moments(folder: Path) -> None:
    files = pack(folder, folder / "parcel", piece=4000)
    assert len(files) > 6
    assert all(file.stat().st_size <= 4000 for file in files)
    written = unpack(folder / "parcel", folder / "new")
    assert [file.name for file in written] == ["detector.pt", "pose.pt"]
    network, optimizer = nn.Linear(40, 30), AdamW(trained()[0].parameters(), lr=0.1)
    average, progress = load_checkpoint(written[1], network, optimizer, torch.device("cpu"))
    before, moments = trained()
    assert torch.equal(network.weight, before.weight)
    assert torch.equal(average["bias"], before.bias)
    assert (progress.step, progress.pictures, progress.next_seed) == (3, 48, 11)
    first = moments.state_dict()["state"][0]
    again = optimizer.state_dict()["state"][0]
    assert again["step"] == first["step"]
    assert again["exp_avg_sq"].dtype == torch.float32
    assert torch.allclose(again["exp_avg_sq"], first["exp_avg_sq"], rtol=0.01)


def test_damaged_or_incomplete_parcel_is_refused_and_writes_nothing(folder: Path) -> None:
    parcel = folder / "parcel"
    pack(folder, parcel, piece=4000)
    piece = parcel / "pose.pt.001"
    whole = piece.read_bytes()
    piece.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(BadParcel, match=r"pose\.pt.*changed"):
        unpack(parcel, folder / "new")
    piece.unlink()
    with pytest.raises(BadParcel, match=r"lacks pose\.pt\.001"):
        unpack(parcel, folder / "new")
    assert not (folder / "new").exists()


def test_parcel_cannot_write_or_read_elsewhere(folder: Path) -> None:
    for entry in (
        {"name": "../out.pt", "pieces": [], "sha256": ""},
        {"name": "a.pt", "pieces": ["../secret"], "sha256": ""},
    ):
        (folder / "parcel.json").write_bytes(msgspec.json.encode([entry]))
        with pytest.raises(BadParcel, match="elsewhere"):
            unpack(folder, folder / "new")


def test_folder_without_contents_is_no_parcel(tmp_path: Path) -> None:
    with pytest.raises(BadParcel, match="no parcel"):
        unpack(tmp_path, tmp_path / "new")
