"""TorchServe's config.properties as our settings: each key honoured, or named with the reason.

Keys, defaults and order of precedence (environment, command line, file, last snapshot) are those of
TorchServe 0.12's configuration documentation. What a key means where this server works differently
is said in docs/torchserve.md.
"""

import logging
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from serving.properties import parse_properties
from serving.settings import InvalidSettings, ModelConfig, ServerSettings, usable_cores

__all__ = ("IGNORED", "lay_over", "read_properties", "settings_from_properties")

_log = logging.getLogger(__name__)

_VARIABLE = re.compile(r"\$\$([^$]+)\$\$")


class _Key(NamedTuple):
    """Where a key's value goes, and how it is read; a field `defaults.x` is a model's."""

    field: str
    read: Callable[[str], Any] = str


def _is_true(text: str) -> bool:
    return text.strip().lower() == "true"


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)


def _token(text: str) -> str:
    return "off" if _is_true(text) else "all"


_KEYS = {
    "inference_address": _Key("inference_address"),
    "management_address": _Key("management_address"),
    "metrics_address": _Key("metrics_address"),
    "keystore": _Key("keystore"),
    "keystore_pass": _Key("keystore_pass"),
    "private_key_file": _Key("private_key_file"),
    "certificate_file": _Key("certificate_file"),
    "model_store": _Key("models_dir"),
    "load_models": _Key("load_models"),
    "workflow_store": _Key("workflows_dir"),
    "default_workers_per_model": _Key("defaults.min_workers", int),
    "default_service_handler": _Key("default_service_handler"),
    "service_envelope": _Key("service_envelope"),
    "install_py_dep_per_model": _Key("install_py_dep_per_model", _is_true),
    "allowed_urls": _Key("allowed_urls", _listed),
    "enable_model_api": _Key("enable_model_api", _is_true),
    "job_queue_size": _Key("defaults.queue_size", int),
    "max_request_size": _Key("max_request_bytes", int),
    "max_response_size": _Key("max_response_bytes", int),
    "limit_max_image_pixels": _Key("limit_max_image_pixels", _is_true),
    "default_response_timeout": _Key("defaults.response_timeout_s", float),
    "default_startup_timeout": _Key("defaults.startup_timeout_s", float),
    "unregister_model_timeout": _Key("unregister_timeout_s", float),
    "number_of_gpu": _Key("number_of_gpu", int),
    "enable_metrics_api": _Key("enable_metrics_api", _is_true),
    "metrics_mode": _Key("metrics_mode", str.lower),
    "metrics_config": _Key("metrics_config"),
    "model_metrics_auto_detect": _Key("model_metrics_auto_detect", _is_true),
    "disable_system_metrics": _Key("disable_system_metrics", _is_true),
    "metric_time_interval": _Key("metrics_interval_s", float),
    "disable_token_authorization": _Key("token_authorization", _token),
    "token_expiration_min": _Key("token_expiration_min", float),
    "cors_allowed_origin": _Key("cors_allowed_origin"),
    "cors_allowed_methods": _Key("cors_allowed_methods"),
    "cors_allowed_headers": _Key("cors_allowed_headers"),
    "decode_input_request": _Key("decode_input_request", _is_true),
    "grpc_inference_address": _Key("grpc_inference_address"),
    "grpc_management_address": _Key("grpc_management_address"),
    "grpc_inference_port": _Key("grpc_inference_port", int),
    "grpc_management_port": _Key("grpc_management_port", int),
    "enable_grpc_ssl": _Key("enable_grpc_ssl", _is_true),
    "grpc_inference_max_connection_age_ms": _Key("grpc_inference_max_connection_age_ms", int),
    "grpc_management_max_connection_age_ms": _Key("grpc_management_max_connection_age_ms", int),
    "grpc_inference_max_connection_age_grace_ms": _Key(
        "grpc_inference_max_connection_age_grace_ms", int
    ),
    "grpc_management_max_connection_age_grace_ms": _Key(
        "grpc_management_max_connection_age_grace_ms", int
    ),
}

# Read by this module or by the command line, not by the server.
_OWN = {
    "enable_envvars_config",
    "use_env_allowed_urls",
    "models",
    "model_snapshot",
    "ts_header_key_sequence_id",
    "ts_header_key_sequence_start",
    "ts_header_key_sequence_end",
    "compat",
}

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
    "initial_distribution_port": "torchrun is not started by this server",
    "keystore_type": "PKCS12 is read, Java's own JKS is not",
    "ipex_enable": "the extension is no longer maintained",
    "ipex_gpu_enable": "the extension is no longer maintained",
    "cpu_launcher_enable": "workers are given their cores and threads by the server",
    "cpu_launcher_args": "workers are given their cores and threads by the server",
    "cpp_log_config": "there is no C++ backend",
    "system_metrics_cmd": "the numbers are read in the server's own process",
    "blacklist_env_vars": "workers get an environment of allowed names only",
    "ts_open_inference_protocol": "the protocol is always on",
    "debug": "set the level of the log with --log-level",
    "model_server_home": "there is no home folder",
    "version": "it is the server's own",
    "python": "workers run in the server's interpreter, or in the model's own environment",
    "tsConfigFile": "it is this file",
}
"""Keys that change nothing here, each with the reason."""

