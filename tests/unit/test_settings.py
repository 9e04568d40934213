from pathlib import Path

import pytest

from animator.core.places import BucketPlace
from animator.settings import BadSettings, Settings, load_settings, settings_to_environment


def test_flag_beats_environment_beats_file_beats_default(tmp_path: Path) -> None:
    file = tmp_path / "animator.toml"
    file.write_text('port = 1000\ninference_port = 1001\nhost = "0.0.0.0"\n')
    environment = {
        "ANIMATOR_CONFIG": str(file),
        "ANIMATOR_INFERENCE_PORT": "2001",
        "ANIMATOR_HOST": "10.0.0.1",
    }
    settings = load_settings({"host": "10.0.0.2", "port": None}, environment)
    assert settings.host == "10.0.0.2"
    assert settings.inference_port == 2001
    assert settings.port == 1000
    assert settings.metrics_port == 8082


def test_defaults_keep_to_this_machine() -> None:
    settings = load_settings({}, {})
    assert (settings.host, settings.port, settings.inference_host) == (
        "127.0.0.1",
        8000,
        "127.0.0.1",
    )
    assert settings.redis.startswith("unix://")
    assert settings.model_server == "http://127.0.0.1:8080"


def test_another_process_gets_the_very_same_settings(tmp_path: Path) -> None:
    settings = load_settings(
        {
            "data_dir": str(tmp_path / "ä b"),
            "job_workers": "3",
            "redis_url": "redis://r:1/2",
            "learning": "true",
        },
        {},
    )
    assert load_settings({}, settings_to_environment(settings)) == settings


def test_home_is_found_and_paths_are_absolute() -> None:
    settings = load_settings({"data_dir": "~/drawings"}, {})
    assert settings.data_dir == Path.home() / "drawings"
    assert load_settings({"data_dir": "here"}, {}).data_dir == Path.cwd() / "here"


def test_redis_url_is_taken_from_its_usual_name() -> None:
    assert load_settings({}, {"REDIS_URL": "redis://r"}).redis == "redis://r"
    own = {"REDIS_URL": "redis://r", "ANIMATOR_REDIS_URL": "redis://own"}
    assert load_settings({}, own).redis == "redis://own"


def test_empty_variable_counts_as_not_given() -> None:
    empty = {"REDIS_URL": "", "ANIMATOR_INFERENCE_URL": "", "ANIMATOR_PORT": ""}
    assert load_settings({}, empty) == load_settings({}, {})


def test_data_folder_follows_the_desktop_convention(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/srv/data")
    assert Settings().data_dir == Path("/srv/data/animator")


def test_socket_of_a_deep_folder_moves_where_its_path_fits() -> None:
    deep = Settings(data_dir=Path("/" + "x" * 120))
    other = Settings(data_dir=Path("/" + "y" * 120))
    assert len(str(deep.redis_socket)) < 100
    assert deep.redis_socket != other.redis_socket
    assert Settings(data_dir=Path("/d")).redis_socket == Path("/d/redis/redis.sock")


@pytest.mark.parametrize(
    "values",
    [
        {"port": "0"},
        {"port": "70000"},
        {"port": "http"},
        {"job_workers": "0"},
        {"prot": "1"},
        {"log_level": "x"},
        {"redis_url": "http://r"},
        {"inference_url": "models:8080"},
    ],
    ids=[
        "port 0",
        "port too high",
        "no number",
        "no workers",
        "unknown name",
        "unknown level",
        "no Redis",
        "no address",
    ],
)
def test_wrong_setting_is_told_by_name(values: dict[str, str]) -> None:
    with pytest.raises(
        BadSettings, match=r"Wrong setting: .*(port|job_workers|prot|log_level|_url)"
    ):
        load_settings(values, {})


def test_wrong_setting_is_told_in_plain_words() -> None:
    with pytest.raises(BadSettings) as told:
        load_settings({"port": "abc"}, {})
    assert told.value.message == (
        "Wrong setting: port: Expected int, got str. `animator serve --help` tells what may be set."
    )


def test_settings_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"nothing\.toml"):
        load_settings({}, {"ANIMATOR_CONFIG": str(tmp_path / "nothing.toml")})


@pytest.mark.parametrize(
    ("given", "origins"),
    [
        ("", ()),
        ("https://a.example", ("https://a.example",)),
        ("https://a.example,http://b.example:81", ("https://a.example", "http://b.example:81")),
        ("https://a.example, http://b.example", ("https://a.example", "http://b.example")),
    ],
)
def test_origins_stand_with_commas_between(given: str, origins: tuple[str, ...]) -> None:
    assert load_settings({"cors_origins": given}, {}).origins == origins


@pytest.mark.parametrize("given", ["*", "a.example", "https://a.example/page", "https://a, b"])
def test_what_is_no_origin_is_refused(given: str) -> None:
    with pytest.raises(BadSettings, match="cors_origins"):
        load_settings({"cors_origins": given}, {})


def test_drawings_are_kept_in_the_data_folder_unless_told_otherwise(tmp_path: Path) -> None:
    assert load_settings({"data_dir": str(tmp_path)}, {}).storage == tmp_path
    environment = {
        "ANIMATOR_STORE": "s3://drawings/of/ours/",
        "ANIMATOR_STORE_ENDPOINT": "http://store:9000",
        "ANIMATOR_STORE_PATH_STYLE": "true",
        "ANIMATOR_STORE_REGION": "eu-central-1",
    }
    settings = load_settings({}, environment)
    assert settings.storage == BucketPlace(
        bucket="drawings",
        prefix="of/ours/",
        endpoint="http://store:9000",
        region="eu-central-1",
        path_style=True,
    )
    assert load_settings({}, settings_to_environment(settings)) == settings


@pytest.mark.parametrize(
    "url", ["s3://", "s3://B", "s3://a/../b", "s3://a//b", "s3://ab/c?d", "s3://key:word@bucket"]
)
def test_store_that_is_no_part_of_a_bucket_is_refused(url: str) -> None:
    with pytest.raises(BadSettings, match="s3://BUCKET/PREFIX"):
        load_settings({"store": url}, {})


def test_file_of_a_model_server_is_handed_on_to_it(tmp_path: Path) -> None:
    file = tmp_path / "tuned.toml"
    file.write_text('port = 1000\n[serving.models."detector"]\nbatch_size = 8\n')
    settings = load_settings({}, {"ANIMATOR_CONFIG": str(file)})
    assert (settings.port, settings.inference_config) == (1000, file)
    file.write_text('inference_config = "other.toml"\n[serving]\n')
    assert load_settings({}, {"ANIMATOR_CONFIG": str(file)}).inference_config == Path("other.toml")
