"""People: each comes now and then, does something of what people do, and goes again."""

import random
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

import animator.motion
from animator.client import ServerUnreachable
from animator.core.animation import AnimationFormat
from animator.core.annotation import FigureAnnotation
from animator.core.documents import DrawingDocument
from animator.core.errors import AnimatorError, NoFigureFound
from animator.motion import list_motions
from benchmarks.soaking.visit import JobNotDone, Visit, code_of
from benchmarks.soaking.world import World
from tests.support_bad_images import READABLE, REFUSED
from tests.support_serve import draw_doll

__all__ = ("ERRANDS", "come_and_go", "read_a_doll", "run_errand")

Errand = Callable[[World, Visit, random.Random], None]

_MOTIONS = tuple(sorted(motion.name for motion in list_motions()))
_BVH = sorted((Path(animator.motion.__file__).parent / "data").glob("*.bvh"))
_FILMS = (
    AnimationFormat.GIF,
    AnimationFormat.MP4,
    AnimationFormat.WEBM,
    AnimationFormat.WEBP,
    AnimationFormat.APNG,
    AnimationFormat.SHEET,
)
_LIVE = (AnimationFormat.TRACK, AnimationFormat.BACKDROP)
_PREVIEWS = (AnimationFormat.PREVIEWS,)
_SIDES = (128, 192, 256)
_BREAKS_OFF = 0.3


def come_and_go(world: World, rng: random.Random, every: float) -> None:
    """Errands one after the other, with pauses of random length, until nobody shall begin any more.

    Args:
        world: where.
        rng: decides what is done.
        every: mean length of a pause, seconds.
    """
    names, weights = zip(*((name, weight) for name, (weight, _) in ERRANDS.items()), strict=True)
    while not world.done.wait(rng.expovariate(1 / every)):
        (name,) = rng.choices(names, weights)
        run_errand(world, name, rng)


def run_errand(world: World, name: str, rng: random.Random) -> None:
    """Do one errand, and leave nothing open behind: what is not over is looked after by others."""
    visit = Visit(world.product.url, world.ledger)
    try:
        ERRANDS[name][1](world, visit, rng)
        world.answers.note(name)
    except JobNotDone:
        world.answers.note(name, "job_not_done")
    except AnimatorError as error:
        world.answers.note(name, code_of(error), error.message)
    except httpx.HTTPError as error:
        world.answers.note(name, ServerUnreachable.code, f"{type(error).__name__}: {error}")
    except Exception:  # the load itself is wrong, which the verdict shall tell
        world.answers.note(name, "soak_is_wrong", traceback.format_exc())
    world.waiting.add(visit)


def read_a_doll(world: World, rng: random.Random) -> bool:
    """Whether a drawing is taken, read and found to hold a figure."""
    visit = Visit(world.product.url, world.ledger)
    try:
        drawing = visit.upload(draw_doll() + rng.randbytes(8), kind="probe")
        visit.wait(drawing.job)
        return bool(visit.annotation(drawing).figures)
    except (AnimatorError, JobNotDone, httpx.HTTPError):
        return False
    finally:
        world.waiting.add(visit)


def _make_film(world: World, visit: Visit, rng: random.Random) -> None:
    """What most people do: hand in, look at it move, have films made, share, take all along."""
    drawing = _read(world, visit, rng)
    live = visit.animate(drawing, "live", formats=_LIVE, motion=rng.choice(_MOTIONS))
    visit.wait(live.job)
    if rng.random() < 0.5:
        previews = visit.animate(drawing, "previews", formats=_PREVIEWS)
        visit.listen_a_moment(previews.job)
    made = visit.animate(drawing, **_film(rng))
    visit.wait(made.job)
    path = f"/api/animations/{made.id}/shares"
    share = visit.ask("POST", path, json={"days": rng.randint(1, 365)}).json()
    for page in (f"/api/shares/{share['id']}", share["url"]):
        httpx.get(world.product.url + page, timeout=30).raise_for_status()
    visit.ask("GET", f"/api/drawings/{drawing.id}/everything.zip")


