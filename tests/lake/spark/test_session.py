"""What has to be there before a session begins: one line each if it is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acp_trace.places.place import LackingPackages, PlaceError
from acp_trace.team.lake.spark import session
from tests.commands import Commands
from tests.lake.traces import place_at


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were installed, and Java."""
    monkeypatch.setattr(session, "_NEEDED", ())
    monkeypatch.setattr(session, "has_java", lambda: True)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named."""
    monkeypatch.setattr(session, "_NEEDED", ("acp_trace_none",))
    with pytest.raises(LackingPackages, match=r"pip install 'acp-trace\[spark\]'"):
        session.started("local[1]", {}).__enter__()


def test_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is named, whether JAVA_HOME is wrong or PATH has none; either can have it."""
    monkeypatch.setattr(session, "_NEEDED", ())
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(LackingPackages, match="needs Java 17 or newer"):
        session.started("local[1]", {}).__enter__()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert not session.has_java()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / ("java.exe" if sys.platform == "win32" else "java")).touch(0o755)
    assert session.has_java()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert session.has_java()


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("master", ["spark://", "spark://host", "spark://host:x", "spark://a:1,b"])
def test_what_is_no_master(master: str) -> None:
    """One line says what one looks like."""
    with pytest.raises(session.NoMaster, match=r"is not a master: spark://HOST:PORT"):
        session.started(master, {}).__enter__()


@pytest.mark.usefixtures("packages")
def test_a_master_that_is_not_there(unanswered: str) -> None:
    """It is told at once, where Spark itself tries for a minute."""
    with pytest.raises(PlaceError, match=rf"spark://{unanswered} cannot be reached: Connection refused"):
        session.started(f"spark://{unanswered}", {}).__enter__()


@pytest.mark.usefixtures("packages")
def test_what_the_command_says(commands: Commands, tmp_path: Path, unanswered: str) -> None:
    """One line each, with the exit code for what is wrong."""
    place = place_at(str(tmp_path / "team")).url
    spark = ("lake", "build", place, "--engine", "spark", "--master")
    for words, code, why in (
        (("lake", "build", place, "--master", "local[1]"), 2, "are for --engine spark"),
        (("lake", "build", place, "--conf", "a=b"), 2, "are for --engine spark"),
        (("lake", "build", place, "--engine", "x"), 2, "--engine: 'x' is not one of processes, spark"),
        ((*spark, "local[1]", "--conf", "a"), 2, "'a' is not KEY=VALUE"),
        ((*spark, "spark://x"), 2, "is not a master"),
        ((*spark, f"spark://{unanswered}"), 3, "cannot be reached"),
    ):
        said = commands(*words)
        assert said.code == code, said
        assert why in said.err
