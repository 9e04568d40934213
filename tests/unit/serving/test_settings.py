from pathlib import Path

import pytest

from serving.model_config import ModelConfig
from serving.settings import InvalidSettings, ServerSettings, read_settings


def write(folder: Path, text: str) -> Path:
    path = folder / "serving.toml"
    path.write_text(text)
    return path


def test_defaults_are_loopback_and_the_references_ports() -> None:
    settings = read_settings(None, {})
    assert settings.host == "127.0.0.1"
    assert (settings.inference_port, settings.management_port, settings.metrics_port) == (
        8080,
        8081,
        8082,
    )


def test_doors_are_closed_unless_somebody_opens_them() -> None:
    settings = read_settings(None, {})
    assert settings.token_authorization == "management"
    assert not settings.enable_model_api
    assert settings.allowed_urls == ()
    assert not settings.allow_private_urls
    assert not settings.client_shared_memory
    assert settings.cors_allowed_origin == ""


def test_file_sets_server_defaults_and_models(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
        [serving]
        inference_port = 9000
        [serving.defaults]
        queue_size = 7
        [serving.models.cat]
        min_workers = 2
        device = "cuda:1"
        """,
    )
    settings = read_settings(path, {})
    assert settings.inference_port == 9000
    assert settings.config_of("dog").queue_size == 7
    assert settings.config_of("cat") == ModelConfig(min_workers=2, device="cuda:1")


def test_environment_has_the_last_word(tmp_path: Path) -> None:
    path = write(tmp_path, "[serving]\ninference_port = 9000\nhost = '::1'")
    environment = {
        "SERVING_INFERENCE_PORT": "9001",
        "SERVING_MIN_WORKERS": "3",
        "SERVING_DEVICE": "cpu",
        "SERVING_SOMETHING_ELSE": "x",
        "PATH": "/bin",
    }
    settings = read_settings(path, environment)
    assert (settings.inference_port, settings.host) == (9001, "::1")
    assert settings.config_of("any") == ModelConfig(min_workers=3, device="cpu")


@pytest.mark.parametrize(
    "text",
    [
        "[serving]\nport = 1",
        "[serving]\ninference_port = 70000",
        "[serving.defaults]\nmin_workers = -1",
        "[serving.defaults]\ndevice = 'gpu'",
        "[serving.defaults]\nresponse_timeout_s = 0",
        "serving = 3",
        "[serving",
    ],
    ids=["unknown", "port", "workers", "device", "seconds", "no table", "no toml"],
)
def test_bad_settings_name_the_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidSettings, match=r"serving\.toml: "):
        read_settings(write(tmp_path, text), {})


@pytest.mark.parametrize("name", ["defaults", "audit", "watch"])
def test_what_is_no_table_is_refused_also_where_the_environment_adds_to_it(
    tmp_path: Path, name: str
) -> None:
    path = write(tmp_path, f"[serving]\n{name} = 'somewhere'\n")
    said = {"SERVING_AUDIT_FILE": "a", "SERVING_WATCH_SOURCE": "b", "SERVING_MIN_WORKERS": "1"}
    with pytest.raises(InvalidSettings, match=rf"serving\.toml: {name} must be a table"):
        read_settings(path, said)


def test_bad_environment_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="environment: "):
        read_settings(None, {"SERVING_METRICS_PORT": "many"})


def test_lists_come_with_commas_and_switches_as_words() -> None:
    settings = read_settings(
        None,
        {"SERVING_ALLOWED_URLS": "https://a/.*,https://b/.*", "SERVING_ENABLE_MODEL_API": "true"},
    )
    assert settings.allowed_urls == ("https://a/.*", "https://b/.*")
    assert settings.enable_model_api


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="No such file"):
        read_settings(tmp_path / "nowhere.toml", {})


def test_model_without_a_config_of_its_own_gets_the_defaults() -> None:
    assert ServerSettings().config_of("cat") == ModelConfig()


@pytest.mark.parametrize("text", ["watch = true", "[serving.watch]\nenabled = true"])
def test_watching_is_switched_on_by_one_word_or_in_a_table(tmp_path: Path, text: str) -> None:
    settings = read_settings(write(tmp_path, f"[serving]\n{text}\n"), {})
    assert settings.watch.enabled
    assert settings.watch.interval_s == 5.0


def test_environment_sets_the_tables_of_topics() -> None:
    settings = read_settings(
        None,
        {
            "SERVING_WATCH": "true",
            "SERVING_WATCH_SOURCE": "s3://models",
            "SERVING_AUDIT_FILE": "a.jsonl",
            "SERVING_AUDIT_REQUIRED": "true",
            "SERVING_WATCHMAN": "another program's",
        },
    )
    assert (settings.watch.enabled, settings.watch.source) == (True, "s3://models")
    assert (settings.audit.file, settings.audit.required) == ("a.jsonl", True)
    with pytest.raises(InvalidSettings, match=r"audit\.max_files"):
        read_settings(None, {"SERVING_AUDIT_MAX_FILES": "0"})


def test_nothing_is_watched_unless_somebody_says_so() -> None:
    settings = read_settings(None, {})
    assert not settings.watch.enabled
    assert not settings.audit.required
