import hashlib
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from serving.archive.content import content_of
from serving.archive.inputs import check_inputs
from serving.archive.manifest import check_files, manifest_from_json, read_manifest
from serving.archive.stored import StoredModel
from serving.errors import BadInput, InvalidModel
from serving.protocol.metadata import TensorMetadata

UNREADABLE = Path("/proc/self/mem")
"""A file whose beginning not even root can read."""


def manifest(**fields: Any) -> bytes:
    return json.dumps({"name": "cat", "handler": "handler.py:Cat", **fields}).encode()


def test_manifest_needs_a_name_and_a_handler_only() -> None:
    read = manifest_from_json(manifest())
    assert (read.version, read.batch.batch_size, read.inputs) == ("1", 1, ())


def test_manifest_says_what_the_model_takes() -> None:
    read = manifest_from_json(
        manifest(
            inputs=[{"name": "image", "datatype": "UINT8", "shape": [-1, -1, 3]}],
            batch={"batch_size": 8, "max_batch_delay_ms": 2.5},
            labels=["cat", "dog"],
        )
    )
    assert read.inputs == (TensorMetadata(name="image", datatype="UINT8", shape=(-1, -1, 3)),)
    assert (read.batch.batch_size, read.batch.max_batch_delay_ms) == (8, 2.5)
    assert read.labels == ("cat", "dog")


def test_unknown_field_is_passed_over_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        manifest_from_json(manifest(lables=["cat"], author="me"))
    assert caplog.messages == ["manifest of cat: unknown fields: author, lables"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"name": "cat"}',
        manifest(name="../cat"),
        manifest(version=""),
        manifest(handler="handler.py"),
        manifest(batch={"batch_size": 0}),
        manifest(batch={"max_batch_delay_ms": -1}),
        manifest(inputs=[{"name": "x"}]),
    ],
    ids=[
        "empty",
        "list",
        "no handler",
        "path as name",
        "empty version",
        "no class",
        "empty batch",
        "negative delay",
        "half an input",
    ],
)
def test_bad_manifest_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidModel, match="the manifest is not valid"):
        manifest_from_json(data)


def test_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel, match=r"cannot read .*manifest\.json"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(InvalidModel, match=r"manifest\.json: the manifest is not valid"):
        read_manifest(tmp_path)


def test_files_are_compared_with_their_hashes(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(b"abc")
    digest = hashlib.sha256(b"abc").hexdigest()
    check_files(manifest_from_json(manifest(files={"weights": digest.upper()})), tmp_path)
    with pytest.raises(InvalidModel, match="weights has SHA-256"):
        check_files(manifest_from_json(manifest(files={"weights": "0" * 64})), tmp_path)


@pytest.mark.parametrize("name", ["missing", "../outside"], ids=["missing", "outside"])
def test_file_that_is_not_in_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").write_bytes(b"")
    folder = tmp_path / "cat"
    folder.mkdir()
    with pytest.raises(InvalidModel, match="no file"):
        check_files(manifest_from_json(manifest(files={name: ""})), folder)


@pytest.mark.skipif(not UNREADABLE.is_file(), reason="this system has no file that nobody can read")
def test_file_that_cannot_be_read_is_told_as_one_that_cannot_be_served() -> None:
    read = manifest_from_json(manifest(files={UNREADABLE.name: "0" * 64}))
    with pytest.raises(InvalidModel, match=r"cat: cannot read .*: Input/output error"):
        check_files(read, UNREADABLE.parent)


@pytest.mark.skipif(not UNREADABLE.is_file(), reason="this system has no file that nobody can read")
def test_log_tells_of_a_content_that_cannot_be_told_from_another(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "extra").symlink_to(UNREADABLE)
    assert content_of(StoredModel(tmp_path, manifest_from_json(manifest()))) == ""
    assert f"{tmp_path}: it cannot be told whether its content is another" in caplog.text


IMAGE = (TensorMetadata(name="image", datatype="UINT8", shape=(-1, 2)),)


def test_item_as_declared_is_taken() -> None:
    check_inputs({"image": np.zeros((9, 2), np.uint8)}, IMAGE)


def test_model_that_declares_nothing_takes_all() -> None:
    check_inputs({"anything": np.zeros(1)}, ())


@pytest.mark.parametrize(
    ("name", "shape", "dtype", "text"),
    [
        ("picture", (9, 2), "u1", r"takes \['image'\], got \['picture'\]"),
        ("image", (9, 2), "f4", r"must be UINT8 \[-1, 2\], got FP32 \[9, 2\]"),
        ("image", (9, 3), "u1", r"got UINT8 \[9, 3\]"),
        ("image", (9, 2, 1), "u1", r"got UINT8 \[9, 2, 1\]"),
    ],
    ids=["name", "type", "size", "rank"],
)
def test_item_other_than_declared_is_refused(
    name: str, shape: tuple[int, ...], dtype: str, text: str
) -> None:
    with pytest.raises(BadInput, match=text):
        check_inputs({name: np.zeros(shape, dtype)}, IMAGE)
