"""ServerSettings: what the server is told by its file and its environment."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from serving.audit.settings import AuditSettings
from serving.errors import ServingError, reason_of
from serving.model_config import ModelConfig
from serving.releases.plan import ReleasePlan
from serving.watch.settings import WatchSettings

__all__ = ("InvalidSettings", "ServerSettings", "read_settings")

_Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]
_Count = Annotated[int, msgspec.Meta(ge=1)]
_Seconds = Annotated[float, msgspec.Meta(gt=0)]

_PREFIX = "SERVING_"


class InvalidSettings(ServingError):
    """A setting is unknown, or its value is out of bounds."""

    code = "invalid_settings"


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the server is told.

    Attributes:
        compat: "torchserve" answers as TorchServe does also where that is wrong or unsafe; which
            those cases are stands in docs/torchserve.md.
        models_dir: a folder of model folders, each with a manifest.json, and of archives.
        load_models: which of them are loaded at the start: "all", or names of archives with a comma
            between them, each perhaps with the model's name before it (`cat=cat_v2.mar`).
        workflows_dir: a folder of workflow archives; "" for the one of the models.
        host: address of all listeners; models are code, so think before you open it.
        inference_port: 0 chooses a free one, as for the other two.
        management_port: which models are served, how they fare; and their changing.
        metrics_port: Prometheus text.
        inference_address: `http://host:port`, `https://host:port` or `unix:/path`; "" for `host`
            and `inference_port`. Equal addresses share a listener.
        management_address: likewise.
        metrics_address: likewise.
        enable_grpc: whether there are gRPC listeners.
        grpc_inference_address: "" for `host`.
        grpc_management_address: "" for `host`.
        grpc_inference_port: 0 chooses a free one, as for the other.
        grpc_management_port: likewise.
        enable_grpc_ssl: whether the gRPC listeners use the certificate.
        grpc_inference_max_connection_age_ms: older connections are ended; None: none is.
        grpc_management_max_connection_age_ms: likewise.
        grpc_inference_max_connection_age_grace_ms: what is under way gets this; None: all it needs.
        grpc_management_max_connection_age_grace_ms: likewise.
        certificate_file: PEM, for https addresses; without any, a certificate is made and signed by
            itself.
        private_key_file: PEM, of the certificate.
        keystore: a PKCS #12 file in place of the two.
        keystore_pass: of the keystore.
        max_request_bytes: larger bodies are refused.
        max_response_bytes: larger answers, or parts of one, are errors.
        enable_model_api: whether models may be registered and removed while the server runs.
        allowed_urls: regular expressions of addresses that archives may be fetched from.
        allow_private_urls: whether those may lead into private networks.
        token_authorization: who must show a token: nobody ("off"), the callers of management alone,
            or those of inference as well ("all").
        key_file: where the keys are written when the server starts, for its owner to read.
        token_expiration_min: how long a key is good, minutes.
        cors_allowed_origin: of pages in a browser; "" allows none.
        cors_allowed_methods: names with commas.
        cors_allowed_headers: names with commas.
        enable_metrics_api: whether there is a metrics listener.
        metrics_mode: "prometheus"; "log" writes metrics to files in `metrics_dir` instead, "legacy"
            writes all but the three counters of TorchServe 0.6.
        metrics_config: a YAML file of metrics as TorchServe's; "" for its default ones.
        model_metrics_auto_detect: whether handlers may add metrics that are in no such file.
        disable_system_metrics: whether nothing is said of processor, memory and disk.
        metrics_interval_s: how often those are looked at, seconds.
        trace_endpoint: where traces are taken, by OTLP over HTTP; "" as OTEL_EXPORTER_OTLP_ENDPOINT
            says.
        trace_share: of the requests for answers that traces show; None: as OTEL_TRACES_SAMPLER
            says, else all. Who is followed already, or is not, stays so.
        log_dir: files of the log and the requests, and the snapshots' folder `config`; "" for none.
        metrics_dir: files of the metrics in the modes "log" and "legacy"; "" for `log_dir`.
        snapshots: whether what is served is written down at each change, to be served again after
            the next start.
        service_envelope: what archives' handlers are wrapped in: "", "body", "json", "kserve" or
            "kservev2".
        default_service_handler: for archives that name none.
        decode_input_request: whether bodies reach archives' handlers as what their content type
            says, JSON and text; else as bytes.
        limit_max_image_pixels: whether archives' handlers refuse pictures that are bombs.
        install_py_dep_per_model: whether an archive's requirements are installed.
        client_shared_memory: whether clients on this machine may register shared memory for their
            tensors (Open Inference Protocol). They then read and write whatever shared memory the
            server's user may, so let nobody else in.
        most_workers: processes that a request may ask for, of one model.
        initial_workers: of a model that is registered by a request which names no number.
        drain_s: after the call to stop, how long requests are still taken while the server says
            that it is not ready, so that proxies turn away from it first, seconds.
        unregister_timeout_s: longest removal of a model, seconds.
        sequence_headers: names of the headers of a sequence's id, start and end.
        releases: by model, what is released from the start of the server: once.
        releases_file: where releases are kept over a restart; "" for `config/releases.json` in
            `log_dir`, and without that one they are not.
        audit: where changes are written down.
        watch: whether new models and versions are served by themselves; true: with the defaults.
        properties: what a config.properties said, to be written into snapshots.
        defaults: how models are served that `models` does not name.
        models: by model name, or by `name:version`, which goes before it.
    """

    compat: Literal["better", "torchserve"] = "better"
    models_dir: str = "models"
    load_models: str = "all"
    workflows_dir: str = ""
    host: str = "127.0.0.1"
    inference_port: _Port = 8080
    management_port: _Port = 8081
    metrics_port: _Port = 8082
    inference_address: str = ""
    management_address: str = ""
    metrics_address: str = ""
    enable_grpc: bool = True
    grpc_inference_address: str = ""
    grpc_management_address: str = ""
    grpc_inference_port: _Port = 7070
    grpc_management_port: _Port = 7071
    enable_grpc_ssl: bool = False
    grpc_inference_max_connection_age_ms: _Count | None = None
    grpc_management_max_connection_age_ms: _Count | None = None
    grpc_inference_max_connection_age_grace_ms: _Count | None = None
    grpc_management_max_connection_age_grace_ms: _Count | None = None
    certificate_file: str = ""
    private_key_file: str = ""
    keystore: str = ""
    keystore_pass: str = "changeit"
    max_request_bytes: _Count = 64 * 1024 * 1024
    max_response_bytes: _Count = 256 * 1024 * 1024
    enable_model_api: bool = False
    allowed_urls: tuple[str, ...] = ()
    allow_private_urls: bool = False
    token_authorization: Literal["off", "management", "all"] = "management"
    key_file: str = "key_file.json"
    token_expiration_min: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    cors_allowed_origin: str = ""
    cors_allowed_methods: str = ""
    cors_allowed_headers: str = ""
    enable_metrics_api: bool = True
    metrics_mode: Literal["prometheus", "log", "legacy"] = "prometheus"
    metrics_config: str = ""
    model_metrics_auto_detect: bool = True
    disable_system_metrics: bool = False
    metrics_interval_s: _Seconds = 60.0
    trace_endpoint: Annotated[str, msgspec.Meta(pattern=r"^(https?://.*)?$")] = ""
    trace_share: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    log_dir: str = ""
    metrics_dir: str = ""
    snapshots: bool = False
    service_envelope: Literal["", "body", "json", "kserve", "kservev2"] = ""
    default_service_handler: str = ""
    decode_input_request: bool = True
    limit_max_image_pixels: bool = True
    install_py_dep_per_model: bool = False
    client_shared_memory: bool = False
    most_workers: _Count = 64
    initial_workers: Annotated[int, msgspec.Meta(ge=0)] = 0
    drain_s: Annotated[float, msgspec.Meta(ge=0, le=600)] = 0.0
    unregister_timeout_s: _Seconds = 120.0
    sequence_headers: tuple[str, str, str] = (
        "ts_request_sequence_id",
        "ts_request_sequence_start",
        "ts_request_sequence_end",
    )
    releases: dict[str, ReleasePlan] = {}
    releases_file: str = ""
    audit: AuditSettings = AuditSettings()
    watch: WatchSettings = WatchSettings()
    properties: dict[str, str] = {}
    defaults: ModelConfig = ModelConfig()
    models: dict[str, ModelConfig] = {}

    def config_of(self, model: str, version: str = "") -> ModelConfig:
        """How this model, or this version of it, is served."""
        named = self.models.get(f"{model}:{version}") or self.models.get(model)
        return named or self.defaults


