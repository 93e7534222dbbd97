"""The certificate authority of this user, made on first use, and certificates for hosts.

Its key stays in acp-trace's home directory, readable by its owner only; a key that others could read is
replaced. It is never installed anywhere: agents alone trust it, because their environment says so.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import ipaddress
import os
import ssl
import stat
import tempfile
from typing import BinaryIO

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from acp_trace.system import files
from acp_trace.trace.names import make_private

#: In the home directory: key and certificate of the authority in one file.
DIRECTORY, FILE = "model", "ca.pem"
_NAME = "acp-trace, recording the traffic of agents on this machine"
_DAY = dt.timedelta(days=1)
#: How long an authority lasts, and a host's certificate; and how far back, for clocks that differ.
_LASTS, _HOST_LASTS, _BACK = 3650 * _DAY, 300 * _DAY, 2 * _DAY
#: An authority this close to its end is replaced.
_RENEWED = 30 * _DAY

#: The bits of a file's mode for everyone but its owner.
_OTHERS = 0o077

Key = ec.EllipticCurvePrivateKey


class _Exposed(Exception):
    """Others could read or choose the key. The message ends a sentence that begins with the file."""


class Authority:
    """Key and certificate of the authority, and the contexts for the hosts that were asked for."""

    def __init__(self, key: Key, certificate: x509.Certificate) -> None:
        self._key, self._certificate = key, certificate
        self._host_key = ec.generate_private_key(ec.SECP256R1())
        self._chains: dict[str, bytes] = {}
        self._contexts: dict[tuple[str, str | None], ssl.SSLContext] = {}
        self.pem = certificate.public_bytes(serialization.Encoding.PEM)
        self.warning = ""  #: one line for people, if an exposed key was replaced

    @classmethod
    def at(cls, home: str) -> Authority:
        """Return the authority in this home directory. Raises OSError.

        Creates one if it is missing, damaged or about to expire, or if other users could read or choose its
        key. The old file is kept as `ca.pem.old`.
        """
        directory = os.path.join(home, DIRECTORY)
        make_private(directory)
        path = os.path.join(directory, FILE)
        warning = ""
        for _ in range(2):
            with contextlib.suppress(FileNotFoundError):
                made = None
                try:
                    made = cls._read(path)
                except _Exposed as exposed:
                    warning = f"{path} {exposed}: a new one was made; do not trust {FILE}.old, and remove it"
                except ValueError:  # not written by acp-trace
                    pass
                if made is not None:
                    made.warning = warning
                    return made
                os.replace(path, f"{path}.old")
            _make(directory, path)
        made = cls._read(path)
        assert made is not None
        made.warning = warning
        return made

    @classmethod
    def _read(cls, path: str) -> Authority | None:
        """Read an authority from its file. Raises _Exposed, ValueError and OSError."""
        with _opened(path) as stream:
            pem = stream.read()
        key = serialization.load_pem_private_key(pem, None)
        certificate = x509.load_pem_x509_certificate(pem)
        if certificate.not_valid_after_utc - _now() < _RENEWED or not isinstance(key, Key):
            return None
        return cls(key, certificate)

    def context(self, host: str, protocol: str | None) -> ssl.SSLContext:
        """Return the context for a client that asks for this host; it speaks only `protocol`, if given."""
        key = (host, protocol)
        if key not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._load(context, host)
            if protocol is not None:
                context.set_alpn_protocols([protocol])
            self._contexts[key] = context
        return self._contexts[key]

    def _load(self, context: ssl.SSLContext, host: str) -> None:
        if host not in self._chains:
            certificate = _certificate(host, self._host_key.public_key(), self._key, self._certificate)
            private = self._host_key.private_bytes(*_PRIVATE)
            self._chains[host] = private + certificate.public_bytes(serialization.Encoding.PEM) + self.pem
        # The standard library reads such a chain from a file only. mkstemp makes it for its owner alone.
        fd, path = tempfile.mkstemp(prefix="acp-trace-")
        try:
            os.write(fd, self._chains[host])
            os.close(fd)
            context.load_cert_chain(path)
        finally:
            os.unlink(path)


def _opened(path: str) -> BinaryIO:
    """Open the file of the authority, which has to be private. Raises _Exposed and OSError.

    Its owner is this user or the owner of its directory, who can replace it in any case (`sudo` may keep the
    home directory of the user).
    """
    try:
        fd = os.open(path, os.O_RDONLY | files.NOFOLLOW | files.NONBLOCK | files.CLOEXEC)
    except PermissionError:
        raise _Exposed("belongs to another user") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _Exposed("is a link") from None
        raise
    status = os.fstat(fd)
    problem = ""
    if not stat.S_ISREG(status.st_mode):
        problem = "is not a file"
    elif status.st_uid not in (files.user(), os.stat(os.path.dirname(path)).st_uid):
        problem = "belongs to another user"
    elif status.st_mode & _OTHERS:
        problem = f"contains a key that others can read (mode {stat.S_IMODE(status.st_mode):04o})"
    if problem:
        os.close(fd)
        raise _Exposed(problem)
    return os.fdopen(fd, "rb")


_PRIVATE = (
    serialization.Encoding.PEM,
    serialization.PrivateFormat.PKCS8,
    serialization.NoEncryption(),
)


def _make(directory: str, path: str) -> None:
    """Write a new authority; if another process was faster, keep that one."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, _NAME)])
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    certificate = (
        _builder(name, name, key.public_key(), _LASTS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )
    fd, hidden = tempfile.mkstemp(prefix=".", suffix=".new", dir=directory)
    try:
        with open(fd, "wb") as stream:
            stream.write(key.private_bytes(*_PRIVATE) + certificate.public_bytes(serialization.Encoding.PEM))
        with contextlib.suppress(FileExistsError):
            os.link(hidden, path)
    finally:
        os.unlink(hidden)


def _certificate(
    host: str, public: ec.EllipticCurvePublicKey, key: Key, authority: x509.Certificate
) -> x509.Certificate:
    try:
        alternative: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        alternative = x509.DNSName(host)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host[:64])])
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key())
    return (
        _builder(name, authority.subject, public, _HOST_LASTS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(issuer, critical=False)
        .sign(key, hashes.SHA256())
    )


def _builder(
    name: x509.Name, issuer: x509.Name, public: ec.EllipticCurvePublicKey, lasts: dt.timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(_now() - _BACK)
        .not_valid_after(_now() + lasts)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
