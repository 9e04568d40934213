"""A drawing of three figures is corrected over HTTP, with the real models and real jobs."""

from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.mask import Mask, mask_from_run_lengths, run_lengths_from_mask
from tests.support_mending import agreement
from tests.support_serve import App


class Corrector:
    """Changes one drawing, revision by revision, and waits for what is found."""

    def __init__(self, app: App, picture: bytes) -> None:
        self._app = app
        drawing = app.upload(picture)
        assert app.wait_for_job(drawing["job"], within=60)["state"] == "done"
        self.address = f"/api/drawings/{drawing['id']}"
        self.annotation = self.read()

    def read(self) -> Annotation:
        answer = self._app.http.get(f"{self.address}/annotation")
        annotation = msgspec.json.decode(answer.content, type=Annotation)
        assert answer.headers["ETag"] == f'"{annotation.revision}"'
        return annotation

    def change(self, method: str, figure: str = "", body: Any = None) -> Annotation:
        answer = self._app.http.request(
            method,
            f"{self.address}/figures{figure}",
            headers={"If-Match": f'"{self.annotation.revision}"'},
            content=None if body is None else msgspec.json.encode(body),
        )
        assert answer.is_success, answer.text
        changed = msgspec.json.decode(answer.content, type=Annotation)
        if changed.job is not None:
            assert self._app.wait_for_job(changed.job)["state"] == "done"
        self.annotation = self.read()
        assert self.annotation.job is None
        return self.annotation

    def export(self) -> tuple[int, list[NDArray[np.bool_]]]:
        """The revision of an animation, and the masks of the figures that move in it."""
        request = {"motion": "wave", "side": 128, "formats": ["character"]}
        made = self._app.http.post(f"{self.address}/animations", json=request).json()
        assert self._app.wait_for_job(made["job"])["state"] == "done"
        made = self._app.http.get(f"/api/animations/{made['id']}").json()
        file = self._app.http.get(f"/api/animations/{made['id']}/file.character.zip")
        with ZipFile(BytesIO(file.content)) as folder:
            masks = [
                np.array(Image.open(folder.open(name))) > 0
                for name in sorted(folder.namelist())
                if name.endswith("mask.png")
            ]
        return made["revision"], masks


@pytest.fixture(scope="module")
def corrector(app: App, shared_data: Path) -> Corrector:
    picture = shared_data / "drawings" / "anamel-074-brown-three.jpg"
    return Corrector(app, picture.read_bytes())


def bits(figure: FigureAnnotation) -> NDArray[np.bool_]:
    assert figure.mask is not None
    return mask_from_run_lengths(figure.mask).data


def on_page(figure: FigureAnnotation, annotation: Annotation) -> NDArray[np.bool_]:
    page = np.zeros((annotation.height, annotation.width), np.bool_)
    box = figure.box
    page[int(box.y1) : int(box.y2), int(box.x1) : int(box.x2)] = bits(figure)
    return page


def test_figure_is_removed_drawn_again_moved_and_painted(corrector: Corrector) -> None:
    first = corrector.annotation
    assert len(first.figures) == 3
    lost = first.figures[1]
    assert len(corrector.change("DELETE", f"/{lost.id}").figures) == 2

    box = [int(lost.box.x1), int(lost.box.y1), int(lost.box.x2), int(lost.box.y2)]
    after = corrector.change("POST", body={"box": box})
    drawn = after.figures[2]
    assert after.revision == 3
    assert drawn.skeleton is not None
    assert agreement(on_page(drawn, after), on_page(lost, first)) > 0.95

    # a box that cuts the legs off, then one with a little more room
    box[3] -= int(0.3 * lost.box.height)
    cut = corrector.change("PATCH", f"/{drawn.id}", {"box": box}).figures[2]
    assert bits(cut).shape == (box[3] - box[1], box[2] - box[0])
    assert bits(cut).sum() < 0.9 * bits(drawn).sum()
    box = [max(box[0] - 10, 0), box[1] - 10, box[2], int(lost.box.y2) + 10]
    moved = corrector.change("PATCH", f"/{drawn.id}", {"box": box}).figures[2]
    assert agreement(on_page(moved, after), on_page(lost, first)) > 0.95

    painted = bits(moved).copy()
    painted[: len(painted) // 3] = False
    lengths = run_lengths_from_mask(Mask(painted))
    after = corrector.change("PATCH", f"/{drawn.id}", {"mask": lengths, "skeleton": None})
    assert after.figures[2].mask == lengths
    revision, masks = corrector.export()
    assert revision == after.revision
    assert len(masks) == 3
    assert any(mask.shape == painted.shape and (mask == painted).all() for mask in masks)

    corrector.change("PATCH", f"/{drawn.id}", {"hidden": True})
    revision, masks = corrector.export()
    assert revision == after.revision + 1
    assert len(masks) == 2


def test_change_of_an_old_revision_is_refused_and_nothing_lost(
    app: App, corrector: Corrector
) -> None:
    answer = app.http.delete(
        f"{corrector.address}/figures/{corrector.annotation.figures[0].id}",
        headers={"If-Match": '"999"'},
    )
    assert (answer.status_code, answer.json()["code"]) == (412, "conflict")
    assert corrector.read() == corrector.annotation
