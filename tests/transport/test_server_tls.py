"""Files of certificates that a server cannot use: which one it is, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from acp_trace.transport.serving import ServerTls
from tests.transport.certificates import certificates


def _key(file: Path, password: bytes) -> str:
    """Another key, in a file; with a password if there is one."""
    how = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    made = ec.generate_private_key(ec.SECP256R1())
    form = serialization.PrivateFormat.PKCS8
    file.write_bytes(made.private_bytes(serialization.Encoding.PEM, form, how))
    return str(file)


def test_files_that_belong_together_are_taken(tmp_path: Path) -> None:
    """Nothing is said."""
    ServerTls(*certificates(tmp_path)[1]).check()


@pytest.mark.parametrize(
    ("password", "why"),
    [
        (b"", "is not the key of that certificate"),
        (b"secret", "is protected by a password: give a key without one"),
    ],
)
def test_a_key_that_cannot_be_used(tmp_path: Path, password: bytes, why: str) -> None:
    """Nobody is asked for a password: a proxy has no terminal."""
    certificate, _ = certificates(tmp_path)[1]
    key = _key(tmp_path / "other.pem", password)
    with pytest.raises(OSError, match=why) as raised:
        ServerTls(certificate, key).check()
    assert raised.value.filename == key


def test_the_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Not both."""
    certificate, _ = certificates(tmp_path)[1]
    with pytest.raises(FileNotFoundError) as raised:
        ServerTls(certificate, "/no/key").check()
    assert raised.value.filename == "/no/key"
