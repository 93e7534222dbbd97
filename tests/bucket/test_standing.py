"""Pushes after each recording: what is new, once, by one process; and what is said if the place is away."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from acp_trace.places import packing, pull
from acp_trace.places.address import url_of
from acp_trace.places.opening import open_place
from acp_trace.places.place import SharedPlace
from acp_trace.store.sources import Source
from acp_trace.store.sweep import load_files
from acp_trace.team.bucket import standing
from acp_trace.team.bucket.push import Push, Pushed, Secrets
from acp_trace.trace.home import Home
from tests.bucket.server import S3Server
from tests.bucket.test_places import SAMPLES, secret_trace
from tests.commands import CommandHome, Commands
from tests.support import DEADLINE_S
from tests.support import Home as ProcessHome


@pytest.fixture
def here(home: CommandHome) -> Home:
    """An empty home."""
    return Home(home.path)


def _switched_on(here: Home, place: str) -> SharedPlace:
    """A place to which recordings are pushed from now on."""
    made = open_place(url_of(place, "/"), make=True)
    standing.switch_on(here, made.url, "refuse").since = ""
    return made


def _state(here: Home) -> standing.Standing:
    found = standing.standing(here)
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """All recordings count as new."""
    monkeypatch.setattr(standing, "_now", lambda: "2020-01-01T00:00:00.000000Z")
    monkeypatch.setattr(standing, "_DAYS", 100_000)


@pytest.mark.slow
def test_what_is_new_is_pushed_once(here: Home, place: str) -> None:
    """And what contains secrets is refused once."""
    there = _switched_on(here, place)
    standing.run(here)
    assert _state(here).last is None
    load_files(here, SAMPLES[:2])
    standing.run(here)
    assert (_state(here).pushed, _state(here).refused) == (2, 0)
    load_files(here, [*SAMPLES, secret_trace(here.path / "secret.jsonl")])
    standing.run(here)
    standing.run(here)
    assert (_state(here).pushed, _state(here).refused) == (len(SAMPLES), 1)
    assert len(pull.kept_in(there)) == len(SAMPLES)


def test_a_place_that_is_away_is_tried_again(here: Home, tmp_path: Path) -> None:
    """What failed is written down, and nothing is lost."""
    place = tmp_path / "team"
    _switched_on(here, str(place))
    load_files(here, SAMPLES[:2])
    shutil.rmtree(place)
    place.touch()
    standing.run(here)
    assert "is not a directory" in str(_state(here).problem)
    place.unlink()
    open_place(url_of(str(place), "/"), make=True)
    standing.run(here)
    assert (_state(here).problem, _state(here).pushed) == (None, 2)


def test_a_place_that_is_gone_is_not_made_again(here: Home, tmp_path: Path) -> None:
    """Where a share is not mounted, an empty directory is: what went there would count as pushed."""
    place, away = tmp_path / "team", tmp_path / "away"
    _switched_on(here, str(place))
    load_files(here, SAMPLES[:2])
    place.rename(away)
    for _ in range(2):
        standing.run(here)
        assert _state(here).problem
        assert (_state(here).pushed, [*tmp_path.glob("team/*")]) == (0, [])
        place.mkdir(exist_ok=True)
    place.rmdir()
    away.rename(place)
    standing.run(here)
    assert (_state(here).problem, _state(here).pushed) == (None, 2)


def test_it_comes_to_an_end(here: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with more traces than anybody would count; what is in the store no more is forgotten."""
    _switched_on(here, str(tmp_path / "team"))
    ids = [f"20261120T130501Z-{number:06x}" for number in range(10_001)]
    sent: list[str] = []

    def push(self: object, sources: Iterable[Callable[[], Source]]) -> Iterator[Pushed]:
        del self
        for opened in sources:
            sent.append(opened().name)
            yield Pushed(sent[-1], "pushed")

    monkeypatch.setattr(Push, "all", push)
    monkeypatch.setattr(standing, "_recent", lambda *_: dict.fromkeys(ids))
    standing.run(here)
    assert sent == ids
    del ids[:10_000]
    ids.append("20261120T130502Z-000000")
    standing.run(here)
    assert _state(here).done == ids


@pytest.mark.parametrize(("secrets", "pushed"), [("refuse", 2), ("redact", 2), ("keep", 0)])
def test_switched_on_again(
    here: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secrets: Secrets, pushed: int
) -> None:
    """What could not be pushed is not forgotten; only never sent with secrets that would have kept it here."""
    place = _switched_on(here, str(tmp_path / "team"))
    load_files(here, SAMPLES[:2])
    monkeypatch.setattr(standing, "_now", lambda: "9999-01-01T00:00:00.000000Z")
    standing.switch_on(here, place.url, secrets)
    standing.run(here)
    assert _state(here).pushed == pushed


