"""The glTF in other software: three.js plays its clip in a real browser."""

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Route

from animator.core.animation import FrameSize
from animator.core.rig import Mesh, Rig
from animator.core.scene import Background, Placement
from animator.core.skeleton import Joint, Skeleton
from animator.core.spaces import FigureToWorld
from animator.core.stage import Stage
from animator.render import frame_scene
from animator.render.gltf import gltf_of
from tests.unit.render.conftest import make_moved, make_texture, make_track

pytestmark = pytest.mark.browser

THREE = Path(__file__).parents[2] / "web" / "node_modules" / "three"

PAGE = """<!doctype html><script type="importmap">
{"imports": {"three": "/build/three.module.js", "three/addons/": "/examples/jsm/"}}
</script><script type="module">
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
window.play = async (source, times) => {
  const { scene, animations } = await new GLTFLoader().loadAsync(source);
  const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true });
  renderer.setSize(128, 128);
  const world = new THREE.Scene();
  world.background = new THREE.Color(1, 1, 1);
  world.add(scene);
  const camera = new THREE.OrthographicCamera(-1, 3, 3, -1, -10, 10);
  const mixer = new THREE.AnimationMixer(scene);
  mixer.clipAction(animations[0]).play();
  const skins = [];
  scene.traverse((node) => node.isSkinnedMesh && skins.push(node));
  return times.map((time) => {
    mixer.setTime(time);
    renderer.render(world, camera);
    const gl = renderer.getContext(), pixels = new Uint8Array(128 * 128 * 4);
    gl.readPixels(0, 0, 128, 128, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const hand = scene.getObjectByName("hand").getWorldPosition(new THREE.Vector3()).toArray();
    return { pixels: [...pixels], hand, duration: animations[0].duration, skins: skins.length };
  });
};
window.ready = true;
</script>"""


def make_arm() -> Stage:
    """An arm of two bones, a unit each, up from the origin; it swings to the right in a second."""
    vertices = np.array([[-0.2, 0], [0.2, 0], [-0.2, 1], [0.2, 1], [-0.2, 2], [0.2, 2]], np.float32)
    triangles = np.array([[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]], np.int32)
    rig = Rig(
        skeleton=Skeleton(
            joints=(
                Joint(name="root", parent=None, x=8.0, y=16.0),
                Joint(name="elbow", parent="root", x=8.0, y=8.0),
                Joint(name="hand", parent="elbow", x=8.0, y=0.0),
            )
        ),
        mesh=Mesh(vertices, triangles),
        texture=make_texture((200, 30, 60)),
        bone_of=np.array([1, 1, 2, 2], np.int16),
        to_world=FigureToWorld(root_x=8.0, root_y=16.0, height=8.0),
        weights=np.eye(3, dtype=np.float32)[[1, 1, 2, 2]],
    )
    angles = np.linspace(0, np.pi / 2, 30)
    bone = np.stack((np.sin(angles), np.cos(angles)), axis=1)
    joints = np.stack((0 * bone, bone, 2 * bone), axis=1)
    plain = make_track(np.repeat(vertices[None], 30, axis=0), fps=30.0)
    track = replace(plain, group_of=np.zeros(4, np.int16))
    moved = replace(make_moved(rig, track), joints=joints)
    size = FrameSize(width=128, height=128)
    return Stage(frame_scene([moved], [Placement()], Background(), size), (moved,))


@pytest.fixture(scope="module")
def played(browser: Browser) -> list[dict[str, Any]]:
    """What three.js shows at the beginning, in the middle and at the end of the clip."""
    if not THREE.is_dir():
        pytest.skip("three.js is not installed: run `npm ci` in web/")
    page = browser.new_page()
    page.route("http://three.test/**", serve)
    page.goto("http://three.test/")
    page.wait_for_function("window.ready")
    source = "data:model/gltf-binary;base64," + base64.b64encode(gltf_of(make_arm())).decode()
    found: list[dict[str, Any]] = page.evaluate(
        "([source, times]) => window.play(source, times)", [source, [0.0, 0.5, 0.98]]
    )
    page.close()
    return found


def serve(route: Route) -> None:
    """The page, and the files of three.js."""
    path = route.request.url.removeprefix("http://three.test/")
    if not path:
        route.fulfill(body=PAGE, content_type="text/html")
    else:
        route.fulfill(path=THREE / path, content_type="text/javascript")


def red(shown: dict[str, Any]) -> NDArray[np.bool_]:
    """Where the arm's paint is: (128, 128), y up; a pixel is a thirty-second of a unit."""
    pixels = np.array(shown["pixels"], np.uint8).reshape(128, 128, 4).astype(int)
    return np.asarray(pixels[..., 0] - pixels[..., 1] > 90)


def test_it_is_a_skinned_mesh_with_a_clip_of_the_right_length(played: list[dict[str, Any]]) -> None:
    assert played[0]["skins"] == 1
    assert played[0]["duration"] == pytest.approx(1.0, abs=0.001)


def test_paint_follows_the_bones(played: list[dict[str, Any]]) -> None:
    """The arm points up, to the upper right, to the right."""
    for shown, angle in zip(played, (0.0, np.pi / 4, np.pi / 2), strict=True):
        rows, columns = np.nonzero(red(shown))
        assert len(rows) > 400
        x, y = columns.mean() / 32 - 1, rows.mean() / 32 - 1
        # the arm's middle is a unit away from the root
        np.testing.assert_allclose([x, y], [np.sin(angle), np.cos(angle)], atol=0.15)


def test_forearm_hangs_on_the_elbow_wherever_that_goes(played: list[dict[str, Any]]) -> None:
    """The bone of the hand begins at the elbow, a unit from the root."""
    for shown, angle in zip(played, (0.0, np.pi / 4, np.pi / 2), strict=True):
        np.testing.assert_allclose(shown["hand"][:2], [np.sin(angle), np.cos(angle)], atol=0.06)
