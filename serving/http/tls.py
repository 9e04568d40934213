"""TLS for the listeners: from PEM files, a PKCS #12 keystore, or a certificate made here."""

import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID

from serving.errors import reason_of
from serving.settings import InvalidSettings, ServerSettings

__all__ = ("make_tls", "pem_pair")

_DAYS = 365


def make_tls(settings: ServerSettings) -> ssl.SSLContext:
    """Make the context for all https listeners: TLS 1.2 and later, with Python's own ciphers.

    Raises:
        InvalidSettings: when the files cannot be used.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # What the parser of requests speaks; HTTP/2 is not offered.
    context.set_alpn_protocols(["http/1.1"])
    if settings.compat == "torchserve":
        # RSA keys of 1024 bits, which the reference takes, are too short for OpenSSL otherwise.
        context.set_ciphers("DEFAULT:@SECLEVEL=1")
    key, chain = pem_pair(settings)
    # Python's TLS reads from files alone; this one is its owner's, and goes at once.
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        file.write(key + b"\n" + chain)
        file.flush()
        try:
            context.load_cert_chain(file.name)
        except ssl.SSLError as error:
            msg = f"cannot use the certificate {settings.certificate_file}: {error.reason}"
            raise InvalidSettings(msg) from error
    return context


def pem_pair(settings: ServerSettings) -> tuple[bytes, bytes]:
    """Read or make the private key and the chain of certificates, both PEM.

    Raises:
        InvalidSettings: when the files cannot be used.
    """
    if settings.keystore:
        return _pem_of_keystore(Path(settings.keystore), settings.keystore_pass)
    names = (settings.private_key_file, settings.certificate_file)
    if not any(names):
        return _self_signed_pem()
    if not all(names):
        raise InvalidSettings("TLS needs both certificate_file and private_key_file")
    try:
        key, chain = (Path(name).read_bytes() for name in names)
    except OSError as error:
        msg = f"cannot read {error.filename}: {error.strerror}"
        raise InvalidSettings(msg) from error
    return key, chain


def _pem_of_keystore(path: Path, password: str) -> tuple[bytes, bytes]:
    try:
        key, certificate, others = pkcs12.load_key_and_certificates(
            path.read_bytes(), password.encode()
        )
    except (OSError, ValueError) as error:
        msg = f"cannot read the keystore {path}: {reason_of(error)}"
        raise InvalidSettings(msg) from error
    if key is None or certificate is None:
        msg = f"the keystore {path} holds no key with its certificate"
        raise InvalidSettings(msg)
    return _pem(key, certificate, *others)


def _self_signed_pem() -> tuple[bytes, bytes]:
    """Make a key and a certificate that nobody vouches for: it hides, yet it does not prove."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return _pem(key, certificate)


def _pem(key: PrivateKeyTypes, *certificates: x509.Certificate) -> tuple[bytes, bytes]:
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private, b"".join(found.public_bytes(Encoding.PEM) for found in certificates)