@pytest.mark.slow
def test_a_trace_that_failed_is_tried_again(here: Home, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a full disk: it is told, the others are pushed, and nothing is lost."""
    _switched_on(here, place)
    load_files(here, SAMPLES[:3])
    packed = packing.packed
    full = [True]

    def once(pieces: Iterable[bytes]) -> Iterator[bytes]:
        if full:
            full.clear()
            raise OSError(errno.ENOSPC, "No space left on device")
        return packed(pieces)

    monkeypatch.setattr(packing, "packed", once)
    standing.run(here)
    assert (_state(here).pushed, len(_state(here).done)) == (2, 2)
    assert str(_state(here).problem).endswith(": No space left on device")
    standing.run(here)
    assert (_state(here).pushed, _state(here).problem) == (3, None)


def test_one_at_a_time(here: Home, place: str) -> None:
    """Whoever comes meanwhile leaves it to the other one."""
    there = _switched_on(here, place)
    load_files(here, SAMPLES[:1])
    with standing._alone(here) as first:
        assert first
        standing.run(here)
    assert pull.kept_in(there) == []
    standing.run(here)
    assert len(pull.kept_in(there)) == 1


def test_commands(commands: Commands, tmp_path: Path) -> None:
    """Switched on, seen in `where`, run by the loader, and switched off."""
    place = str(tmp_path / "team")
    assert "from now on" in commands.passes("push", place, "--after-recording")
    commands.passes("load", SAMPLES[0])
    assert commands("load", "--background").code == 0
    assert "after each recording   1 pushed\n" in commands.passes("where")
    assert commands.json("where")["push"]["pushed"] == 1
    assert commands("push", place, "--after-recording", "--agent", "x").code == 2
    assert "no longer" in commands.passes("push", place, "--not-after-recording")
    assert commands.json("where")["push"] is None


def test_what_where_says(commands: Commands, tmp_path: Path) -> None:
    """A line each for the place with its rule, for what was refused with what to do, and for what failed."""
    place = f"file://{tmp_path}/team"
    home = Home(commands.home.path)
    told: dict[Secrets, str] = {"refuse": "", "redact": ", without secrets", "keep": ", also with secrets"}
    for rule, words in told.items():
        state = standing.switch_on(home, place, rule)
        state.pushed, state.refused, state.last, state.problem = 3, 1, "2026-11-25T00:17:39Z", "it is full"
        standing._write(home, state)
        lines = [line.strip() for line in commands.passes("where").splitlines()]
        at = lines.index(f"push to   {place} after each recording{words}   3 pushed")
        assert lines[at + 1] == f"! 1 with secrets refused: acp-trace team push {place} --redact"
        assert lines[at + 2].startswith("! it is full (25 Nov 2026 ")


def test_another_place(commands: Commands, tmp_path: Path) -> None:
    """Replaces the one before, which is told; the same one again does not."""
    first, second = (f"file://{tmp_path}/{name}" for name in ("first", "second"))
    assert "no longer" not in commands.passes("push", first, "--after-recording")
    assert "no longer" not in commands.passes("push", first, "--after-recording", "--redact")
    said = commands.passes("push", second, "--after-recording")
    assert f"{second} from now on, and no longer to {first};" in said
    assert commands.json("where")["push"]["place"] == second


@pytest.mark.slow
def test_a_place_that_hangs_is_in_nobodys_way(tmp_path: Path) -> None:
    """Neither in that of recorders, nor of who looks at traces; when it goes on, all of them are pushed."""
    pytest.importorskip("moto.server", reason="has no wheels for this Python yet")
    processes = ProcessHome(tmp_path / "home")
    with S3Server() as server:
        processes.environment.update(server.environment)
        server.make_bucket("traces")

        def run(*words: str) -> str:
            return processes.run(*words)

        run("push", "s3://traces/team", "--after-recording")
        server.stalled = {"PUT"}
        run("record", "--", "cat")
        assert server.is_stalling.wait(DEADLINE_S)
        for _ in range(2):
            run("record", "--", "cat")
        assert len(json.loads(run("ls", "--json"))) == 3
        assert "cat" in run("show")
        assert "0 pushed" in run("where")
        server.go_on()
        while json.loads(run("where", "--json"))["push"]["pushed"] < 3:
            assert json.loads(run("where", "--json"))["push"]["problem"] is None
        assert len(json.loads(run("ls", "--at", "s3://traces/team", "--json"))) == 3
