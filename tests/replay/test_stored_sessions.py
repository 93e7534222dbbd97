"""Recordings that begin with a session of the agent's store: where they go on, and what is said of it."""

from __future__ import annotations

from pathlib import Path

from acp_trace.replay.conversation.explain import explained
from acp_trace.replay.drive.run import replay
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.incidents import RUN_CODES
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.settings import Settings
from acp_trace.replay.stored_sessions import kept, notes, stored
from tests.reading.talk import answer, ask, hello, opened, prompt, stop
from tests.replay.lines import chunk
from tests.replay.playbook import Playbook, recorded
from tests.replay.scenario import AGENT
from tests.support import Home


def load(session: str, cwd: str = "/old", method: str = "session/load") -> list[tuple[str, object]]:
    return [ask(f"load {session}", method, sessionId=session, cwd=cwd), answer(f"load {session}")]


LOADED = [*hello(), *load("s"), prompt(1), chunk(), stop(1)]


def test_a_session_that_was_not_opened_in_the_recording_is_a_stored_one() -> None:
    """Loaded or resumed, and once however often; one that was opened before is not."""
    of = recorded(
        *hello(), *opened("a"), *load("a", "/w"), *load("b"), *load("b"), *load("c", "/c", "session/resume")
    )
    found = [(each.method, each.session, each.cwd) for each in stored(of)]
    assert found == [("session/load", "b", "/old"), ("session/resume", "c", "/c")]


def test_it_goes_on_in_its_old_directory() -> None:
    """If that is here, and nothing else is given."""
    of = recorded(*LOADED)
    for settings, usable, directories, words in (
        (Settings(), True, ["/old"], "goes on in /old"),
        (Settings(), False, [], "/old does not exist"),
        (Settings(cwd=Path("/new")), True, [], "goes on in /new"),
    ):
        assert kept(of, settings, lambda _, usable=usable: usable) == directories  # type: ignore[misc]
        (note,) = notes(of, settings, lambda _, usable=usable: usable)  # type: ignore[misc]
        assert (note.code, note.expected) == ("session-stored", 3)
        assert words in note.message
    assert not list(notes(recorded(*hello(), *opened("a")), Settings(), lambda _: True))


def test_what_is_sent_names_the_old_directory() -> None:
    """And the agent's id, which nobody made up anew."""
    with Playbook(recorded(*LOADED), folders={"/old": "/old"}) as book:
        book(*LOADED)


def test_a_run_that_loads_a_session(home: Home, tmp_path: Path) -> None:
    """The agent is asked for its session in the directory of the recording, and nothing is made there."""
    old = tmp_path / "old"
    old.mkdir()
    of = recorded(*hello(), *load("s-1", str(old)), *load("s-2", str(old / "gone")))
    settings = Settings(timeout_ns=30 * 10**9)
    played = replay(plan(of, "client"), AGENT, settings, stop=Stop())
    assert RUN_CODES["session-stored"].severity == "note"
    sent = b"".join(entry.data for entry in played.entries if entry.sender == "client")
    assert f'"cwd":"{old}"'.encode() in sent.replace(b" ", b"")
    assert f'"cwd":"{old}/gone"'.encode() not in sent.replace(b" ", b"")
    assert [each.code for each in played.incidents].count("session-stored") == 2
    assert not list(old.iterdir())


def test_the_plan_tells_the_recorded_directory_from_a_new_one() -> None:
    """As the run will have it: what is bound there comes from where the session is stored."""
    of = plan(recorded(*hello(), *load("s"), *opened("a")), "client")
    for directories, where in (([], "new"), (["/old"], "recorded")):
        bound = [place for step in explained(of, directories) for place in step.bound if "cwd" in place]
        assert bound == [
            f"/params/cwd ← /old from the {where} directory",
            "/params/cwd ← /w from the new directory",
        ]
