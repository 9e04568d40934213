"""Certificates for tests: an authority, a server that it vouches for, and a client."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Key = ec.EllipticCurvePrivateKey


@dataclass(frozen=True)
class Papers:
    """Files in PEM."""

    authority: Path
    certificate: Path
    key: Path


def make_papers(folder: Path) -> Papers:
    """Of a server and client on 127.0.0.1, by an authority of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _sign("authority", authority_key, "authority", authority_key, is_authority=True)
    certificate = _sign("127.0.0.1", key, "authority", authority_key, is_authority=False)
    papers = Papers(folder / "ca.pem", folder / "own.pem", folder / "own.key")
    for file, paper in ((papers.authority, authority), (papers.certificate, certificate)):
        file.write_bytes(paper.public_bytes(serialization.Encoding.PEM))
    papers.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return papers


def _sign(name: str, key: Key, by: str, signer: Key, *, is_authority: bool) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, by)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
    if not is_authority:
        names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(signer, hashes.SHA256())
