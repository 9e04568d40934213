"""Faults: what goes wrong each minute, in an order that a seed decides."""

import contextlib
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import httpx
import msgspec
import psutil

from benchmarks.soaking import rude
from benchmarks.soaking.disk import fill, squeeze
from benchmarks.soaking.people import read_a_doll, run_errand
from benchmarks.soaking.predictions import MODELS, management_key, reload
from benchmarks.soaking.world import World

__all__ = ("FAULTS", "Injected", "inject", "order")

Fault = Callable[[World, random.Random], str]
"""Does it and undoes it, and says in a few words what was done."""

_LOOK_S = 0.25
_JOB_WITHIN_S = 15.0
_STOP_S = (2.0, 9.0)
_FULL_S = (8.0, 20.0)
_SQUEEZED_S = (8.0, 20.0)
_RUDE_S = 15.0
_IDLE = 300
_BURST = 10
_FLOOD = 12
_ROOM_MB = 24


class Injected(msgspec.Struct, kw_only=True):
    """One fault that was injected.

    Attributes:
        name: which.
        begun: seconds since the beginning.
        healed: when it was undone, likewise.
        about: what was done.
        well: seconds after it was undone until all answered; None: not within the limit.
        works: the same until a drawing that was handed in after it was read.
    """

    name: str
    begun: float
    healed: float
    about: str
    well: float | None = None
    works: float | None = None


def order(names: list[str], rng: random.Random) -> Iterator[str]:
    """All names, shuffled; and then again, for ever."""
    while True:
        yield from rng.sample(names, len(names))


def inject(world: World, name: str, rng: random.Random, back_within: float) -> Injected:
    """Do one fault, and measure how long it takes until the service is back."""
    begun = world.clock()
    about = FAULTS[name](world, rng)
    injected = Injected(name=name, begun=begun, healed=world.clock(), about=about)
    injected.well = _seconds_until(world, world.product.is_well, back_within)
    injected.works = _seconds_until(world, partial(read_a_doll, world, rng), back_within)
    if injected.works is not None:
        injected.works = world.clock() - injected.healed
    return injected


def _seconds_until(world: World, is_so: Callable[[], bool], within: float) -> float | None:
    begun = world.clock()
    while not is_so():
        if world.clock() - begun > within:
            return None
        time.sleep(_LOOK_S)
    return world.clock() - begun


def _kill(role: str, world: World, rng: random.Random) -> str:
    victims = world.product.find(role)
    if not victims:
        return f"there was no {role}"
    victim = rng.choice(victims)
    with contextlib.suppress(psutil.Error):
        victim.kill()
    return f"SIGKILL to {role} {victim.pid}"


def _kill_job(world: World, rng: random.Random) -> str:
    """Hand in a drawing, and kill the process that works on whichever job comes."""
    _meanwhile(world, "correct", rng)
    until = time.monotonic() + _JOB_WITHIN_S
    while time.monotonic() < until:
        if world.product.find("job"):
            return _kill("job", world, rng)
        time.sleep(_LOOK_S / 5)
    return "there was no job"


def _meanwhile(world: World, errand: str, rng: random.Random) -> None:
    """Have an errand done beside, by somebody with a seed of his own."""
    args = (world, errand, random.Random(rng.random()))
    threading.Thread(target=run_errand, args=args, daemon=True).start()


def _stop(role: str, world: World, rng: random.Random) -> str:
    victims, seconds = world.product.find(role), rng.uniform(*_STOP_S)
    if not victims:
        return f"there was no {role}"
    victim = rng.choice(victims)
    with contextlib.suppress(psutil.Error):
        victim.suspend()
        time.sleep(seconds)
        victim.resume()
    return f"SIGSTOP to {role} {victim.pid} for {seconds:.1f} s"


def _restart(number: signal.Signals, world: World, rng: random.Random) -> str:
    world.product.restart(number)
    return f"{number.name} to the whole" if world.product.form == "whole" else f"{number.name}, web"


