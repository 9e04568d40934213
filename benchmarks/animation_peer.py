"""Run by AnimatedDrawings' own Python: renders a scene, and says what its parts cost.

    python animation_peer.py CLONE SCENE.yaml

Prints one JSON line: CPU seconds of imports, set-up and the run (frames and encoding), and frames.
It imports that project and holds no code of it.
"""

import json
import os
import sys
import time
from itertools import pairwise


def main() -> None:
    """Render the scene as `animated_drawings.render` does, with a clock between the steps."""
    clone, scene_file = sys.argv[1:]
    sys.path.insert(0, clone)
    marks = [time.process_time()]
    # OSMesa has to be chosen before any module loads OpenGL.
    os.environ.setdefault("PYOPENGL_PLATFORM", "osmesa")
    from animated_drawings.config import Config
    from animated_drawings.controller.controller import Controller
    from animated_drawings.model.scene import Scene
    from animated_drawings.view.view import View

    marks.append(time.process_time())
    config = Config(scene_file)
    view = View.create_view(config.view)
    scene = Scene(config.scene)
    controller = Controller.create_controller(config.controller, scene, view)
    frames = controller.frames_left_to_render
    marks.append(time.process_time())
    controller.run()
    marks.append(time.process_time())
    imports, setup, run = (later - sooner for sooner, later in pairwise(marks))
    print(json.dumps({"imports": imports, "setup": setup, "run": run, "frames": frames}))


if __name__ == "__main__":
    main()
