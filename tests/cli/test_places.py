"""What every command of a place says where it is denied, away, damaged or mixed with what is foreign.

One clear line with the exit code for it, and nothing of the place is lost.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acp_trace.places import layout, packing, pull
from acp_trace.places.address import url_of
from acp_trace.places.place import SharedPlace
from acp_trace.team.bucket import objects
from acp_trace.team.bucket.objects import ObjectStorage
from acp_trace.team.lake import log, names
from acp_trace.team.lake.build import build
from tests.bucket.conftest import azurite, bucket, container, google, google_server, place, s3, s3_server
from tests.bucket.server import S3Server
from tests.commands import Commands, Said
from tests.lake.traces import place_at, push, rows_at, rows_of_store
from tests.support import SAMPLES

__all__ = ["azurite", "bucket", "container", "google", "google_server", "place", "s3", "s3_server"]

#: The commands that a place has, and what they are given behind its address. ID is one of its traces.
READ = {
    "ls": ("ls", "--at", "DEST"),
    "pull": ("pull", "DEST", "ID"),
    "show": ("show", "DEST/ID"),
    "check": ("check", "--at", "DEST", "ID", "--fail-on", "never"),
    "query": ("query", "--at", "DEST", "SELECT count(*), max(bytes) FROM frames"),
    "stats": ("stats", "--at", "DEST"),
}
WRITE = {
    "push": ("push", "DEST", str(SAMPLES[3]), "--as-is"),
    "build": ("lake", "build", "DEST", "--jobs", "1"),
    "prune": ("prune", "--at", "DEST", "--keep", "1"),
}
ALL = READ | WRITE
TABLES = ("query", "stats", "build", "prune")


class Team(NamedTuple):
    """A place with three traces, and tables of two of them, which are of one day."""

    url: str
    place: SharedPlace
    unbuilt: layout.Kept  #: the third trace
    commands: Commands

    def run(self, command: str) -> Said:
        """One of ALL; ID is the third trace."""
        return run(self.commands, command, self.url, self.unbuilt.id)

    def contents(self) -> dict[str, bytes | None]:
        """Every object of the place."""
        return {each.name: self.place.read(each.name) for each in self.place.names("")}

    def damage(self, name: str, data: bytes) -> None:
        """Puts something else in the place of an object."""
        self.place.remove([name])
        self.place.put(name, data)


def run(commands: Commands, command: str, url: str, id_: str = "7f3a9c") -> Said:
    """A command at a place."""
    return commands(*(word.replace("DEST", url).replace("ID", id_) for word in ALL[command]))


def one_line(said: Said, *parts: str) -> None:
    """It failed with one line, in which all of this stands."""
    assert (said.code, said.out, said.err.count("\n")) == (3, "", 1), said
    for part in parts:
        assert part in said.err, said.err


def made(commands: Commands, at: str) -> Team:
    """Such a place."""
    there = place_at(at)
    push(there, [SAMPLES[0], SAMPLES[2]])
    build(there, 1)
    built = pull.kept_in(there)
    push(there, SAMPLES[:3])
    [unbuilt] = set(pull.kept_in(there)) - set(built)
    return Team(there.url, there, unbuilt, commands)


@pytest.fixture
def team(commands: Commands, tmp_path: Path) -> Team:
    """One in a directory."""
    return made(commands, str(tmp_path / "team"))


@pytest.mark.slow
def test_a_reader_of_a_bucket(commands: Commands, bucket: str, s3_server: S3Server) -> None:
    """Reads all; what would write says in one line that it may not, and the place is as it was."""
    team = made(commands, bucket)
    answers = {command: team.run(command) for command in READ}
    assert {said.code for said in answers.values()} == {0}, answers
    before = team.contents()
    s3_server.denied.update({"PUT", "POST", "DELETE"})
    for command, said in answers.items():
        assert team.run(command)[1:] == said[1:], command
    for command in WRITE:
        one_line(team.run(command), bucket, "denies access", "Access Denied")
    s3_server.denied.clear()
    assert team.contents() == before


@pytest.mark.slow
def test_somebody_without_rights(commands: Commands, bucket: str, s3_server: S3Server) -> None:
    """Every command says so in one line."""
    team = made(commands, bucket)
    before = team.contents()
    s3_server.denied.update({"GET", "HEAD", "PUT", "POST", "DELETE"})
    for command in ALL:
        one_line(team.run(command), bucket, "denies access: check the credentials")
    s3_server.denied.clear()
    assert team.contents() == before


def test_what_to_look_at_next_is_in_the_place(commands: Commands, team: Team) -> None:
    """The command that a report ends with works on a machine that does not have the trace."""
    id_ = team.unbuilt.id
    for words in (
        ("check", f"{team.url}/{id_[-6:]}", "--fail-on", "note"),
        ("check", "--at", team.url, id_, "--fail-on", "note"),
        ("diff", str(SAMPLES[0]), f"{team.url}/{id_}"),
        ("diff", str(SAMPLES[0]), f"{team.url.removeprefix('file://')}/{id_[-6:]}"),
    ):
        said = commands(*words)
        assert said.code == 1, said
        name, *rest = said.out.splitlines()[-1].removeprefix(" acp-trace frames ").split()
        assert name == f"{team.url}/{id_}"
        commands.passes("frames", name, *rest)
        assert id_ in said.out.partition("acp-trace frames")[0]  # and not where in the directory it would be


@pytest.fixture
def silent() -> Iterator[str]:
    """The endpoint of a server that accepts connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("why", ["down", "unknown", "silent", "no bucket"])
