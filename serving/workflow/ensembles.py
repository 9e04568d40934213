"""Ensembles: from folders with an `ensemble.toml` to endpoints."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from serving.archive.manifest import Manifest
from serving.archive.stored import StoredModel
from serving.engine import Engine
from serving.errors import InvalidModel
from serving.handlers.function import FUNCTION, FUNCTION_HANDLER
from serving.protocol.metadata import TensorMetadata
from serving.protocol.tensors import Tensors
from serving.workflow.ensemble import ENSEMBLE_FILE, EnsembleSpec, Step, read_ensemble
from serving.workflow.ensemble_pool import EnsemblePool
from serving.workflow.war import node_name

__all__ = ("find_ensembles", "load_ensembles", "serve_ensemble")


def find_ensembles(folder: Path) -> Sequence[Path]:
    """Find the folders of ensembles, one or two levels down."""
    paths = [*folder.glob(f"*/{ENSEMBLE_FILE}"), *folder.glob(f"*/*/{ENSEMBLE_FILE}")]
    return [path.parent for path in sorted(paths)]


async def load_ensembles(engine: Engine, folder: Path) -> None:
    """Serve every ensemble of a folder, once the models that they ask are served.

    Raises:
        InvalidModel: when one cannot be served.
    """
    await asyncio.gather(*(serve_ensemble(engine, each) for each in find_ensembles(folder)))


async def serve_ensemble(engine: Engine, folder: Path) -> None:
    """Serve an ensemble: its functions as endpoints of their own, then itself.

    Raises:
        InvalidModel: when it is not valid, asks a model that is not served, or a function of it
            cannot be loaded.
        Conflict: when its name and version are served already.
    """
    spec = read_ensemble(folder)
    for step in spec.steps:
        if step.model and step.model not in engine.registry.names:
            msg = f"{spec.name}: there is no model {step.model} for its step {step.name}"
            raise InvalidModel(msg)
    functions = [_function(spec, step, folder) for step in spec.steps if step.function]
    await asyncio.gather(*(engine.register(function) for function in functions))

    async def infer(step: Step, item: Tensors) -> Tensors:
        return await engine.infer(_asked(spec, step), item, version=step.version or None)

    def is_ready() -> bool:
        return all(_is_ready(engine, spec, step) for step in spec.steps)

    await engine.register(_stored(spec, folder), pool=EnsemblePool(spec, infer, is_ready))


def _asked(spec: EnsembleSpec, step: Step) -> str:
    return step.model or node_name(spec.name, step.name)


def _is_ready(engine: Engine, spec: EnsembleSpec, step: Step) -> bool:
    name, registry = _asked(spec, step), engine.registry
    return name in registry.names and registry.find(name, step.version or None).is_ready


def _function(spec: EnsembleSpec, step: Step, folder: Path) -> StoredModel:
    name = node_name(spec.name, step.name)
    return StoredModel(
        folder=folder,
        manifest=Manifest(name=name, version=spec.version, handler=FUNCTION_HANDLER),
        options={FUNCTION: step.function},
    )


def _stored(spec: EnsembleSpec, folder: Path) -> StoredModel:
    outputs = [
        TensorMetadata(name=each.name, datatype=each.datatype, shape=each.shape)
        for each in spec.outputs
    ]
    manifest = Manifest(
        name=spec.name,
        version=spec.version,
        handler=f"{ENSEMBLE_FILE}:steps",
        inputs=spec.inputs,
        outputs=tuple(outputs),
    )
    return StoredModel(folder=folder, manifest=manifest)
