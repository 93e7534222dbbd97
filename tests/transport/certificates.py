"""A certificate for 127.0.0.1, and the authority that vouches for it. Needs cryptography.

Both have all that RFC 5280 asks for: from 3.13 on, Python trusts no others.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_PEM = serialization.Encoding.PEM
_SIGNS = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


def certificates(directory: Path) -> tuple[str, tuple[str, str]]:
    """Writes them: the file of the authority, and those of the server, certificate and key."""
    authority, server = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer = _name("authority of a test")
    root = (
        _builder(issuer, issuer, authority.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_SIGNS, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority.public_key()), critical=False)
        .sign(authority, hashes.SHA256())
    )
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    own = (
        _builder(_name("server of a test"), issuer, server.public_key())
        .add_extension(names, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), critical=False
        )
        .sign(authority, hashes.SHA256())
    )
    key = server.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    paths = [directory / name for name in ("ca.pem", "server.pem", "server.key")]
    for path, data in zip(paths, (root.public_bytes(_PEM), own.public_bytes(_PEM), key), strict=True):
        path.write_bytes(data)
    return str(paths[0]), (str(paths[1]), str(paths[2]))


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=2))
    )
