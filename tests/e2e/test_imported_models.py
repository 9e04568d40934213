"""Other people's weights serve: imported by one command, behind the model server, in the walk."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

pytest.importorskip("torch", reason="the importers need the extra `torch`")

from animator.__main__ import main
from animator.core.skeleton import BIPED_PARENTS
from serving.client import Client
from serving.local import LocalPredictor
from tests.support_checkpoints import (
    noise,
    tiny_mask_rcnn,
    to_detectron2,
    to_mmdet,
    top_down_state,
    write_mar,
    write_pickle,
)
from tests.support_contract import start_server, stop_server, wait_for_server
from tests.support_serve import draw_doll

DETECTOR, POSE = "drawn_humanoid_detector", "drawn_humanoid_pose_estimator"
CLOSE = 1e-3  # largest difference, as a share of the largest value

KINDS = ("detectron2", "mmdet")


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """For each library a folder with its detector and mmpose's pose network, imported."""
    folder = tmp_path_factory.mktemp("imported")
    state = dict(tiny_mask_rcnn().state_dict())
    files = {
        "detectron2": write_pickle(folder / "model_final.pkl", to_detectron2(state)),
        "mmdet": write_mar(folder / "detector.mar", {"state_dict": to_mmdet(state)}),
    }
    pose = write_mar(folder / "pose.mar", {"state_dict": top_down_state()})
    for kind in KINDS:
        for file in (files[kind], pose):
            assert main(["models", "import", str(file), "--out", str(folder / kind)]) == 0
    return {kind: folder / kind for kind in KINDS}


@pytest.fixture(scope="module", params=KINDS)
def served(homes: dict[str, Path], request: pytest.FixtureRequest) -> Iterator[tuple[str, Path]]:
    """A model server over one of them: its address and its folder."""
    home = homes[request.param]
    with start_server(home) as process:
        try:
            yield wait_for_server(process).inference, home
        finally:
            stop_server(process)


def test_server_answers_what_the_imported_network_computes(served: tuple[str, Path]) -> None:
    url, home = served
    picture, local = noise(120, 160), LocalPredictor(home, 1)
    with Client(url, timeout_s=60) as client:
        for model in (DETECTOR, POSE):
            theirs = client.infer(model, {"image": picture})
            ours = local.infer(model, {"image": picture})
            assert theirs.keys() == ours.keys()
            for name, array in ours.items():
                assert array.size > 0
                difference = np.abs(theirs[name] - array).max()
                assert difference <= CLOSE * np.abs(array).max()


def test_annotation_scripts_route_answers_boxes_and_keypoints(served: tuple[str, Path]) -> None:
    url, _ = served
    with httpx.Client(base_url=url, timeout=60) as client:
        boxes = client.post(f"/predictions/{DETECTOR}", files={"data": draw_doll()}).json()
        poses = client.post(f"/predictions/{POSE}", files={"data": draw_doll()}).json()
    assert boxes
    assert all(len(box["bbox"]) == 4 and 0 <= box["score"] <= 1 for box in boxes)
    assert [len(pose["keypoints"]) for pose in poses] == [17]


def test_exported_file_serves_from_a_folder_of_archives_as_it_is(
    homes: dict[str, Path], tmp_path: Path
) -> None:
    words = ["models", "export", DETECTOR, "--models-dir", str(homes["mmdet"])]
    assert main([*words, "--out", str(tmp_path / "detector.mar")]) == 0
    picture = noise(120, 160)
    wanted = LocalPredictor(homes["mmdet"], 1).infer(DETECTOR, {"image": picture})
    with start_server(tmp_path) as process:
        try:
            url = wait_for_server(process).inference
            with Client(url, timeout_s=60) as client:
                served = client.infer(DETECTOR, {"image": picture})
        finally:
            stop_server(process)
    difference = np.abs(served["boxes"] - wanted["boxes"]).max()
    assert difference <= CLOSE * np.abs(wanted["boxes"]).max()


@pytest.mark.parametrize("kind", KINDS)
def test_product_walks_with_imported_models(
    homes: dict[str, Path],
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ANIMATOR_MODELS_DIR", str(homes[kind]))
    (tmp_path / "doll.png").write_bytes(draw_doll())
    assert main(["annotate", str(tmp_path / "doll.png"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["error"] is None
    # random weights see figures everywhere; what they see is whole and lies in the picture
    assert record["figures"]
    for figure in record["figures"]:
        x1, y1, x2, y2 = figure["box"]
        assert 0 <= x1 < x2 <= 300
        assert 0 <= y1 < y2 <= 400
        assert figure["mask"]["size"] == [400, 300]
        assert list(figure["joints"]) == list(BIPED_PARENTS)