@pytest.mark.parametrize("command", ALL)
def test_a_bucket_that_is_away(
    commands: Commands, bucket: str, silent: str, monkeypatch: pytest.MonkeyPatch, why: str, command: str
) -> None:
    """Its server is down, has an unknown name or never answers; or the server does not have it: one line."""
    monkeypatch.setattr(objects, "_RETRIES", {"max_retries": 0})
    if why == "silent":
        monkeypatch.setattr(objects, "_FIRST", {**objects._FIRST, "timeout": "50ms"})
    if why != "no bucket":
        # No name has a part of 64 letters, so no server is asked for it.
        endpoints = {"down": "http://127.0.0.1:9", "unknown": f"http://{'x' * 64}.test", "silent": silent}
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoints[why])
    else:
        bucket = "s3://no-such-bucket/team"
    meaning = "is in a bucket that does not exist" if why == "no bucket" else "cannot be reached"
    one_line(run(commands, command, bucket), bucket, meaning)


@pytest.mark.slow
def test_a_place_that_stops_answering(
    commands: Commands, bucket: str, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of a push: one line, what was put is there, and the next push goes on."""
    there = place_at(bucket)
    monkeypatch.setattr(objects, "_RETRIES", {"max_retries": 0})
    put, client = ObjectStorage.put, {**objects._CLIENT, "timeout": "50ms"}

    def then_away(self: ObjectStorage, name: str, data: Any) -> bool:
        is_new = put(self, name, data)
        with monkeypatch.context() as patch:
            patch.setenv("AWS_ENDPOINT_URL", silent)
            self._objects = objects._opened(bucket, objects._access(bucket), client, make=False)
        return is_new

    with monkeypatch.context() as patch:
        patch.setattr(ObjectStorage, "put", then_away)
        words = ("push", bucket, *map(str, SAMPLES[:4]), "--as-is", "--jobs", "1")
        one_line(commands(*words), bucket, "cannot be reached")
    assert len(pull.kept_in(there)) == 1
    assert "3 traces pushed" in commands.passes(*words)


def cut(data: bytes | None) -> bytes:
    """Half of it."""
    assert data is not None
    return data[: len(data) // 2]


@pytest.mark.slow
def test_a_half_written_trace(team: Team) -> None:
    """Who asks for it is told; all others are answered. It is not built, and not lost from where it came from."""
    key = team.unbuilt.key
    whole = team.place.read(key)
    team.damage(key, cut(whole))
    before = team.contents()
    for command in ("pull", "show", "check"):
        one_line(team.run(command), team.url, key, "is cut off")
    for command in ("ls", "query", "stats", "push"):
        assert team.run(command).code == 0, command
    said = team.run("build")
    assert (said.code, said.err.count("\n")) == (3, 1), said
    assert f"not built: {key} is cut off" in said.err
    assert before.items() <= team.contents().items()
    team.damage(key, whole or b"")
    assert team.run("build").code == 0
    assert team.run("show").code == 0


def _file_of(team: Team, table: str) -> str:
    """The name of a file of a table, in the newest commit."""
    groups = log.newest(team.place).groups.values()
    return next(name for group in groups if (name := group.object(table)))


@pytest.mark.slow
@pytest.mark.parametrize("table", ["frames", "loads", "turns"])
def test_a_half_written_file_of_a_table(team: Team, table: str, tmp_path: Path) -> None:
    """Who asks for the table is told what to do, and that mends it: tables are made from the traces."""
    name = _file_of(team, table)
    team.damage(name, cut(team.place.read(name)))
    before = team.contents()
    hint = "remove lake/ from the place, and build again"
    sql = f"SELECT max(trace_id) FROM {table}"
    one_line(team.commands("query", "--at", team.url, sql), team.url, name, hint)
    for command in ("ls", "pull", "show", "check", "push"):
        assert team.run(command).code == 0, command
    assert before.items() <= team.contents().items()
    gone = next(kept for kept in pull.kept_in(team.place) if kept.id in SAMPLES[2].read_text("utf-8"))
    team.place.remove([gone.key])
    one_line(team.run("build"), team.url, name, hint)
    team.place.remove([key for key in team.contents() if key.startswith(f"{names.ROOT}/")])
    assert team.run("build").code == 0
    files = [SAMPLES[0], SAMPLES[1], SAMPLES[3]]
    assert rows_at(team.place, tmp_path / "a") == rows_of_store(files)


@pytest.mark.parametrize("damage", ["cut", "foreign"])
def test_a_half_written_commit(team: Team, damage: str) -> None:
    """Nothing is built on it and nothing removed, until it is gone; traces are read and pushed all the same."""
    newest = names.commit(log.newest(team.place).number)
    whole = team.place.read(newest)
    team.damage(newest, cut(whole) if damage == "cut" else b"".join(packing.packed([b'{"version":3}'])))
    before = team.contents()
    for command in TABLES:
        one_line(team.run(command), team.url, newest, "remove lake/ from the place, and build again")
    assert team.contents() == before
    for command in ("ls", "pull", "show", "check", "push"):
        assert team.run(command).code == 0, command
    team.damage(newest, whole or b"")
    assert team.run("build").code == 0


_FOREIGN = {
    "notes.txt": b"foreign",
    "traces/notes.txt": b"foreign",
    "traces/day=2026-11-20/agent=x/movie.mp4": b"foreign",
    "lake/notes.txt": b"foreign",
    "lake/commits/notes.json": b"foreign",
    "lake/turns/day=2026-11-20/notes.parquet": b"foreign",
    "lake/turns/day=2026-11-20/0f3a52c1d0e94b77.parquet": b"foreign",
}


@pytest.mark.slow
def test_foreign_files(commands: Commands, place: str) -> None:
    """Are in nobody's way, and stay."""
    team = made(commands, place)
    url = url_of(place, "/")
    for name, data in _FOREIGN.items():
        team.place.put(name, data)
    for command in ALL:
        said = run(commands, command, url, team.unbuilt.id)
        assert (said.code, said.err) == (0, ""), (command, said)
    assert _FOREIGN.items() <= team.contents().items()


@pytest.mark.parametrize("command", ALL)
def test_a_place_of_others(commands: Commands, tmp_path: Path, command: str) -> None:
    """A directory with a file of the marker's name, and one with a newer layout: nothing is put into it."""
    marker = tmp_path / layout.MARKER
    for text, why in ((b"{}", "is not acp-trace's"), (b'{"acp_trace_place": 9}', "update acp-trace")):
        marker.write_bytes(text)
        one_line(run(commands, command, url_of(str(tmp_path), "/")), str(tmp_path), why)
    assert not (tmp_path / layout.TRACES).exists()
    assert not (tmp_path / names.ROOT).exists()
