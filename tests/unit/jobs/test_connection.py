"""Connections over TLS, with users and passwords, and to whichever server is the master."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import redis.exceptions
from redis import Redis

from animator.jobs.connection import connect, connect_async, connect_once
from serving.bench.ports import free_ports
from tests.support_certificates import Papers, make_papers
from tests.support_redis import PrivateRedis
from tests.support_sentinel import MASTER, Guard, Server, find_tls_server, guarded_redis
from tests.support_serve import wait_until

WORD = "p@ss/word"
USERS = ("user default off", f"user worker on >{WORD} ~* &* +@all")


def tls_lines(papers: Papers) -> tuple[str, ...]:
    return (
        f"tls-ca-cert-file {papers.authority}",
        f"tls-cert-file {papers.certificate}",
        f"tls-key-file {papers.key}",
        "tls-auth-clients yes",
    )


def tls_client(papers: Papers) -> dict[str, object]:
    return {
        "ssl": True,
        "ssl_ca_certs": str(papers.authority),
        "ssl_certfile": str(papers.certificate),
        "ssl_keyfile": str(papers.key),
    }


def tls_query(papers: Papers) -> str:
    return (
        f"ssl_ca_certs={quote(str(papers.authority))}&ssl_certfile={quote(str(papers.certificate))}"
        f"&ssl_keyfile={quote(str(papers.key))}"
    )


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return make_papers(tmp_path_factory.mktemp("papers"))


@pytest.fixture(scope="module")
def secured(papers: Papers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Host and port of a server that takes one user, over TLS, from holders of a certificate."""
    (port,) = free_ports(1)
    lines = ["port 0", f"tls-port {port}", *tls_lines(papers), *USERS, 'save ""']
    client = {**tls_client(papers), "username": "worker", "password": WORD}
    folder = tmp_path_factory.mktemp("tls") / "server"
    server = Server(find_tls_server(), folder, port, lines, client)
    server.start()
    yield f"127.0.0.1:{port}"
    server.kill()


async def test_user_comes_in_over_tls_with_a_certificate(secured: str, papers: Papers) -> None:
    url = f"rediss://worker:{quote(WORD, safe='')}@{secured}/0?{tls_query(papers)}"
    with connect(url, patience=5.0) as client, connect_once(url) as quick:
        assert [client.incr("visits"), quick.incr("visits")] == [1, 2]
    async with connect_async(url) as client:
        assert await client.incr("visits") == 3


@pytest.mark.parametrize("change", ["password", "authority", "certificate", "plain"])
def test_nobody_else_comes_in(secured: str, papers: Papers, tmp_path: Path, change: str) -> None:
    others = make_papers(tmp_path / "others")
    shown = Papers(
        others.authority if change == "authority" else papers.authority,
        others.certificate if change == "certificate" else papers.certificate,
        others.key if change == "certificate" else papers.key,
    )
    word = "wrong" if change == "password" else quote(WORD, safe="")
    scheme = "redis" if change == "plain" else "rediss"
    query = "" if change == "plain" else f"?{tls_query(shown)}"
    url = f"{scheme}://worker:{word}@{secured}/0{query}"
    with connect_once(url) as client, pytest.raises(redis.exceptions.ConnectionError) as caught:
        client.ping()
    assert WORD not in str(caught.value)


@pytest.mark.timeout(60)
def test_wrong_password_is_told_at_once_and_not_tried_for_long(
    secured: str, papers: Papers
) -> None:
    url = f"rediss://worker:no@{secured}?{tls_query(papers)}"
    refused = pytest.raises(redis.exceptions.AuthenticationError)
    with connect(url, patience=600.0) as client, refused:
        client.ping()


@pytest.mark.timeout(30)
def test_patience_holds_for_a_command_and_all_that_it_needs() -> None:
    (port,) = free_ports(1)
    with connect(f"redis://127.0.0.1:{port}", patience=0.5) as client:
        with pytest.raises(redis.exceptions.ConnectionError):
            client.ping()
        with pytest.raises(redis.exceptions.ConnectionError):
            client.pipeline().set("a", 1).execute()


@pytest.mark.timeout(30)
def test_who_stops_is_patient_no_longer() -> None:
    (port,) = free_ports(1)
    stopping = threading.Event()
    with connect(f"redis://127.0.0.1:{port}", 600.0, stopping.is_set) as client:
        threading.Timer(0.2, stopping.set).start()
        with pytest.raises(redis.exceptions.ConnectionError):
            client.ping()
        with pytest.raises(redis.exceptions.ConnectionError):
            client.pipeline().set("a", 1).execute()


