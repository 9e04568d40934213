"""Settings: read once, from a file, then the environment, then the command line; later wins."""

import hashlib
import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

import msgspec

from animator.core.errors import AnimatorError
from animator.core.places import BucketPlace, read_bucket, read_sentinels

__all__ = ("BadSettings", "Settings", "load_settings", "settings_to_environment")

PREFIX = "ANIMATOR_"
"""Each field can be set in the environment: ANIMATOR_PORT, ANIMATOR_DATA_DIR and so on."""

_LONGEST_SOCKET = 100
"""Bytes; the path of a Unix socket has room for 104 (macOS) or 108 (Linux)."""

Port = Annotated[int, msgspec.Meta(ge=1, le=65535)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]
Origins = Annotated[str, msgspec.Meta(pattern=r"^(https?://[^/,\s]+(, *|\Z))*\Z")]
HttpUrl = Annotated[str, msgspec.Meta(pattern="^https?://")]
RedisUrl = Annotated[str, msgspec.Meta(pattern=r"^(rediss?(\+sentinel)?|unix)://")]
StoreUrl = Annotated[str, msgspec.Meta(pattern="^s3://")]

_HERE = Path(__file__).resolve().parents[1]


class BadSettings(AnimatorError):
    """A setting has an unknown name, or a value that it cannot have."""

    code = "bad_settings"


def _default_data_dir() -> Path:
    """The user's own data folder (XDG base directory specification)."""
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "animator"


