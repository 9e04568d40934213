import logging
from pathlib import Path

import pytest

from serving.config_keys import IGNORED, KEYS, OWN
from serving.config_properties import lay_over, read_properties, settings_from_properties
from serving.hardware import usable_cores
from serving.model_config import ModelConfig
from serving.settings import InvalidSettings, ServerSettings

# The keys of TorchServe 0.12's documentation of config.properties, and of its ConfigManager.
DOCUMENTED = """
async_logging allowed_urls blacklist_env_vars certificate_file cors_allowed_headers
cors_allowed_methods cors_allowed_origin cpp_log_config cpu_launcher_args cpu_launcher_enable debug
decode_input_request default_response_timeout default_service_handler default_startup_timeout
default_workers_per_model disable_system_metrics disable_token_authorization enable_envvars_config
enable_grpc_ssl enable_metrics_api enable_model_api grpc_inference_address
grpc_inference_max_connection_age_grace_ms grpc_inference_max_connection_age_ms grpc_inference_port
grpc_management_address grpc_management_max_connection_age_grace_ms
grpc_management_max_connection_age_ms grpc_management_port inference_address
initial_distribution_port initial_worker_port install_py_dep_per_model io_ratio ipex_enable
ipex_gpu_enable job_queue_size keystore keystore_pass keystore_type limit_max_image_pixels
load_models management_address max_request_size max_response_size metric_time_interval
metrics_address metrics_config metrics_mode model_metrics_auto_detect model_server_home
model_snapshot model_store models netty_client_threads number_of_gpu number_of_netty_threads
plugins_path prefer_direct_buffer private_key_file service_envelope system_metrics_cmd
token_expiration_min ts_header_key_sequence_end ts_header_key_sequence_id
ts_header_key_sequence_start ts_open_inference_protocol unregister_model_timeout
use_env_allowed_urls use_native_io vmargs workflow_store
"""


def read(
    tmp_path: Path,
    text: str,
    environment: dict[str, str] | None = None,
    overrides: dict[str, str] | None = None,
) -> ServerSettings:
    path = tmp_path / "config.properties"
    path.write_text(text)
    return settings_from_properties(read_properties(path, environment or {}, overrides or {}))


@pytest.mark.parametrize("key", DOCUMENTED.split())
def test_every_key_is_honoured_or_named_with_a_reason(key: str) -> None:
    assert (key in KEYS) + (key in OWN) + (key in IGNORED) == 1


@pytest.mark.parametrize("key", KEYS)
def test_honoured_key_has_a_setting(key: str) -> None:
    fields = {
        *ServerSettings.__struct_fields__,
        *(f"defaults.{name}" for name in ModelConfig.__struct_fields__),
    }
    assert KEYS[key].field in fields


def test_keys_become_settings(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        "inference_address=https://0.0.0.0:8443\nmodel_store=/store\nload_models=a.mar,b=c.mar\n"
        "max_request_size=1000\ndefault_response_timeout=300\njob_queue_size=7\n"
        "default_workers_per_model=3\nenable_model_api=TRUE\nallowed_urls=https://a/.*,s3://.*\n",
    )
    assert settings.inference_address == "https://0.0.0.0:8443"
    assert (settings.models_dir, settings.load_models) == ("/store", "a.mar,b=c.mar")
    assert settings.max_request_bytes == 1000
    assert settings.defaults == ModelConfig(
        min_workers=3,
        queue_size=7,
        response_timeout_s=300,
    )
    assert settings.initial_workers == 3
    assert settings.enable_model_api
    assert settings.allowed_urls == ("https://a/.*", "s3://.*")


def test_empty_file_is_safer_than_the_reference(tmp_path: Path) -> None:
    settings = read(tmp_path, "")
    assert settings.token_authorization == "management"
    assert settings.allowed_urls == ()
    assert settings.load_models == ""
    assert settings.defaults.min_workers == 1


def test_empty_file_gives_the_references_defaults_where_asked_for(tmp_path: Path) -> None:
    settings = read(tmp_path, "compat=torchserve")
    assert settings.compat == "torchserve"
    assert settings.token_authorization == "all"
    assert settings.allowed_urls == ("file://.*|http(s)?://.*",)
    assert settings.max_request_bytes == 6_553_500
    assert settings.metrics_mode == "log"
    assert settings.defaults.min_workers == usable_cores()


