"""`ls --at`: as locally for what is in the tables of a place, and the names of all else."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from acp_trace.analyze.listing import Listing
from acp_trace.places.address import url_of
from acp_trace.places.layout import Kept
from acp_trace.places.place import SharedPlace
from acp_trace.team.commands import ls as ls_at
from acp_trace.team.lake import names
from tests.commands import CommandHome, Commands
from tests.lake.traces import built, made_traces, place_at
from tests.support import REPOSITORY

_SAMPLES = REPOSITORY / "sample_traces"
_STORY, _CANCEL = _SAMPLES / "opencode-story.jsonl", _SAMPLES / "opencode-cancel-acpx.jsonl"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with traces, runs and labels among them, and a place with all of them and their tables."""
    directory = tmp_path_factory.mktemp("made")
    home, place = CommandHome(directory / "home"), str(directory / "team")
    run, labelled = directory / "run.jsonl", directory / "labelled.jsonl"
    header, newline, rest = _STORY.read_bytes().partition(b"\n")
    for path, id_, more in (
        (run, "20261119T120000Z-00000a", {"origin": "replay", "replay_of": "x"}),
        (labelled, "20261118T120000Z-00000b", {"labels": {"ci": "yes"}}),
    ):
        began = f"{id_[:4]}-{id_[4:6]}-{id_[6:8]}T12:00:00Z"
        changed = json.dumps({**json.loads(header), "id": id_, "started_at": began, **more})
        path.write_bytes(changed.encode() + newline + rest)
    home.run("load", *map(str, (_STORY, _CANCEL, run, labelled)))
    home.run("push", place, "--runs", "--as-is")
    built(place_at(url_of(place, "/")))
    return directory


@pytest.fixture
def place(commands: Commands, made: Path, tmp_path: Path) -> str:
    """The place, and the home of the commands: copies, because each takes half a second to make."""
    shutil.copytree(made / "home", commands.home.path)
    return str(shutil.copytree(made / "team", tmp_path / "team"))


#: Each with the others, as locally.
_FILTERS = (
    ("--runs",),
    ("--client", "*"),
    ("--client", "acpx"),
    ("--label", "ci=yes"),
    ("--label", "ci=yes", "--agent", "opencode", "--since", "2026-11-01"),
    ("--origin", "recorded", "-n", "1"),
    ("--origin", "replay"),
    ("--origin", "imported"),
)


def _local(commands: Commands, *options: str) -> list[dict[str, Any]]:
    """What the store has, but for when it came into it: a place does not say that."""
    return [{**row, "loaded_at": None} for row in commands.json("ls", *options)]


@pytest.mark.slow
def test_filters_choose_as_locally(commands: Commands, place: str) -> None:
    """The same traces, each with the same object; the same table and the same words."""
    for options in _FILTERS:
        here, there = _local(commands, *options), commands.json("ls", "--at", place, *options)
        assert [each["trace"] for each in there] == here, options
        assert [each["id"] for each in there] == [each["id"] for each in here], options
        said, local = commands("ls", "--at", place, *options), commands("ls", *options)
        assert (said.out.replace(f"team ls {place} ", "ls "), said.err, said.code) == local, options


@pytest.mark.slow
def test_sessions_are_those_of_the_store(commands: Commands, place: str) -> None:
    """Over all traces of each."""
    for options in ((), *_FILTERS[:3], ("-n", "1")):
        words = ("--sessions", *options)
        here, there = commands("ls", *words), commands("ls", "--at", place, *words)
        assert there.out.replace(f"team ls {place} ", "ls ") == here.out, options
        assert commands("ls", "--at", place, "--json", *words).out == commands("ls", "--json", *words).out


@pytest.mark.slow
def test_runs_are_left_out_as_locally(commands: Commands, place: str) -> None:
    """And counted: of those that are newer than the last one that is shown."""
    for options in (
        (),
        ("-n", "2"),
        ("-n", "3"),
        ("-n", "1"),
        ("--agent", "opencode"),
        ("--until", "2026-11-20"),
    ):
        there, here = commands.json("ls", "--at", place, *options), _local(commands, *options)
        assert [each["trace"] for each in there] == here, options
    said, local = (commands.passes("ls", *at).splitlines() for at in (("--at", place), ()))
    assert said == local
    assert said[-1] == "1 run of replay or mock is not shown; --runs shows it"
    assert [
        line.partition(":")[0] for line in commands.passes("ls", "--at", place, "-n", "2").splitlines()[3:]
    ] == ["… and 2 older ones"]
    only = ("--since", "2026-11-19", "--until", "2026-11-20")
    assert commands("ls", "--at", place, *only) == commands("ls", *only)


