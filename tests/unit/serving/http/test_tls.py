import socket
import ssl
import threading
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    load_pem_private_key,
    pkcs12,
)

from serving.http.tls import make_tls, pem_pair
from serving.settings import InvalidSettings, ServerSettings


def write_pem(folder: Path) -> tuple[Path, Path]:
    key, chain = pem_pair(ServerSettings())
    paths = folder / "key.pem", folder / "chain.pem"
    paths[0].write_bytes(key)
    paths[1].write_bytes(chain)
    return paths


def shake_hands(server: ssl.SSLContext) -> tuple[bytes, str | None]:
    """The certificate that a client sees, and the version of TLS."""
    ours, theirs = socket.socketpair()

    def serve() -> None:
        with server.wrap_socket(theirs, server_side=True) as end:
            end.recv(1)

    thread = threading.Thread(target=serve)
    thread.start()
    client = ssl.create_default_context()
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    with client.wrap_socket(ours) as end:
        found = end.getpeercert(binary_form=True) or b"", end.version()
        end.send(b"x")
    thread.join()
    return found


def test_certificate_is_made_where_none_is_given() -> None:
    der, version = shake_hands(make_tls(ServerSettings()))
    certificate = x509.load_der_x509_certificate(der)
    assert version == "TLSv1.3"
    assert certificate.subject == certificate.issuer
    assert certificate.subject.rfc4514_string() == "CN=localhost"


def test_certificate_comes_from_pem_files(tmp_path: Path) -> None:
    key, chain = write_pem(tmp_path)
    settings = ServerSettings(private_key_file=str(key), certificate_file=str(chain))
    der, _ = shake_hands(make_tls(settings))
    assert der == ssl.PEM_cert_to_DER_cert(chain.read_text())


@pytest.mark.parametrize("password", ["changeit", "other"])
def test_certificate_comes_from_a_keystore(tmp_path: Path, password: str) -> None:
    key, chain = pem_pair(ServerSettings())
    certificate = x509.load_pem_x509_certificate(chain)
    private = load_pem_private_key(key, None)
    assert isinstance(private, ec.EllipticCurvePrivateKey)
    path = tmp_path / "store.p12"
    path.write_bytes(
        pkcs12.serialize_key_and_certificates(
            b"it", private, certificate, None, BestAvailableEncryption(password.encode())
        )
    )
    settings = ServerSettings(keystore=str(path), keystore_pass=password)
    der, _ = shake_hands(make_tls(settings))
    assert der == ssl.PEM_cert_to_DER_cert(chain.decode())
    with pytest.raises(InvalidSettings, match="cannot read the keystore"):
        make_tls(ServerSettings(keystore=str(path), keystore_pass="wrong"))


def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    key, chain = write_pem(tmp_path)
    with pytest.raises(InvalidSettings, match="both certificate_file and private_key_file"):
        make_tls(ServerSettings(certificate_file=str(chain)))
    with pytest.raises(InvalidSettings, match=r"cannot read .*nowhere"):
        make_tls(ServerSettings(certificate_file=str(chain), private_key_file="nowhere"))
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(InvalidSettings, match="KEY_VALUES_MISMATCH"):
        make_tls(
            ServerSettings(private_key_file=str(key), certificate_file=str(write_pem(other)[1]))
        )


def test_short_key_is_refused_but_where_the_reference_takes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = rsa.generate_private_key(65537, 1024)
    monkeypatch.setattr(ec, "generate_private_key", lambda _: short)
    with pytest.raises(InvalidSettings, match="KEY_TOO_SMALL"):
        make_tls(ServerSettings())
    make_tls(ServerSettings(compat="torchserve"))
