"""From a version to what it is made of."""

import hashlib
import json
from pathlib import Path

import pytest

from serving.archive.manifest import read_manifest
from serving.archive.stored import StoredModel
from serving.observe.lineage import lineage_of


@pytest.fixture
def stored(tmp_path: Path) -> StoredModel:
    (tmp_path / "weights").write_bytes(b"w")
    manifest = {
        "name": "m",
        "version": "3",
        "handler": "h.py:H",
        "files": {"weights": hashlib.sha256(b"w").hexdigest()},
    }
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    return StoredModel(folder=tmp_path, manifest=read_manifest(tmp_path), url="m.mar", sha256="ab")


def test_lineage_has_hashes_and_what_the_maker_wrote(stored: StoredModel) -> None:
    (stored.folder / "lineage.json").write_text('{"seeds": [1, 2]}')
    lineage = lineage_of(stored)
    assert (lineage.model_name, lineage.model_version, lineage.model_url) == ("m", "3", "m.mar")
    assert lineage.archive_sha256 == "ab"
    assert lineage.files == {"weights": hashlib.sha256(b"w").hexdigest()}
    assert lineage.files_are_intact
    assert lineage.training == {"seeds": [1, 2]}


def test_file_that_was_changed_since_is_told(stored: StoredModel) -> None:
    (stored.folder / "weights").write_bytes(b"other")
    (stored.folder / "lineage.json").write_text("{broken")
    lineage = lineage_of(stored)
    assert not lineage.files_are_intact
    assert lineage.training is None