def _default_job_workers() -> int:
    """Half the cores, the others being for the models; at least 1, at most 4."""
    return min(max((os.cpu_count() or 1) // 2, 1), 4)


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set; paths may begin with ``~``."""

    host: str = "127.0.0.1"
    """Address on which the page and its API listen; 0.0.0.0 for all."""

    port: Port = 8000
    """Port of the page and its API."""

    inference_host: str = "127.0.0.1"
    """Address on which the model server listens; keep it private."""

    inference_port: Port = 8080
    """Port of the model server's predictions."""

    management_port: Port = 8081
    """Port of the model server's management."""

    metrics_port: Port = 8082
    """Port of the model server's metrics."""

    metrics_host: str = "127.0.0.1"
    """Address on which the web process tells metrics; keep it private."""

    app_metrics_port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8083
    """Port of the metrics of page, API and jobs; 0: none."""

    inference_url: HttpUrl | None = None
    """Where job workers find the model server; None: on this machine, at `inference_port`."""

    inference_config: Path | None = None
    """TOML file whose table [serving] the model server reads; None: the one of these settings."""

    redis_url: RedisUrl | None = None
    """A Redis or Valkey server for jobs; None: a private one in the data folder. REDIS_URL too."""

    store: StoreUrl | None = None
    """Where drawings and animations are kept: s3://BUCKET/PREFIX; None: in the data folder."""

    store_endpoint: HttpUrl | None = None
    """Address of the server of that bucket; None: Amazon's, or AWS_ENDPOINT_URL_S3."""

    store_region: str | None = None
    """Region of that bucket; None: AWS_DEFAULT_REGION or that of the profile, else us-east-1."""

    store_path_style: bool = False
    """Whether its name stands in the path of addresses, as most servers but Amazon's want it."""

    data_dir: Path = msgspec.field(default_factory=_default_data_dir)
    """Folder of drawings, animations, and the private Redis."""

    models_dir: Path = _HERE / "models"
    """Folder with one folder a model."""

    web_dir: Path = _HERE / "web"
    """Folder of the page's files."""

    upload_bytes: Count = 20 * 1024 * 1024
    """Largest upload, bytes."""

    learning: bool = False
    """Whether people may allow that their drawings and corrections are learned from."""

    keep_days: Natural = 30
    """Days for which a drawing and all that is made of it is kept; 0: until it is deleted."""

    anonymous: bool = True
    """Whether those without an API key may hand in and change things; theirs only, in any case."""

    key_file: Path | None = None
    """File of the API keys; None: keys.toml where drawings are. `animator keys` fills it."""

    cors_origins: Origins = ""
    """Other origins whose pages may use the API, such as https://example.org; with commas."""

    trusted_proxies: str = "127.0.0.1"
    """Addresses of proxies that may say who asks (X-Forwarded-For, -Proto); with commas."""

    uploads_a_minute: Natural = 60
    """Pictures that one client may hand in each minute; 0: without limit."""

    animations_a_minute: Natural = 240
    """Animations that one client may ask for each minute; 0: without limit."""

    requests_a_minute: Natural = 3000
    """Other requests of one client each minute; 0: without limit."""

    job_workers: Count = msgspec.field(default_factory=_default_job_workers)
    """Processes that work on jobs, one job each at a time."""

    job_timeout: Count = 120
    """Seconds after which a job is given up."""

    job_pause: Natural = 2
    """Seconds before a job that broke is begun again; before its last time five times as many."""

    drain_seconds: Annotated[int, msgspec.Meta(ge=0, le=600)] = 0
    """Seconds that a part about to stop still answers, but says it is not ready; for proxies."""

    trace_endpoint: HttpUrl | None = None
    """Where traces are taken, by OTLP over HTTP; None: as OTEL_EXPORTER_OTLP_ENDPOINT says."""

    trace_share: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """Share of what is asked for that traces show; None: as OTEL_TRACES_SAMPLER says, else all."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """How much is told on the terminal."""

    log_format: Literal["text", "json"] = "text"
    """Lines for people, or an object of JSON a line, with the ids of requests and jobs."""

    @property
    def job_pauses(self) -> tuple[int, ...]:
        """Seconds before the second attempt at a job and the third: what lacked may be back."""
        return self.job_pause, 5 * self.job_pause

    @property
    def serving_keys(self) -> Path:
        """Where the model server that is started here writes its keys."""
        return self.data_dir / "serving-keys.json"

    @property
    def serving_audit(self) -> Path:
        """Where it writes down who changes what it serves."""
        return self.data_dir / "serving-audit.jsonl"

    @property
    def origins(self) -> tuple[str, ...]:
        """The other origins whose pages may use the API."""
        return tuple(origin.strip() for origin in self.cors_origins.split(",") if origin.strip())

    @property
    def storage(self) -> Path | BucketPlace:
        """Where drawings, animations and keys are kept: a folder, or a bucket."""
        if self.store is None:
            return self.data_dir
        return msgspec.structs.replace(
            read_bucket(self.store),
            endpoint=self.store_endpoint,
            region=self.store_region,
            path_style=self.store_path_style,
        )

    @property
    def scratch_dir(self) -> Path:
        """Folder of what jobs write while they run."""
        return self.data_dir / "scratch"

    @property
    def redis_dir(self) -> Path:
        """Folder of the private Redis."""
        return self.data_dir / "redis"

    @property
    def redis_socket(self) -> Path:
        """Where the private Redis listens; outside a folder whose path is too long for a socket."""
        socket = self.redis_dir / "redis.sock"
        if len(os.fsencode(socket)) <= _LONGEST_SOCKET:
            return socket
        digest = hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"animator-{os.getuid()}-{digest}" / "redis.sock"

    @property
    def redis(self) -> str:
        """URL of the Redis in use: the one given, or the private one."""
        return self.redis_url or f"unix://{quote(str(self.redis_socket))}"

    @property
    def model_server(self) -> str:
        """URL of the model server, without a slash at its end."""
        url = self.inference_url or f"http://127.0.0.1:{self.inference_port}"
        return url.rstrip("/")


def load_settings(
    flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings.

    Args:
        flags: from the command line, by name of the field; None means "not given".
        environment: in place of the process's own; what is empty counts as not given.
            ANIMATOR_CONFIG names a TOML file to read.

    Raises:
        BadSettings: when the file cannot be read, or a name or value is wrong.
    """
    given = os.environ if environment is None else environment
    env = {variable: value for variable, value in given.items() if value}
    values = _read_file(env.get(f"{PREFIX}CONFIG"))
    if "REDIS_URL" in env:
        values["redis_url"] = env["REDIS_URL"]
    values |= {
        name: env[variable]
        for name in Settings.__struct_fields__
        if (variable := _variable(name)) in env
    }
    values |= {name: value for name, value in (flags or {}).items() if value is not None}
    try:
        settings = msgspec.convert(values, Settings, strict=False, dec_hook=_decode)
    except msgspec.ValidationError as error:
        # The path of the field leads, and is its name as people write it.
        text, _, field = str(error).replace("`", "").partition(" - at $.")
        msg = f"Wrong setting: {field}: {text}" if field else f"Wrong setting: {text}"
        raise BadSettings(f"{msg}. `animator serve --help` tells what may be set.") from error
    _check_places(settings)
    return msgspec.structs.replace(settings, data_dir=settings.data_dir.expanduser().absolute())


def _check_places(settings: Settings) -> None:
    try:
        _ = settings.storage, read_sentinels(settings.redis)
    except ValueError as error:
        msg = f"Wrong setting: {error}"
        raise BadSettings(msg) from error


def settings_to_environment(settings: Settings) -> dict[str, str]:
    """The variables by which another process gets the very same settings."""
    values = msgspec.structs.asdict(settings)
    return {_variable(name): str(value) for name, value in values.items() if value is not None}


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _read_file(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        values = tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"The settings file {path} cannot be read: {error}"
        raise BadSettings(msg) from error
    if values.pop("serving", None) is not None:
        values.setdefault("inference_config", str(Path(path).expanduser().absolute()))
    return values


def _decode(kind: type, value: Any) -> Any:
    """Read what msgspec does not know by itself: paths."""
    if kind is Path and isinstance(value, str):
        return Path(value).expanduser()
    msg = f"cannot read {value!r} as {kind.__name__}"
    raise ValueError(msg)
