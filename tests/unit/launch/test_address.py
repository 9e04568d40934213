import socket

import pytest

from animator.launch.address import url_of, why_not_free


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("fe80::2", "http://[fe80::2]:80"),
        ("animator.local", "http://animator.local:80"),
    ],
)
def test_url_leads_to_the_listener_from_this_machine(host: str, url: str) -> None:
    assert url_of(host, 80) == url


def test_taken_port_and_unknown_name_are_told_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert why_not_free("127.0.0.1", port) == "Address already in use"
    assert why_not_free("127.0.0.1", port) is None
    assert why_not_free("no such host", port) not in (None, "Address already in use")