_MODEL_KEYS = {
    "minWorkers": "min_workers",
    "maxWorkers": "max_workers",
    "batchSize": "batch_size",
    "maxBatchDelay": "max_batch_delay_ms",
    "responseTimeout": "response_timeout_s",
    "startupTimeout": "startup_timeout_s",
}


def read_properties(
    path: Path, environment: Mapping[str, str], overrides: Mapping[str, str]
) -> dict[str, str]:
    """Read a file, with its `$$NAME$$` replaced, the command line and the environment over it.

    Args:
        path: of the file.
        environment: the process's.
        overrides: what the command line says, by key.

    Raises:
        InvalidSettings: when it cannot be read, or names a variable that is not set.
    """
    try:
        found = parse_properties(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: {error}"
        raise InvalidSettings(msg) from error
    replaced = {key: _replaced(value, environment) for key, value in found.items()}
    return lay_over(replaced, environment, overrides)


def lay_over(
    found: Mapping[str, str], environment: Mapping[str, str], overrides: Mapping[str, str]
) -> dict[str, str]:
    """Write the command line, and the environment where the file allows that, over a file."""
    values = {**found, **overrides}
    if not _is_true(values.get("enable_envvars_config", "")):
        # These two are always read.
        allowed = {"ts_open_inference_protocol"}
    else:
        allowed = {*_KEYS, *IGNORED, *_OWN}
        if not _is_true(values.get("use_env_allowed_urls", "")):
            allowed.discard("allowed_urls")
    for key in allowed:
        variable = key.upper() if key.startswith("ts_") else f"TS_{key.upper()}"
        if variable in environment:
            values[key] = environment[variable]
    return values


def settings_from_properties(values: Mapping[str, str]) -> ServerSettings:
    """Turn the keys into settings; those that change nothing are named in the log.

    Raises:
        InvalidSettings: when a value is out of bounds or not what the key takes.
    """
    is_reference = values.get("compat", "") == "torchserve"
    table: dict[str, Any] = {"load_models": "", "defaults": {}} | (
        _reference_defaults() if is_reference else {}
    )
    for key, value in values.items():
        if key in _KEYS:
            _place(table, key, value)
        elif key in IGNORED:
            _log.warning("config.properties: %s=%s is ignored: %s", key, value, IGNORED[key])
        elif key not in _OWN:
            _log.warning("config.properties: there is no key %s", key)
    table["sequence_headers"] = _sequence_headers(values)
    if "compat" in values:
        table["compat"] = values["compat"]
    try:
        defaults = msgspec.convert(table["defaults"], ModelConfig)
        table["models"] = _models(values.get("models", "{}"), table["defaults"])
        table |= {"defaults": defaults, "properties": dict(values)}
        return msgspec.convert(table, ServerSettings)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        msg = f"config.properties: {error}"
        raise InvalidSettings(msg) from error


def _reference_defaults() -> dict[str, Any]:
    """What TorchServe does where a file says nothing, as far as ours is better or safer."""
    return {
        "compat": "torchserve",
        "defaults": {"min_workers": usable_cores()},
        "token_authorization": "all",
        "allowed_urls": ("file://.*|http(s)?://.*",),
        "allow_private_urls": True,
        "max_request_bytes": 6_553_500,
        "max_response_bytes": 6_553_500,
        "metrics_mode": "log",
        "model_metrics_auto_detect": False,
    }


def _replaced(value: str, environment: Mapping[str, str]) -> str:
    def variable(match: re.Match[str]) -> str:
        if match[1] not in environment:
            msg = f"config.properties: the variable {match[1]} is not set"
            raise InvalidSettings(msg)
        return environment[match[1]]

    return _VARIABLE.sub(variable, value)


def _place(table: dict[str, Any], key: str, text: str) -> None:
    """Write a key's value into the table of the settings."""
    where = _KEYS[key]
    try:
        value = where.read(text.strip())
    except ValueError as error:
        msg = f"config.properties: {key} must be a number, got {text!r}"
        raise InvalidSettings(msg) from error
    if key == "default_workers_per_model":
        table["initial_workers"] = value
    is_default, _, field = where.field.rpartition(".")
    if is_default:
        table["defaults"][field] = value
    else:
        table[field] = value


def _sequence_headers(values: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        values.get(f"ts_header_key_sequence_{part}", f"ts_request_sequence_{part}")
        for part in ("id", "start", "end")
    )


def _models(text: str, defaults: Mapping[str, Any]) -> dict[str, ModelConfig]:
    """Read the key `models`, each version's own values over those of all models.

    Raises:
        msgspec.DecodeError: when it is no JSON of names, versions and numbers.
    """
    described = msgspec.json.decode(text, type=dict[str, dict[str, dict[str, Any]]])
    return {
        f"{name}:{version}": msgspec.convert({**defaults, **_numbers(table)}, ModelConfig)
        for name, versions in described.items()
        for version, table in versions.items()
    }


def _numbers(table: Mapping[str, Any]) -> dict[str, int]:
    """Take the numbers over that TorchServe reads; one that is not positive means the default."""
    found: dict[str, int] = {}
    for key, field in _MODEL_KEYS.items():
        value = table.get(key)
        if isinstance(value, int) and value > 0:
            found[field] = value
    return found
