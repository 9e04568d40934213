"""How a model is served, in the form of the model configuration extension (Triton's)."""

from collections.abc import Mapping, Sequence

import msgspec

from serving.archive.manifest import BACKEND_HANDLER, Manifest, runtime_of
from serving.model_config import ModelConfig
from serving.protocol.metadata import TensorMetadata
from serving.protocol.torchserve import ModelDescription

__all__ = (
    "DynamicBatching",
    "InstanceGroup",
    "ModelConfiguration",
    "QueuePolicy",
    "TensorConfig",
    "configuration_of",
    "platform_of",
)

_TYPES = {"BYTES": "TYPE_STRING"}

# Of the others the backend is called as here, or it is PyTorch without a name for the file's kind.
_TRITON = {
    "onnxruntime": ("onnxruntime", "onnxruntime_onnx"),
    "torchscript": ("pytorch", "pytorch_libtorch"),
    "export": ("pytorch", ""),
    "eager": ("pytorch", ""),
}


class TensorConfig(msgspec.Struct, frozen=True, kw_only=True):
    """One input or output, without the batch axis."""

    name: str
    data_type: str
    dims: tuple[int, ...]


class QueuePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How long a request may wait, and how many."""

    default_timeout_microseconds: int
    allow_timeout_override: bool
    max_queue_size: int


class DynamicBatching(msgspec.Struct, frozen=True, kw_only=True):
    """How requests are put together."""

    preferred_batch_size: tuple[int, ...]
    max_queue_delay_microseconds: int
    default_queue_policy: QueuePolicy


class InstanceGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The workers.

    Attributes:
        name: of the group.
        kind: "KIND_CPU" or "KIND_GPU".
        count: of workers kept.
        gpus: their indices.
    """

    name: str
    kind: str
    count: int
    gpus: tuple[int, ...] = ()


class VersionPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Which versions are served: all that are registered."""

    all: Mapping[str, int] = {}


class TransactionPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How many answers a request gets: one."""

    decoupled: bool = False


class ModelConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """The part of Triton's ModelConfig that is true of this server.

    Attributes:
        name: of the model.
        platform: the kind of its file; "" where the backend tells it.
        backend: what runs it; "python" is a handler.
        version_policy: which versions are served.
        max_batch_size: most rows of a batch; 0 where the tensors of a request have no batch axis,
            though such requests are put together as well (`dynamic_batching`).
        input: what it takes.
        output: what it gives.
        instance_group: its workers.
        default_model_filename: "": the manifest names the files.
        dynamic_batching: how requests are put together.
        parameters: `items_of_a_batch`: most items of a batch, whether or not there is an axis.
        model_transaction_policy: how many answers a request gets.
    """

    name: str
    platform: str
    backend: str
    version_policy: VersionPolicy = VersionPolicy()
    max_batch_size: int
    input: tuple[TensorConfig, ...]
    output: tuple[TensorConfig, ...]
    instance_group: tuple[InstanceGroup, ...]
    default_model_filename: str = ""
    dynamic_batching: DynamicBatching
    parameters: Mapping[str, Mapping[str, str]]
    model_transaction_policy: TransactionPolicy = TransactionPolicy()


def configuration_of(
    manifest: Manifest, config: ModelConfig, described: ModelDescription
) -> ModelConfiguration:
    """Write how a model is served in the extension's form."""
    backend, platform = _names_of(manifest)
    return ModelConfiguration(
        name=manifest.name,
        platform=platform,
        backend=backend,
        max_batch_size=described.batch_size if manifest.batch.axis else 0,
        input=_tensors(manifest.inputs),
        output=_tensors(manifest.outputs),
        instance_group=(_workers(config, described),),
        dynamic_batching=DynamicBatching(
            preferred_batch_size=config.preferred_batch_sizes,
            max_queue_delay_microseconds=described.max_batch_delay * 1000,
            default_queue_policy=QueuePolicy(
                default_timeout_microseconds=round(config.default_timeout_s * 1e6),
                allow_timeout_override=True,
                max_queue_size=config.queue_size,
            ),
        ),
        parameters={"items_of_a_batch": {"string_value": str(described.batch_size)}},
    )


def platform_of(manifest: Manifest) -> str:
    """Name a model's platform as Triton does: the backend's name where the file's kind has none."""
    backend, platform = _names_of(manifest)
    return platform or backend


def _names_of(manifest: Manifest) -> tuple[str, str]:
    """Triton's names of the backend and of the platform."""
    if manifest.handler != BACKEND_HANDLER:
        return "python", ""
    runtime = runtime_of(manifest.model, manifest.backend)
    return _TRITON.get(runtime, (runtime, ""))


def _tensors(declared: Sequence[TensorMetadata]) -> tuple[TensorConfig, ...]:
    return tuple(
        TensorConfig(
            name=tensor.name,
            data_type=_TYPES.get(tensor.datatype, f"TYPE_{tensor.datatype}"),
            # A scalar has no sizes, and Triton's clients ask for at least one.
            dims=tensor.shape or (1,),
        )
        for tensor in declared
    )


def _workers(config: ModelConfig, described: ModelDescription) -> InstanceGroup:
    is_gpu = described.device_type == "gpu"
    return InstanceGroup(
        name=f"{described.model_name}_0",
        kind="KIND_GPU" if is_gpu else "KIND_CPU",
        count=described.min_workers,
        gpus=config.device_ids,
    )
