"""Private keys, and what is left of them."""

from __future__ import annotations

import pytest

from acp_trace.redact.pem import lines, open_at, spans

_BODY = "".join(f"{number:04}" + "A1b/" * 15 + "\n" for number in range(300))
_LABELS = ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]


def key(label: str = "PRIVATE KEY", count: int = 300) -> str:
    return f"-----BEGIN {label}-----\n{_BODY[: 65 * count]}Qq==\n-----END {label}-----"


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in spans(text)]


@pytest.mark.parametrize("count", [3, 300])
@pytest.mark.parametrize("label", _LABELS)
def test_a_whole_key(label: str, count: int) -> None:
    """Of any length: 300 lines are 20,000 characters. Two keys are two."""
    whole = key(label, count)
    assert found(f"a {whole} b {whole}") == [whole, whole]


@pytest.mark.parametrize("count", [3, 300])
def test_a_key_without_its_end(count: int) -> None:
    """As far as the text looks like one; what comes after it stays."""
    begun = key(count=count).removesuffix("Qq==\n-----END PRIVATE KEY-----")
    assert found(begun + "\n\nand then") == [begun.rstrip("\n")]
    assert found(begun[:-30]) == [begun[:-30]]
    assert found(begun.replace("\n", "\\n")) == [begun.replace("\n", "\\n").removesuffix("\\n")]


def test_a_key_without_its_beginning() -> None:
    """From its first characters that are there; a word before them on a line of its own could be one of them."""
    rest = key(count=20)[400:]
    for before in ("", "log: ok!\n", "log: it is fine.\n"):
        assert found(before + rest) == [rest]
    assert found("log: ok\n" + rest) == ["ok\n" + rest]


def test_a_key_with_a_prefix_on_every_line() -> None:
    """As a logger prints it, also without its end."""
    logged = "\n".join(f"12:00:01 [x] {one}" for one in key(count=200).split("\n"))
    assert found(logged) == [logged.removeprefix("12:00:01 [x] ")]
    (cut,) = found(logged[:5000])
    assert "A1b/" not in logged[:5000].replace(cut, "")


def test_headers_and_checksums() -> None:
    """Belong to it (RFC 1421, RFC 4880)."""
    body = (
        "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\nVersion: GnuPG v2\n\n"
        + _BODY[:650]
        + "Qq==\n=aB1c\n"
    )
    whole = f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n{body}"
    assert found(whole) == [whole.rstrip("\n")]
    putty = f"PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 9\n{_BODY[:600]}\nPrivate-MAC: {'ab' * 20}"
    assert found(f"{putty} x") == [putty]


@pytest.mark.parametrize(
    "text",
    [
        "see -----BEGIN PRIVATE KEY----- in docs\nfoo\nbar\n",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "the PRIVATE KEY is here",
        key().replace("PRIVATE", "PUBLIC"),
    ],
)
def test_what_is_not_a_key(text: str) -> None:
    """Words about one."""
    assert found(text) == []


def test_a_key_that_is_still_open() -> None:
    """More of it may come."""
    assert open_at(f"a {key()[:300]}") == 2
    assert open_at(f"a {key(count=3)}") is None
    assert open_at("nothing") is None


def test_its_lines() -> None:
    """Each may stand by itself in a log."""
    assert len(lines(key(count=9))) == 9
    assert lines("A" * 99) == []
