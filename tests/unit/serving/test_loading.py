from pathlib import Path

import pytest

from serving.errors import InvalidModel
from serving.handlers.handler import Handler
from serving.handlers.loading import is_raw, load_handler

HANDLER = """
class {name}:
    def load(self, context): ...
    def decode(self, body): return {{"model": "{name}"}}
    def infer(self, batch): return batch
    def encode(self, outputs): return outputs
"""


def load_native(reference: str, folder: Path) -> Handler:
    handler = load_handler(reference, folder)
    assert not is_raw(handler)
    return handler


def test_file_in_the_models_folder_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "handler.py").write_text(HANDLER.format(name="Cat"))
    assert load_native("handler.py:Cat", tmp_path).decode(b"") == {"model": "Cat"}


def test_files_of_one_name_in_two_folders_are_two_modules(tmp_path: Path) -> None:
    for name in ("Cat", "Dog"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "handler.py").write_text(HANDLER.format(name=name))
    handlers = [load_native(f"handler.py:{name}", tmp_path / name) for name in ("Cat", "Dog")]
    assert [handler.decode(b"") for handler in handlers] == [{"model": "Cat"}, {"model": "Dog"}]


def test_module_is_imported_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some_module_of_a_model.py").write_text(HANDLER.format(name="Cat"))
    monkeypatch.syspath_prepend(tmp_path)
    handler = load_native("some_module_of_a_model:Cat", tmp_path)
    assert handler.decode(b"") == {"model": "Cat"}


def test_handler_that_answers_requests_needs_no_more_than_that(tmp_path: Path) -> None:
    (tmp_path / "raw.py").write_text(
        "class Raw:\n    def load(self, context): ...\n    def answer(self, requests, send): ...\n"
    )
    assert is_raw(load_handler("raw.py:Raw", tmp_path))


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("missing.py:Cat", "FileNotFoundError"),
        ("no_such_module:Cat", "ModuleNotFoundError"),
        ("broken.py:Cat", "ZeroDivisionError"),
        ("half.py:Dog", "AttributeError"),
        ("half.py:Cat", "it has no decode, infer, encode"),
    ],
    ids=["no file", "no module", "raises", "no class", "half a handler"],
)
def test_bad_reference_says_why(tmp_path: Path, reference: str, text: str) -> None:
    (tmp_path / "broken.py").write_text("1 / 0")
    (tmp_path / "half.py").write_text("class Cat:\n    def load(self, context): ...")
    with pytest.raises(InvalidModel, match=text):
        load_handler(reference, tmp_path)
