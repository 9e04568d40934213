import socket
from pathlib import Path

import pytest

from serving.http.addresses import Address, CannotListen, addresses_of, bind, bound, parse_address
from serving.settings import InvalidSettings, ServerSettings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://127.0.0.1:8080", Address("127.0.0.1", 8080)),
        ("HTTPS://host.name:0", Address("host.name", 0, is_tls=True)),
        ("http://host", Address("host", 80)),
        ("https://host/", Address("host", 443, is_tls=True)),
        ("http://[::1]:8080", Address("::1", 8080)),
        ("unix:/tmp/a.sock", Address(path="/tmp/a.sock")),
    ],
)
def test_address_is_read(text: str, expected: Address) -> None:
    assert parse_address(text) == expected


@pytest.mark.parametrize(
    "text", ["127.0.0.1:8080", "ftp://h", "http://", "http://h:99999", "unix:a", "http://h:80/x"]
)
def test_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidSettings, match="is no address"):
        parse_address(text)


def test_addresses_go_before_host_and_ports() -> None:
    settings = ServerSettings(
        host="::1", inference_port=1, metrics_port=3, management_address="http://localhost:2"
    )
    assert addresses_of(settings) == (
        Address("::1", 1),
        Address("localhost", 2),
        Address("::1", 3),
    )


def test_management_is_not_opened_to_everybody_without_a_token() -> None:
    with pytest.raises(InvalidSettings, match=r"keep it on 127\.0\.0\.1, or ask for tokens"):
        addresses_of(ServerSettings(host="0.0.0.0", token_authorization="off"))
    addresses_of(ServerSettings(host="0.0.0.0"))
    addresses_of(
        ServerSettings(
            host="0.0.0.0", management_address="http://[::1]:1", token_authorization="off"
        )
    )
    addresses_of(ServerSettings(host="0.0.0.0", token_authorization="off", compat="torchserve"))


def test_taken_port_is_told_in_words() -> None:
    with bind(Address("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=f"port {port}: Address already in use; choose"):
            bind(Address("127.0.0.1", port))
    with pytest.raises(CannotListen, match=r"cannot listen on no\.such\.host\.invalid port 1: "):
        bind(Address("no.such.host.invalid", 1))


def test_socket_in_the_file_system_comes_and_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with bound(Address(path=str(path))):
        assert path.is_socket()
        assert path.stat().st_mode & 0o777 == 0o660
        with pytest.raises(CannotListen, match="Address already in use"):
            bind(Address(path=str(path)))
    assert not path.exists()


def test_socket_that_a_dead_server_left_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with bound(Address(path=str(path))):
        assert path.is_socket()


def test_file_that_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    path.write_text("mine")
    with pytest.raises(CannotListen, match="Address already in use"):
        bind(Address(path=str(path)))
    assert path.read_text() == "mine"
