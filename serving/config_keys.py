"""The keys of TorchServe's config.properties: where each goes, or why it changes nothing here."""

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ("IGNORED", "KEYS", "MODEL_KEYS", "OWN", "Key", "is_true")


class Key(NamedTuple):
    """Where a key's value goes, and how it is read; a field `defaults.x` is a model's."""

    field: str
    read: Callable[[str], Any] = str


def is_true(text: str) -> bool:
    """Read a switch as Java does: what is not "true" is false."""
    return text.strip().lower() == "true"


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)


def _token(text: str) -> str:
    return "off" if is_true(text) else "all"


KEYS = {
    "inference_address": Key("inference_address"),
    "management_address": Key("management_address"),
    "metrics_address": Key("metrics_address"),
    "keystore": Key("keystore"),
    "keystore_pass": Key("keystore_pass"),
    "private_key_file": Key("private_key_file"),
    "certificate_file": Key("certificate_file"),
    "model_store": Key("models_dir"),
    "load_models": Key("load_models"),
    "workflow_store": Key("workflows_dir"),
    "default_workers_per_model": Key("defaults.min_workers", int),
    "default_service_handler": Key("default_service_handler"),
    "service_envelope": Key("service_envelope"),
    "install_py_dep_per_model": Key("install_py_dep_per_model", is_true),
    "allowed_urls": Key("allowed_urls", _listed),
    "enable_model_api": Key("enable_model_api", is_true),
    "job_queue_size": Key("defaults.queue_size", int),
    "max_request_size": Key("max_request_bytes", int),
    "max_response_size": Key("max_response_bytes", int),
    "limit_max_image_pixels": Key("limit_max_image_pixels", is_true),
    "default_response_timeout": Key("defaults.response_timeout_s", float),
    "default_startup_timeout": Key("defaults.startup_timeout_s", float),
    "unregister_model_timeout": Key("unregister_timeout_s", float),
    "blacklist_env_vars": Key("defaults.environment_deny"),
    "enable_metrics_api": Key("enable_metrics_api", is_true),
    "metrics_mode": Key("metrics_mode", str.lower),
    "metrics_config": Key("metrics_config"),
    "model_metrics_auto_detect": Key("model_metrics_auto_detect", is_true),
    "disable_system_metrics": Key("disable_system_metrics", is_true),
    "metric_time_interval": Key("metrics_interval_s", float),
    "disable_token_authorization": Key("token_authorization", _token),
    "token_expiration_min": Key("token_expiration_min", float),
    "cors_allowed_origin": Key("cors_allowed_origin"),
    "cors_allowed_methods": Key("cors_allowed_methods"),
    "cors_allowed_headers": Key("cors_allowed_headers"),
    "decode_input_request": Key("decode_input_request", is_true),
    "grpc_inference_address": Key("grpc_inference_address"),
    "grpc_management_address": Key("grpc_management_address"),
    "grpc_inference_port": Key("grpc_inference_port", int),
    "grpc_management_port": Key("grpc_management_port", int),
    "enable_grpc_ssl": Key("enable_grpc_ssl", is_true),
    "grpc_inference_max_connection_age_ms": Key("grpc_inference_max_connection_age_ms", int),
    "grpc_management_max_connection_age_ms": Key("grpc_management_max_connection_age_ms", int),
    "grpc_inference_max_connection_age_grace_ms": Key(
        "grpc_inference_max_connection_age_grace_ms", int
    ),
    "grpc_management_max_connection_age_grace_ms": Key(
        "grpc_management_max_connection_age_grace_ms", int
    ),
}
"""Keys that are settings of the server, or of all models."""

OWN = {
    "enable_envvars_config",
    "use_env_allowed_urls",
    "models",
    "model_snapshot",
    "number_of_gpu",
    "ts_header_key_sequence_id",
    "ts_header_key_sequence_start",
    "ts_header_key_sequence_end",
    "compat",
}
"""Keys that are read where the file is, or by the command line."""

IGNORED = {
    "number_of_netty_threads": "one event loop serves all connections",
    "netty_client_threads": "one event loop serves all connections",
    "prefer_direct_buffer": "there is no Java heap",
    "use_native_io": "the event loop is libuv's",
    "io_ratio": "the event loop is libuv's",
    "vmargs": "there is no Java machine",
    "plugins_path": "Java plugins cannot be loaded",
    "async_logging": "the log is written by the event loop's own process",
    "initial_worker_port": "workers have socket pairs and no ports",
    "initial_distribution_port": "processes of one worker meet at a free port",
    "keystore_type": "PKCS12 is read, Java's own JKS is not",
    "ipex_enable": "the extension is no longer maintained",
    "ipex_gpu_enable": "the extension is no longer maintained",
    "cpu_launcher_enable": "workers are given their cores and threads by the server",
    "cpu_launcher_args": "workers are given their cores and threads by the server",
    "cpp_log_config": "there is no C++ backend",
    "system_metrics_cmd": "the numbers are read in the server's own process",
    "ts_open_inference_protocol": "the protocol is always on",
    "debug": "set the level of the log with --log-level",
    "model_server_home": "there is no home folder",
    "version": "it is the server's own",
    "python": "workers run in the server's interpreter, or in the model's own environment",
    "tsConfigFile": "it is this file",
}
"""Keys that change nothing here, each with the reason."""

MODEL_KEYS = {
    "minWorkers": "min_workers",
    "maxWorkers": "max_workers",
    "batchSize": "batch_size",
    "maxBatchDelay": "max_batch_delay_ms",
    "responseTimeout": "response_timeout_s",
    "startupTimeout": "startup_timeout_s",
}
"""Of the key `models`: the numbers that are read, and the fields of ModelConfig that they set."""
