"""model-config.yaml: what the server takes from it, and what it says of the rest."""

from pathlib import Path
from typing import Any

import pytest

from serving.archive.model_config import _FIELDS, config_from_yaml, read_model_yaml
from serving.errors import InvalidModel
from serving.model_config import ModelConfig


def test_keys_of_the_server_become_fields_and_the_rest_is_the_handlers() -> None:
    table = {
        "minWorkers": 2,
        "maxWorkers": 3,
        "batchSize": 4,
        "maxBatchDelay": 50,
        "sloP99Ms": 100,
        "responseTimeout": 30,
        "startupTimeout": 60,
        "jobQueueSize": 10,
        "clientTimeoutInMills": 1500,
        "deviceType": "cpu",
        "handler": {"profile": True},
        "anything": [1],
    }
    assert config_from_yaml(table) == (
        {
            "min_workers": 2,
            "max_workers": 3,
            "batch_size": 4,
            "max_batch_delay_ms": 50,
            "slo_p99_ms": 100,
            "response_timeout_s": 30,
            "startup_timeout_s": 60,
            "queue_size": 10,
            "default_timeout_s": 1.5,
            "device": "cpu",
        },
        [],
    )


@pytest.mark.parametrize(
    ("table", "config"),
    [
        ({"deviceType": "gpu"}, {"device": "cuda:0"}),
        ({"deviceIds": [2, 3]}, {"device": "cuda:2", "device_ids": (2, 3)}),
        ({"deviceType": "cpu", "deviceIds": [1]}, {"device": "cpu"}),
    ],
)
def test_the_devices_are_chosen_by_type_and_number(
    table: dict[str, Any], config: dict[str, Any]
) -> None:
    assert config_from_yaml(table) == (config, [])


@pytest.mark.parametrize(
    ("table", "config"),
    [
        (
            {"parallelType": "tp", "torchrun": {"nproc-per-node": 4, "OMP_NUMBER_THREADS": 2}},
            {"parallel": "tp", "processes": 4, "threads": 2},
        ),
        ({"parallelType": "pp", "parallelLevel": 2}, {"parallel": "pp", "processes": 2}),
        ({"parallelType": "custom", "parallelLevel": 2}, {}),
    ],
)
def test_processes_of_one_worker_are_counted_by_torchrun(
    table: dict[str, Any], config: dict[str, Any]
) -> None:
    assert config_from_yaml(table) == (config, [])


@pytest.mark.parametrize(
    "table",
    [
        {"parallelType": "neither"},
        {"parallelType": "tp", "torchrun": {"nnodes": 2}},
        {"parallelType": "tp", "torchrun": {"nproc-per-node": "auto"}},
    ],
)
def test_processes_that_cannot_be_started_here_are_noted(table: dict[str, Any]) -> None:
    config, (note,) = config_from_yaml(table)
    assert config == {}
    assert "is not followed" in note


def test_no_limit_of_the_clients_time_is_no_limit() -> None:
    assert config_from_yaml({"clientTimeoutInMills": 0}) == ({}, [])
    assert config_from_yaml({"sequenceMaxIdleMSec": 0}) == ({"sequence_max_idle_s": None}, [])


def test_every_field_is_one_of_the_servers() -> None:
    assert {field for field, _ in _FIELDS.values()} <= set(ModelConfig.__struct_fields__)


@pytest.mark.parametrize(
    ("key", "value"),
    [("minWorkers", "two"), ("batchSize", 0), ("batchSize", True), ("deviceType", "neuron")],
)
def test_a_value_that_cannot_be_is_passed_over_with_a_note(key: str, value: object) -> None:
    config, (note,) = config_from_yaml({key: value})
    assert config == {}
    assert note.startswith(f"{key} is not followed: must be")


def test_handlers_that_are_coroutines_get_many_batches_at_a_time() -> None:
    assert config_from_yaml({"asyncCommunication": True}) == ({"batches_at_once": 100}, [])
    assert config_from_yaml({"asyncCommunication": False}) == ({"batches_at_once": 1}, [])


def _write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "model-config.yaml"
    path.write_text(text)
    return path


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    assert read_model_yaml(_write(tmp_path, "# nothing\n")) == {}


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system ['true']",
        "a: [1",
        "- a\n- b",
        "a: 1" + " " * (1 << 20),
        "[" * 5000,
    ],
    ids=["object", "broken", "list", "large", "deep"],
)
def test_what_is_no_plain_table_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidModel):
        read_model_yaml(_write(tmp_path, text))