def test_master_that_misses_its_replicas_counts_as_away(server: PrivateRedis) -> None:
    with connect(server.url, patience=0.1) as client:
        client.config_set("min-replicas-to-write", 1)
        try:
            with pytest.raises(redis.exceptions.ConnectionError, match="NOREPLICAS"):
                client.set("a", 1)
            with pytest.raises(redis.exceptions.ConnectionError, match="NOREPLICAS"):
                client.pipeline().set("a", 1).execute()
        finally:
            client.config_set("min-replicas-to-write", 0)
        assert client.set("a", 1)


def test_server_with_a_full_disk_counts_as_away(server: PrivateRedis) -> None:
    in_the_way = server.settings.redis_dir / "dump.rdb"
    in_the_way.mkdir()
    with connect(server.url, patience=0.1) as client:
        client.config_set("save", "3600 1")
        try:
            client.bgsave()
            wait_until(lambda: _last_save(client) == "err", 10, "the end of the snapshot")
            with pytest.raises(redis.exceptions.ConnectionError, match="MISCONF"):
                client.set("a", 1)
            with pytest.raises(redis.exceptions.ConnectionError, match="MISCONF"):
                client.pipeline().set("a", 1).execute()
        finally:
            in_the_way.rmdir()
            client.config_set("save", "")
        assert client.set("a", 1)


def test_server_with_a_full_memory_counts_as_away(server: PrivateRedis) -> None:
    with connect(server.url, patience=0.1) as client:
        client.config_set("maxmemory", 1)
        try:
            with pytest.raises(redis.exceptions.ConnectionError, match="maxmemory"):
                client.pipeline().set("a", 1).execute()
        finally:
            client.config_set("maxmemory", 0)
        assert client.set("a", 1)


def _last_save(client: Redis) -> str:
    told: Any = client.info("persistence")
    return str(told["rdb_last_bgsave_status"])


async def test_next_master_is_found_when_the_first_dies(tmp_path: Path) -> None:
    with guarded_redis(tmp_path) as guard:
        url = f"redis+sentinel://{guard.hosts}/{MASTER}"
        with connect(url, patience=20.0) as client:
            client.set("before", 1)
            client.wait(2, 5000)
            _cut_short(client)
            assert client.get("before") == b"1", "not the answer to another question"
            guard.master().kill()
            assert client.incr("after") == 1
            assert client.get("before") == b"1"
            assert client.pipeline().incr("after").execute() == [2]
        with connect_once(url) as quick:
            assert quick.get("after") == b"2"
        async with connect_async(url) as later:
            assert await later.get("after") == b"2"


class BellRangError(Exception):
    """What a handler of a signal raises."""


def _cut_short(client: Redis) -> None:
    """Wait for an answer until a signal comes, as a job does whose time is over."""

    def ring(_number: int, _frame: object) -> None:
        raise BellRangError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(BellRangError):
            client.blpop(["nothing"], timeout=1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.slow
async def test_sentinels_and_servers_may_all_speak_tls(papers: Papers, tmp_path: Path) -> None:
    lines = (*tls_lines(papers), "tls-replication yes", *USERS, "masteruser worker")
    lines += (f"masterauth {WORD}",)
    client = {**tls_client(papers), "username": "worker", "password": WORD}
    watch = ("auth-user MASTER worker", f"auth-pass MASTER {WORD}")
    guard = Guard(
        tmp_path,
        find_tls_server(),
        lines=lines,
        port_word="tls-port",
        client=client,
        watch_lines=watch,
    )
    try:
        guard.start()
        word = quote(WORD, safe="")
        url = f"rediss+sentinel://worker:{word}@{guard.hosts}/{MASTER}/0?{tls_query(papers)}"
        with connect(url, patience=20.0) as one:
            one.set("before", 1)
            one.wait(2, 5000)
            guard.master().kill()
            assert one.incr("after") == 1
        async with connect_async(url) as later:
            assert await later.get("before") == b"1"
    finally:
        guard.stop()


@pytest.mark.parametrize(
    "url", ["redis+sentinel://", "redis+sentinel://host:1", "redis+sentinel://a,,b/m"]
)
def test_sentinels_without_a_host_or_a_master_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"redis\+sentinel://HOST:26379"):
        connect(url, patience=1.0)
