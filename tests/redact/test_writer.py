"""What is looked for, and by which signs its lines are found."""

from __future__ import annotations

from acp_trace.redact.homes import Homes
from acp_trace.redact.values import Values
from acp_trace.redact.writer import Known


def known(*secrets: str, home: str = "") -> Known:
    values, homes = Values(["env"]), Homes()
    for secret in secrets:
        values.learn(secret, "env")
    homes.folder(home)
    return Known(values, homes, {"session-1"})


def test_what_is_looked_for() -> None:
    """Secrets, but for folders and the ids of sessions."""
    assert list(known("abcdefgh", "/data/w", "session-1", home="/data/w/x").forms) == ["abcdefgh"]


def test_signs() -> None:
    """Of secrets and of home folders; a secret without any has every line read."""
    found = known("abcd+efgh/", home="/home/ann.lee")
    assert [found.passes_bytes(line) for line in (b"abcd", b"-lee-", b"ann", b"x")] == [
        True,
        False,
        True,
        False,
    ]
    assert known("ééééé").passes_bytes(b"x")
    assert not known().passes_bytes(b"x")


def test_which_lines_are_worth_reading() -> None:
    """Those that hold what is known, a URL with a secret, or an escape."""
    found = known("abcdefgh")
    lines = [
        '{"t":1,"log":"x"}',
        '{"t":1,"log":"abcdefgh"}',
        '{"t":1,"log":"a://u:p@h"}',
        '{"t":1,"log":"\\n"}',
    ]
    assert [found.may_change(line, ()) for line in lines] == [False, True, True, True]