@pytest.mark.slow
@pytest.mark.usefixtures("place")
def test_runs_are_pushed_if_asked_for(commands: Commands, tmp_path: Path) -> None:
    """By their names, or all with --runs; else they are left out, as in `ls`."""
    named, others = tmp_path / "named", tmp_path / "others"
    assert "1 trace pushed" in commands.passes("push", named, "20261119T120000Z-00000a")
    assert "3 traces pushed" in commands.passes("push", others)
    assert "1 trace pushed" in commands.passes("push", others, "--runs")


def test_how_to_see_the_older_ones(commands: Commands, place: str) -> None:
    """Is a command that has the filters again: those of the tables, and those of names."""
    for options in (("--client", "*", "--runs"), ("--agent", "open*", "--since", "2026-11-01")):
        last = commands.passes("ls", "--at", place, *options, "-n", "1").splitlines()[-1]
        words = shlex.split(last.partition(": ")[2])
        assert words == ["acp-trace", "team", "ls", place, *options, "-n", "0"]


def test_many_runs(commands: Commands, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Are passed over, without opening the tables for each."""
    asked: list[int] = []
    built = ls_at._built

    def counted(place: SharedPlace, part: Sequence[Kept]) -> dict[str, Listing]:
        asked.append(len(part))
        return built(place, part)

    monkeypatch.setattr(ls_at, "_built", counted)
    only = ("--until", "2026-11-20", "-n", "1")
    assert [each["id"] for each in commands.json("ls", "--at", place, *only)] == ["20261118T120000Z-00000b"]
    assert asked == [1, 1]


def test_what_is_in_no_table(commands: Commands, place: str, tmp_path: Path) -> None:
    """Is listed by its name, with what to do about it; no filter of the tables chooses it, which is told."""
    (path,) = made_traces(tmp_path / "made", 1)
    commands.passes("push", place, path, "--as-is")
    build = f"not in the tables yet: acp-trace team build {place}"
    rows = {each["id"]: each["trace"] for each in commands.json("ls", "--at", place)}
    assert [id_ for id_, trace in rows.items() if trace is None] == [path.stem]
    out = commands.passes("ls", "--at", place)
    assert build in out.splitlines()
    assert out.index(path.stem[-6:]) < out.index(build) < out.index("first prompt")
    said = commands("ls", "--at", place, "--client", "*")
    assert path.stem[-6:] not in said.out
    assert said.err == f"acp-trace: 1 trace is {build.replace('acp-trace team', '`acp-trace team')}`\n"
    assert commands("ls", "--at", place, "--client", "*", "--since", "2026-11-15").err == ""


def test_before_the_first_build(commands: Commands, tmp_path: Path) -> None:
    """Names say what they can; what they cannot say needs a build."""
    place = str(tmp_path / "team")
    commands.passes("push", place, _STORY)
    (row,) = commands.json("ls", "--at", place)
    assert (row["agent"], row["trace"]) == ("opencode", None)
    said = commands("ls", "--at", place)
    assert "first prompt" not in said.out
    assert said.err == ""
    said = commands("ls", "--at", place, "--sessions")
    assert (said.code, said.out) == (3, "")
    assert "has no tables yet" in said.err


def test_tables_that_cannot_be_read(commands: Commands, place: str) -> None:
    """The traces are listed all the same, and one line says what is wrong."""
    (Path(place) / names.commit(1)).write_bytes(b"no commit")
    said = commands("ls", "--at", place)
    assert (said.code, said.out.count("opencode"), said.err.count("\n")) == (0, 4, 1)
    assert said.err.endswith("; of each trace only its name is shown\n")
    assert commands("ls", "--at", place, "--sessions").code == 3
