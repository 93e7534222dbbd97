"""What a trace is called and where it lies: in strings, without touching a disk before it must."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from acp_trace.trace import names
from tests.posix import take_time_zone


def test_ids_sort_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their second in UTC, whatever the machine's time zone; those of one second differ."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    take_time_zone()
    try:
        # Not `gmtime()`: its clock is some ms behind that of `time()`.
        begun = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time()))
        ids = [names.new_id() for _ in range(50)]
        over = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time()))
    finally:
        monkeypatch.undo()
        take_time_zone()
    assert all(re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{6}", one) for one in ids)
    assert len(set(ids)) > 45
    seconds = [begun, *(one[:16] for one in ids), over]
    assert seconds == sorted(seconds)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("/srv/traces", "/srv/traces"),
        ("traces", "HERE/traces"),
        ("~/traces", "HOME/traces"),
        ("../t", "HERE/../t"),
    ],
)
def test_the_home_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, expected: str
) -> None:
    """Absolute, and nothing is made of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/somebody")
    monkeypatch.setenv(names.VARIABLE, named)
    expected = expected.replace("HERE", str(tmp_path)).replace("HOME", "/somebody")
    assert names.home_directory() == expected
    assert names.spool_directory() == f"{expected}/spool"
    assert not list(tmp_path.iterdir())


def test_the_home_of_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where nothing, or an empty word, is named."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    for empty in (None, ""):
        if empty is None:
            monkeypatch.delenv(names.VARIABLE, raising=False)
        else:
            monkeypatch.setenv(names.VARIABLE, empty)
        assert os.path.basename(names.home_directory()) == "acp-trace"
        assert names.home_directory().startswith(str(tmp_path))


def test_a_user_whom_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """An OSError that says what to set, which the recorder takes for a loss."""
    monkeypatch.setenv(names.VARIABLE, "~nobody-of-this-name/traces")
    with pytest.raises(OSError, match=f"set {names.VARIABLE}"):
        names.home_directory()


def test_both_directories_are_private_and_those_above_are_not(tmp_path: Path) -> None:
    """Made once; what is there keeps its mode, and a file in the way is an error."""
    before = os.umask(0o022)
    try:
        spool = tmp_path / "above" / "home" / "spool"
        for _ in range(2):
            names.make_private(str(spool))
            modes = [one.stat().st_mode & 0o777 for one in (spool, spool.parent, spool.parent.parent)]
            assert modes == [0o700, 0o700, 0o755]
        spool.chmod(0o750)
        names.make_private(str(spool))
        assert spool.stat().st_mode & 0o777 == 0o750
        spool.rmdir()
        spool.write_text("in the way")
        with pytest.raises(FileExistsError):
            names.make_private(str(spool))
    finally:
        os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="only there the list of users decides")
@pytest.mark.parametrize(("variable", "is_named"), [("HOME", True), (names.VARIABLE, True), ("LANG", False)])
def test_a_home_that_the_environment_does_not_name(
    monkeypatch: pytest.MonkeyPatch, variable: str, is_named: bool
) -> None:
    """It is the one of the system's list of users, and people are told."""
    for each in ("HOME", names.VARIABLE, "XDG_DATA_HOME"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(variable, "/somewhere")
    assert (names.home_note() is None) is is_named