def _fill_disk(world: World, rng: random.Random) -> str:
    seconds = rng.uniform(*_FULL_S)
    make_room = fill(world.product, world.has_own_disk)
    _meanwhile(world, "film", rng)
    time.sleep(seconds)
    make_room()
    return f"no room for data for {seconds:.0f} s and a film"


def _squeeze(role: str, world: World, rng: random.Random) -> str:
    seconds = rng.uniform(*_SQUEEZED_S)
    relieve = squeeze(world.product, role, _ROOM_MB)
    _meanwhile(world, "film", rng)
    time.sleep(seconds)
    relieve()
    return f"{role}: {_ROOM_MB} MB more and no further, for {seconds:.0f} s"


def _be_rude(world: World, rng: random.Random) -> str:
    url, until = world.product.url, threading.Event()
    slow = [
        threading.Thread(target=rude.send_slowly, args=(url, world.picture(rng), until))
        for _ in range(8)
    ]
    page = "/schema/openapi.json"
    deaf = [threading.Thread(target=rude.stop_reading, args=(url, page, until)) for _ in range(8)]
    for thread in (*slow, *deaf):
        thread.start()
    end = time.monotonic() + _RUDE_S
    while time.monotonic() < end:
        rude.hang_up_half_way(url, world.picture(rng), rng)
        time.sleep(_LOOK_S)
    until.set()
    for thread in (*slow, *deaf):
        thread.join()
    return "8 send slowly, 8 do not read, others hang up half way"


def _sit_idle(world: World, rng: random.Random) -> str:
    count = rude.sit_idle((world.product.url, world.product.models_url), _IDLE, _RUDE_S)
    return f"{count} idle connections for {_RUDE_S:.0f} s"


def _burst(world: World, rng: random.Random) -> str:
    """Many at once: each with a random sequence of his own."""
    names = ["film"] * 3 + ["rubbish"] * (_BURST - 3)
    return _all_at_once(world, names, rng)


def _flood(world: World, rng: random.Random) -> str:
    return _all_at_once(world, ["rubbish", "give up"] * (_FLOOD // 2), rng)


def _all_at_once(world: World, names: list[str], rng: random.Random) -> str:
    threads = [
        threading.Thread(target=run_errand, args=(world, name, random.Random(rng.random())))
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return f"{len(names)} errands at once"


def _reload(world: World, rng: random.Random) -> str:
    model = rng.choice(MODELS)
    try:
        reload(world.product, model)
    except httpx.HTTPError as error:
        world.answers.note("reload", "reload_failed", str(error))
        return f"{model} was not loaded anew: {error}"
    return f"{model} loaded anew"


def _scale(world: World, rng: random.Random) -> str:
    """Two workers for a model, then one again."""
    product, model = world.product, rng.choice(MODELS)
    url = f"http://127.0.0.1:{product.settings.management_port}/models/{model}"
    for workers in ("2", "1"):
        try:
            how = {"min_worker": workers, "max_worker": workers, "synchronous": "true"}
            answer = httpx.put(url, params=how, headers=management_key(product), timeout=60)
            answer.raise_for_status()
        except httpx.HTTPError as error:
            world.answers.note("scale", "scale_failed", str(error))
        time.sleep(3)
    return f"{model}: two workers, then one"


FAULTS: Mapping[str, Fault] = {
    **{f"kill {r}": partial(_kill, r) for r in ("model", "worker", "inference", "web", "redis")},
    "kill job": _kill_job,
    **{f"stop {r}": partial(_stop, r) for r in ("model", "worker", "inference", "web", "redis")},
    "kill all": partial(_restart, signal.SIGKILL),
    "restart": partial(_restart, signal.SIGTERM),
    "full disk": _fill_disk,
    **{f"squeeze {role}": partial(_squeeze, role) for role in ("model", "worker", "web")},
    "rude clients": _be_rude,
    "idle connections": _sit_idle,
    "burst": _burst,
    "flood of rubbish": _flood,
    "reload": _reload,
    "scale": _scale,
}
"""All faults by their names."""
