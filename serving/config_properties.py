"""TorchServe's config.properties as our settings: each key honoured, or named with the reason.

Keys, defaults and order of precedence (environment, command line, file, last snapshot) are those of
TorchServe 0.12's configuration documentation. What a key means where this server works differently
is said in docs/torchserve.md.
"""

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from serving.config_keys import IGNORED, KEYS, MODEL_KEYS, OWN, is_true
from serving.errors import reason_of
from serving.hardware import count_gpus, usable_cores
from serving.model_config import ModelConfig
from serving.properties import parse_properties
from serving.settings import InvalidSettings, ServerSettings

__all__ = ("lay_over", "read_properties", "settings_from_properties")

_log = logging.getLogger(__name__)

_VARIABLE = re.compile(r"\$\$([^$]+)\$\$")


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
        msg = f"{path}: {reason_of(error)}"
        raise InvalidSettings(msg) from error
    replaced = {key: _replaced(value, environment) for key, value in found.items()}
    return lay_over(replaced, environment, overrides)


def lay_over(
    found: Mapping[str, str], environment: Mapping[str, str], overrides: Mapping[str, str]
) -> dict[str, str]:
    """Write the command line, and the environment where the file allows that, over a file."""
    values = {**found, **overrides}
    if not is_true(values.get("enable_envvars_config", "")):
        # These two are always read.
        allowed = {"ts_open_inference_protocol"}
    else:
        allowed = {*KEYS, *IGNORED, *OWN}
        if not is_true(values.get("use_env_allowed_urls", "")):
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
        if key in KEYS:
            _place(table, key, value)
        elif key in IGNORED:
            _log.warning("config.properties: %s=%s is ignored: %s", key, value, IGNORED[key])
        elif key not in OWN:
            _log.warning("config.properties: there is no key %s", key)
    table["sequence_headers"] = _sequence_headers(values)
    table["defaults"] |= _gpus(values.get("number_of_gpu"))
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
    where = KEYS[key]
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


def _gpus(limit: str | None) -> dict[str, Any]:
    """Let the workers of a model take the GPUs in turn, as many as there are and as may be used."""
    try:
        most = count_gpus() if limit is None else min(int(limit), count_gpus())
    except ValueError as error:
        msg = f"config.properties: number_of_gpu must be a number, got {limit!r}"
        raise InvalidSettings(msg) from error
    if most > 0:
        return {"device_ids": tuple(range(most))}
    return {} if limit is None else {"device": "cpu"}


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
    for key, field in MODEL_KEYS.items():
        value = table.get(key)
        if isinstance(value, int) and value > 0:
            found[field] = value
    return found
