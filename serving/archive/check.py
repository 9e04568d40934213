"""What would happen with an archive, told without running any of its code."""

from collections.abc import Iterator

from serving.archive.archive import TORCHSERVE_HANDLER
from serving.archive.build import DEFAULT_HANDLERS
from serving.archive.manifest import check_files
from serving.archive.model_config import config_from_yaml, read_model_yaml
from serving.archive.stored import StoredModel
from serving.errors import InvalidModel

__all__ = ("describe_archive",)


def describe_archive(stored: StoredModel) -> Iterator[str]:
    """Say what would happen with a model, in sentences.

    Raises:
        InvalidModel: when it cannot be served, as far as that is seen without running its code.
    """
    manifest = stored.manifest
    yield f"{manifest.name} version {manifest.version}"
    if stored.sha256:
        yield f"SHA-256 {stored.sha256}"
    check_files(manifest, stored.folder)
    if manifest.handler == TORCHSERVE_HANDLER:
        yield from _describe_torchserve(stored)
    elif manifest.model:
        yield f"served from {_present(stored, manifest.model)} without a handler"
    else:
        module, _, _ = manifest.handler.partition(":")
        name = _present(stored, module) if module.endswith(".py") else manifest.handler
        yield f"handler {name}"
    for verb, tensors in (("takes", manifest.inputs), ("gives", manifest.outputs)):
        if tensors:
            described = (f"{t.name} {t.datatype} {list(t.shape)}" for t in tensors)
            yield f"{verb} {', '.join(described)}"
    config = {"batch_size": manifest.batch.batch_size, **stored.config}
    yield "would be served with " + ", ".join(f"{key} {value}" for key, value in config.items())


def _describe_torchserve(stored: StoredModel) -> Iterator[str]:
    model = stored.options["manifest"]["model"]
    module, _, _ = stored.options["handler"].partition(":")
    module = module.removesuffix(".py")
    if (stored.folder / f"{module}.py").is_file() or (stored.folder / module).is_dir():
        yield f"TorchServe handler {stored.options['handler']}, a file of the archive"
    elif module in DEFAULT_HANDLERS:
        yield f"TorchServe's default handler {module}; it needs the extra torch"
    else:
        msg = f"the handler {module} is neither a file of the archive nor a default handler"
        raise InvalidModel(msg)
    for key in ("serializedFile", "modelFile", "requirementsFile"):
        if model.get(key):
            yield f"{key} {_present(stored, model[key])}"
    if model.get("requirementsFile"):
        yield "its requirements are installed only with install_py_dep_per_model"
    if model.get("configFile"):
        _, notes = config_from_yaml(read_model_yaml(stored.folder / model["configFile"]))
        yield from notes


def _present(stored: StoredModel, name: str) -> str:
    path = stored.folder / name
    if not path.is_file():
        msg = f"the archive has no {name}"
        raise InvalidModel(msg)
    return f"{name} ({path.stat().st_size} bytes)"