_DEFAULTS = ServerSettings()
_TABLES = {"defaults", "models", "properties", "releases"}
_TOPICS: Mapping[str, type[msgspec.Struct]] = {"audit": AuditSettings, "watch": WatchSettings}
"""Tables whose fields the environment sets as well: SERVING_AUDIT_FILE sets `file` of `audit`."""


def read_settings(path: Path | None, environment: Mapping[str, str]) -> ServerSettings:
    """Read the table `[serving]` of a TOML file; the environment has the last word.

    `SERVING_HOST`, `SERVING_MODELS_DIR` and so on set the field of that name (lists with commas),
    and `SERVING_MIN_WORKERS` and the like set the default for all models.

    Raises:
        InvalidSettings: when the file cannot be read, or a setting is unknown or out of bounds.
    """
    try:
        table = _read_table(path) if path else {}
        if isinstance(table.get("watch"), bool):
            table["watch"] = {"enabled": table["watch"]}
        _lay_over(table, environment)
        return msgspec.convert(table, ServerSettings, strict=False)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        msg = f"{path or 'environment'}: {reason_of(error)}"
        raise InvalidSettings(msg) from error


def _read_table(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        table = tomllib.load(file).get("serving", {})
    if not isinstance(table, dict):
        msg = "serving must be a table"
        raise msgspec.ValidationError(msg)
    return table


def _lay_over(table: dict[str, Any], environment: Mapping[str, str]) -> None:
    """Write what the environment says over what the file says."""
    own = set(ServerSettings.__struct_fields__) - _TABLES - _TOPICS.keys()
    for variable, value in environment.items():
        field = variable.removeprefix(_PREFIX).lower()
        if not variable.startswith(_PREFIX):
            continue
        if field in own:
            is_list = isinstance(getattr(_DEFAULTS, field), tuple)
            table[field] = value.split(",") if is_list else value
        elif field in ModelConfig.__struct_fields__:
            _table_in(table, "defaults")[field] = value
        else:
            _lay_over_topic(table, field, value)


def _lay_over_topic(table: dict[str, Any], field: str, value: str) -> None:
    """Set a field of a topic's table; an unknown variable is another program's."""
    topic, _, name = field.partition("_")
    if field == "watch":
        topic, name = "watch", "enabled"
    if topic in _TOPICS and name in _TOPICS[topic].__struct_fields__:
        _table_in(table, topic)[name] = value


def _table_in(table: dict[str, Any], name: str) -> dict[str, Any]:
    found = table.setdefault(name, {})
    if not isinstance(found, dict):
        msg = f"{name} must be a table"
        raise msgspec.ValidationError(msg)
    return found
