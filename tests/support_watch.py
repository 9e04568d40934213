"""A model whose answer is a word, as a folder of ours or packed, for tests of watched places."""

import json
import tarfile
from pathlib import Path

HANDLER = """
from serving.protocol.exchange import RawReply

class Tag:
    def load(self, context):
        self.word = "WORD"
        if self.word == "bad":
            raise ValueError("bad weights")
    def answer(self, requests, send):
        return [RawReply(self.word.encode()) for _ in requests]
"""


def put(folder: Path, version: str, word: str, *, name: str = "tag") -> Path:
    """Write the model as a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"name": name, "version": version, "handler": "tag.py:Tag"}
    (folder / "tag.py").write_text(HANDLER.replace("WORD", word))
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def packed(folder: Path, version: str, word: str, *, name: str = "tag") -> bytes:
    """The model as the bytes of an archive; `folder` is where it is made."""
    model = put(folder / "packing" / version, version, word, name=name)
    path = folder / f"packed-{version}-{word}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(model, arcname=".")
    return path.read_bytes()