def _correct(world: World, visit: Visit, rng: random.Random) -> None:
    """Draw a figure's box anew, have the rest found again, and animate it."""
    drawing = _read(world, visit, rng)
    figure = rng.choice(visit.annotation(drawing).figures)
    after = visit.change(drawing, figure, {"box": _other_box(figure, rng)})
    if after.job is not None:
        visit.wait(after.job)
    visit.wait(visit.animate(drawing, **_film(rng)).job)


def _use_own_motion(world: World, visit: Visit, rng: random.Random) -> None:
    """Hand in a motion, sometimes a broken one, have a figure do it, and delete it."""
    file = rng.choice(_BVH)
    data = file.read_bytes()
    if rng.random() < 0.3:
        data = data[: rng.randrange(len(data))]
    name, job = visit.upload_motion(data, file.name)
    visit.wait(job)
    drawing = _read(world, visit, rng)
    visit.wait(visit.animate(drawing, **{**_film(rng), "motion": name}).job)
    visit.ask("DELETE", f"/api/motions/{name}")


def _hand_in_rubbish(world: World, visit: Visit, rng: random.Random) -> None:
    """Hand in something that is no drawing; the refusal, or the job's end, must have a code."""
    rubbish = [data for data, _ in REFUSED.values()] + list(READABLE.values())
    torn = world.picture(rng)
    torn = torn[: rng.randrange(len(torn))]
    drawing = visit.upload(rng.choice([*rubbish, torn, torn]), kind="rubbish")
    visit.wait(drawing.job)


def _give_up(world: World, visit: Visit, rng: random.Random) -> None:
    """Delete everything while the job is waiting or under way."""
    drawing = visit.upload(world.picture(rng))
    visit.listen_a_moment(drawing.job)
    visit.withdraw()


def _look_around(world: World, visit: Visit, rng: random.Random) -> None:
    """Only look: pages, motions, what is not there, and what is not allowed."""
    http = visit.http
    for path in ("/", "/api/motions", "/api/skeletons", "/api/health", "/schema/openapi.json"):
        http.get(path).raise_for_status()
    for path, status in (("/api/drawings/nobody", 404), ("/api/jobs/nobody", 404)):
        answer = http.get(path)
        if answer.status_code not in (status, 503):
            world.answers.note("look around", f"http_{answer.status_code}", answer.text[:200])


def _read(world: World, visit: Visit, rng: random.Random) -> DrawingDocument:
    """A drawing with figures, handed in and read; the news of it break off now and then.

    Raises:
        NoFigureFound: when it has none.
    """
    drawing = visit.upload(world.picture(rng))
    if rng.random() < _BREAKS_OFF:
        visit.listen_a_moment(drawing.job)
    visit.wait(drawing.job)
    if not visit.annotation(drawing).figures:
        raise NoFigureFound("The drawing has no figure.")
    return drawing


def _film(rng: random.Random) -> dict[str, Any]:
    return {
        "formats": tuple(rng.sample(_FILMS, rng.randint(1, 2))),
        "motion": rng.choice(_MOTIONS),
        "side": rng.choice(_SIDES),
    }


def _other_box(figure: FigureAnnotation, rng: random.Random) -> list[float]:
    """The figure's box, a little smaller on two sides."""
    box = figure.box
    return [box.x1, box.y1, box.x2 - rng.randint(1, 3), box.y2 - rng.randint(1, 3)]


ERRANDS: dict[str, tuple[float, Errand]] = {
    "film": (6, _make_film),
    "correct": (2, _correct),
    "own motion": (1, _use_own_motion),
    "rubbish": (2, _hand_in_rubbish),
    "give up": (1, _give_up),
    "look around": (2, _look_around),
}
"""What people do: how often, and how."""
