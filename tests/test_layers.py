"""The table of who may import whom, checked against the import statements."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("animator", "serving", "models", "web", "tests", "benchmarks")
ROOMS = ("ingest", "vision", "rigging", "motion", "render")

VERSION = ("animator", "animator.__version__")  # anybody may tell it
# package -> what it may import of ours, beside itself (longest prefix wins)
ALLOWED: dict[str, tuple[str, ...]] = {
    "animator.core": (),
    **{f"animator.{room}": ("animator.core",) for room in ROOMS},
    "animator.directing": ("animator.core", "animator.motion"),
    "animator.pipeline": (
        "animator.core",
        "animator.directing",
        *(f"animator.{room}" for room in ROOMS),
    ),
    "animator.staging": ("animator.core", *(f"animator.{room}" for room in ROOMS)),
    "animator.settings": ("animator.core",),
    "animator.store": ("animator.core",),
    "animator.client": ("animator.core",),
    "animator.jobs.queue": ("animator.core", "animator.jobs.progress", "animator.store"),
    "animator.jobs.progress": ("animator.core",),
    "animator.jobs": (
        "animator.core",
        "animator.directing",
        "animator.pipeline",
        "animator.store",
        "animator.settings",
        "animator.jobs",
        "animator.ingest",
        "serving.client",
        "serving.errors",
    ),
    "animator.api": (
        "animator.core",
        "animator.store",
        "animator.jobs.queue",
        "animator.jobs.progress",
    ),
    "animator.launch": ("animator", "serving"),
    # `animator models` scores, trains and imports; it loads that code inside its functions only
    # (see below), so that neither torch nor a model's code comes with the other commands.
    "animator.cli": ("animator", "serving", "models.training", "models.importers"),
    "animator.__main__": ("animator", "serving"),
    "animator": (),
    "serving": ("serving",),
    "models.training": ("models", "serving.handlers", "animator.core"),
    "models": ("serving.handlers", "models"),
}
# third-party packages and the only packages that may import them
CONFINED: dict[str, tuple[str, ...]] = {
    "litestar": ("animator.api", "animator.launch"),
    "google": ("serving.grpc", "serving.protocol.proto"),
    "grpc": ("serving.grpc",),
    "opentelemetry": ("serving.observe.otel", "serving.observe.shipping"),
    "redis": ("animator.jobs", "animator.launch", "animator.store", "animator.cli"),
    "rq": ("animator.jobs", "animator.launch"),
    "torch": ("models", "serving.handlers", "serving.backends"),
    "torchvision": ("models", "serving.handlers"),
}
# what the web process must never load
NOT_IN_WEB = ("cv2", "PIL", "torch", "onnxruntime", "scipy", "av")
SERVING_ORDER = (
    "grpc",
    "http",
    "open_inference",
    "engine",
    "registry",
    "batching",
    "handlers",
    "protocol",
    "errors",
)


def _modules() -> dict[str, Path]:
    files = (f for top in ("animator", "serving", "models") for f in (ROOT / top).rglob("*.py"))
    return {_module_name(file): file for file in sorted(files)}


def _module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _imports(file: Path, *, at_load: bool = False) -> tuple[str, ...]:
    return tuple(_imported(ast.parse(file.read_text()), at_load=at_load))


def _imported(tree: ast.AST, *, at_load: bool) -> Iterator[str]:
    for node in _statements(tree, at_load=at_load):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _statements(tree: ast.AST, *, at_load: bool) -> Iterator[ast.AST]:
    """All nodes; with `at_load` only those that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if at_load and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.If):
            continue
        yield node
        yield from _statements(node, at_load=at_load)


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _rule_for(module: str) -> str:
    return max((rule for rule in ALLOWED if _within(module, rule)), key=len)


MODULES = _modules()


@pytest.mark.parametrize("module", MODULES)
def test_module_imports_only_what_its_room_may(module: str) -> None:
    rule = _rule_for(module)
    allowed = (rule, *ALLOWED[rule])
    own = [
        name
        for name in _imports(MODULES[module])
        if name.split(".")[0] in OURS and name not in VERSION
    ]
    # `from animator.core import box` yields both `animator.core` and `animator.core.box`
    wrong = [name for name in own if not any(_within(name, a) for a in allowed)]
    assert wrong == []


@pytest.mark.parametrize("package", CONFINED)
def test_heavy_package_stays_in_its_place(package: str) -> None:
    places = CONFINED[package]
    wrong = [
        module
        for module, file in MODULES.items()
        if any(_within(name, package) for name in _imports(file))
        and not any(_within(module, place) for place in places)
    ]
    assert wrong == []


def test_no_import_cycles() -> None:
    graph = {
        module: {n for n in _imports(file, at_load=True) if n in MODULES and n != module}
        for module, file in MODULES.items()
    }
    while leaves := {module for module, needs in graph.items() if not needs}:
        graph = {m: needs - leaves for m, needs in graph.items() if m not in leaves}
    assert graph == {}


def test_no_command_loads_the_models_code_before_it_runs() -> None:
    wrong = [
        (module, name)
        for module, file in MODULES.items()
        if _within(module, "animator")
        for name in _imports(file, at_load=True)
        if _within(name, "models") or _within(name, "torch")
    ]
    assert wrong == []


def test_web_process_loads_no_vision_library() -> None:
    reached, queue = set(), ["animator.api.app"]
    while queue:
        module = queue.pop()
        if module in reached or module not in MODULES:
            continue
        reached.add(module)
        # importing a.b.c runs a and a.b as well
        parents = {module.rsplit(".", n)[0] for n in range(1, module.count(".") + 1)}
        queue.extend({*_imports(MODULES[module]), *parents})
    wrong = [
        (module, name)
        for module in sorted(reached)
        for name in _imports(MODULES[module])
        if name.split(".")[0] in NOT_IN_WEB
    ]
    assert wrong == []


def test_serving_imports_run_downwards() -> None:
    place = {f"serving.{name}": i for i, name in enumerate(SERVING_ORDER)}
    wrong = [
        (module, name)
        for module, file in MODULES.items()
        for name in _imports(file)
        for upper, i in place.items()
        for lower, j in place.items()
        if _within(module, lower) and _within(name, upper) and i < j
    ]
    assert wrong == []
