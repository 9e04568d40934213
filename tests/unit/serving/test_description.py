"""What `GET /models/{name}` says of a model is how it is served."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from serving.archive.manifest import Manifest
from serving.archive.stored import StoredModel
from serving.batching.pending import BatchLimits
from serving.model_config import ModelConfig
from serving.registry.description import describe


class _Idle:
    """No workers, and nothing that waits."""

    min_workers, max_workers, workers, waiting = 1, 2, (), 0
    limits = BatchLimits(size=4, delay_s=0.05, queue_size=7)


def _described(config: ModelConfig, tmp_path: Path, python: Path | None = None) -> dict[str, Any]:
    manifest = Manifest(name="m", version="1", handler="h.py:H")
    stored = StoredModel(folder=tmp_path, manifest=manifest, python=python)
    idle: Any = _Idle()
    told: dict[str, Any] = msgspec.to_builtins(describe(stored, config, idle, idle))
    return told


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            ModelConfig(),
            {
                "maxRetryTimeoutInSec": 2**31 - 1,
                "clientTimeoutInMills": 60000,
                "parallelType": "",
                "parallelLevel": 0,
                "continuousBatching": False,
                "stateful": False,
                "sequenceMaxIdleMSec": 0,
                "maxNumSequence": 1,
            },
        ),
        (
            ModelConfig(processes=4, parallel="pptp", max_retry_timeout_s=5, use_job_ticket=True),
            {
                "maxRetryTimeoutInSec": 5,
                "parallelType": "pptp",
                "parallelLevel": 4,
                "useJobTicket": True,
            },
        ),
        (
            ModelConfig(sequence_batching=True, sequence_timeout_s=1.5, max_sequences=3),
            {
                "stateful": True,
                "sequenceMaxIdleMSec": 30000,
                "sequenceTimeoutMSec": 1500,
                "maxNumSequence": 3,
                "maxSequenceJobQueueSize": 16,
            },
        ),
        (
            ModelConfig(device="cuda:1", device_ids=(1, 2), continuous_batching=True),
            {"deviceType": "gpu", "deviceIds": (1, 2), "continuousBatching": True},
        ),
    ],
    ids=["defaults", "processes", "sequences", "gpus"],
)
def test_a_model_is_described_as_it_is_served(
    config: ModelConfig, said: dict[str, Any], tmp_path: Path
) -> None:
    told = _described(config, tmp_path)
    assert {key: told[key] for key in said} == said


def test_packages_of_its_own_are_told(tmp_path: Path) -> None:
    assert _described(ModelConfig(), tmp_path)["useVenv"] is False
    assert _described(ModelConfig(), tmp_path, tmp_path / "python")["useVenv"] is True