@pytest.mark.parametrize(("value", "expected"), [("true", "off"), ("false", "all")])
def test_token_authorization_is_what_the_file_says(
    tmp_path: Path, value: str, expected: str
) -> None:
    assert read(tmp_path, f"disable_token_authorization={value}").token_authorization == expected


def test_versions_of_a_model_have_values_of_their_own(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        "job_queue_size=5\n"
        'models={"m":{"1.0":{"defaultVersion":true,"marName":"m.mar","minWorkers":2,\\\n'
        '  "maxWorkers":4,"batchSize":8,"maxBatchDelay":50,"responseTimeout":0}}}',
    )
    assert settings.config_of("m", "1.0") == ModelConfig(
        min_workers=2, max_workers=4, batch_size=8, max_batch_delay_ms=50, queue_size=5
    )
    assert settings.config_of("m", "2.0") == ModelConfig(queue_size=5)


@pytest.mark.parametrize(
    ("text", "there", "expected"),
    [
        ("", 0, ModelConfig()),
        ("", 2, ModelConfig(device_ids=(0, 1))),
        ("number_of_gpu=1", 2, ModelConfig(device_ids=(0,))),
        ("number_of_gpu=4", 2, ModelConfig(device_ids=(0, 1))),
        ("number_of_gpu=0", 2, ModelConfig(device="cpu")),
        ("blacklist_env_vars=AWS_.*", 0, ModelConfig(environment_deny="AWS_.*")),
    ],
)
def test_workers_get_gpus_and_environment_as_the_file_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, there: int, expected: ModelConfig
) -> None:
    monkeypatch.setattr("serving.config_properties.count_gpus", lambda: there)
    assert read(tmp_path, text).defaults == expected


def test_variables_are_replaced(tmp_path: Path) -> None:
    settings = read(tmp_path, "model_store=$$HOME$$/a$$B$$", {"HOME": "/h", "B": "c"})
    assert settings.models_dir == "/h/ac"


def test_variable_that_is_not_set_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="the variable NOWHERE is not set"):
        read(tmp_path, "model_store=$$NOWHERE$$", {})


def test_environment_goes_before_command_line_before_file(tmp_path: Path) -> None:
    text = "enable_envvars_config=true\nmodel_store=file\nload_models=file\njob_queue_size=1"
    settings = read(
        tmp_path,
        text,
        {"TS_MODEL_STORE": "environment"},
        {"model_store": "flag", "load_models": "flag"},
    )
    assert (settings.models_dir, settings.load_models) == ("environment", "flag")
    assert settings.defaults.queue_size == 1


def test_environment_is_silent_unless_the_file_lets_it_speak() -> None:
    assert lay_over({"model_store": "file"}, {"TS_MODEL_STORE": "environment"}, {}) == {
        "model_store": "file"
    }


def test_allowed_addresses_come_from_the_environment_only_where_that_is_allowed() -> None:
    environment = {"TS_ALLOWED_URLS": ".*"}
    on = {"enable_envvars_config": "true"}
    assert "allowed_urls" not in lay_over(on, environment, {})
    assert lay_over({**on, "use_env_allowed_urls": "true"}, environment, {})["allowed_urls"] == ".*"


def test_key_that_changes_nothing_is_named_with_the_reason(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        read(tmp_path, "vmargs=-Xmx4g\nmodel_sotre=x")
    assert caplog.messages == [
        "config.properties: vmargs=-Xmx4g is ignored: there is no Java machine",
        "config.properties: there is no key model_sotre",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("job_queue_size=many", "job_queue_size must be a number"),
        ("job_queue_size=0", ">= 1"),
        ("number_of_gpu=all", "number_of_gpu must be a number"),
        ("models={", "truncated"),
        ('models={"m": 1}', "Expected `object`"),
        ("service_envelope=paper", "Invalid enum value"),
    ],
)
def test_value_that_is_none_stops_the_start(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InvalidSettings, match=f"config.properties: .*{reason}"):
        read(tmp_path, text)


def test_file_that_cannot_be_read_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match=r"nowhere: No such file or directory$"):
        read_properties(tmp_path / "nowhere", {}, {})
