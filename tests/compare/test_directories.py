"""Several directories in one trace: each is another one, and moved ones stand for each other."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.compare.codes import Match
from acp_trace.compare.difference import compare_traces
from acp_trace.trace.entries import Entry
from acp_trace.trace.parse import Parser
from tests.compare.conversation import codes, compared
from tests.reading.talk import Said, answer, ask, call, hello, prompt, reply, stop, up
from tests.support import line, trace

_LEVELS: tuple[Match, ...] = ("semantic", "content", "exact")


def _opened(session: str, cwd: str) -> list[Said]:
    return [
        ask(f"new {session}", "session/new", cwd=cwd),
        answer(f"new {session}", sessionId=session),
    ]


def _turn(id: int, session: str, *paths: str) -> list[Said]:
    """A turn in which files are read, and said to be."""
    reads: list[Said] = []
    for number, path in enumerate(paths):
        text = {"type": "text", "text": f"I read {path} and {path}.bak."}
        reads += [
            call(f"{id} {number}", "fs/read_text_file", sessionId=session, path=path),
            reply(f"{id} {number}", content="text"),
            up("agent_message_chunk", session, content=text),
            up("tool_call", session, toolCallId=f"c{id}{number}", kind="read", title=f"Read {path}",
               status="completed", rawInput={"path": path}, locations=[{"path": path}]),
        ]  # fmt: skip
    return [prompt(id, session), *reads, stop(id)]


def _told(expected: list[Said], actual: list[Said], level: Match, *agents: str) -> list[str]:
    file, actual_file = (
        trace(*hello(), *said, agent={"argv": ["agent"], "cwd": cwd})
        for said, cwd in zip((expected, actual), agents or ("/home", "/home"), strict=True)
    )
    return codes(compared(file, actual_file, level))


def _two(shop: str, inn: str, *reads: str) -> list[Said]:
    """A session in each of two directories; the first reads these."""
    return [*_opened("s", shop), *_opened("t", inn), *_turn(1, "s", *reads), *_turn(2, "t", f"{inn}/a")]


@pytest.mark.parametrize("level", _LEVELS)
def test_a_file_in_the_directory_of_another_session_is_another_one(level: Match) -> None:
    """An agent that reads in the wrong project is not equal to one that reads in its own."""
    expected = _two("/w/shop", "/w/inn", "/w/shop/a")
    assert "request-params" in _told(expected, _two("/w/shop", "/w/inn", "/w/inn/a"), level)
    assert "request-params" in _told(expected, _two("/t/1", "/t/2", "/t/2/a"), level)


def test_a_text_that_names_the_directory_of_another_session_is_another_one() -> None:
    """Only `content` compares texts."""
    expected, actual = (
        [*_opened("s", "/w/shop"), *_opened("t", "/w/inn"), prompt(1, "s"), chunk, stop(1)]
        for chunk in (
            up("agent_message_chunk", "s", content={"type": "text", "text": f"It is in {where}/a."})
            for where in ("/w/shop", "/w/inn")
        )
    )
    assert _told(expected, actual, "content") == ["content-differs"]


_UNCHANGED: dict[str, tuple[list[Said], list[Said], tuple[str, str]]] = {
    "both moved": (
        _two("/w/shop", "/w/inn", "/w/shop/a", "/w/inn/b"),
        _two("/t/2", "/t/1", "/t/2/a", "/t/1/b"),
        ("/home", "/home"),
    ),
    "exchanged": (
        _two("/w/shop", "/w/inn", "/w/shop/a", "/w/inn/b"),
        _two("/w/inn", "/w/shop", "/w/inn/a", "/w/shop/b"),
        ("/home", "/home"),
    ),
    "one in the other": (
        _two("/w", "/w/inn", "/w/a", "/w/inn/b"),
        _two("/tmp/run-77", "/tmp/run-77/inn", "/tmp/run-77/a", "/tmp/run-77/inn/b"),
        ("/w", "/tmp/run-77"),
    ),
    "one in the other no more": (
        _two("/w", "/w/inn", "/w/a", "/w/inn/b"),
        _two("/t/1", "/u/2", "/t/1/a", "/u/2/b"),
        ("/home", "/home"),
    ),
    "both in one": (
        _two("/w/shop", "/w/inn", "/w/shop/a", "/w/inn/b"),
        _two("/t", "/t", "/t/a", "/t/b"),
        ("/home", "/home"),
    ),
    "that of the agent moved": (
        _two("/w/shop", "/w/inn", "/w/a"),
        _two("/t/1", "/t/2", "/t/a"),
        ("/w", "/t"),
    ),
    "the agent elsewhere": (
        _two("/w/shop", "/w/inn", "/w/shop/a"),
        _two("/t/1", "/t/2", "/t/1/a"),
        ("/w/shop", "/opt/agents"),
    ),
    "the agent in one of a session": (
        _two("/w/shop", "/w/inn", "/w/inn/a"),
        _two("/t/1", "/t/2", "/t/2/a"),
        ("/opt", "/t/1"),
    ),
    "the agent in one of another session": (
        _two("/w/shop", "/w/inn", "/w/inn/a"),
        _two("/t/1", "/t/2", "/t/2/a"),
        ("/w/shop", "/t/2"),
    ),
    "again in the first": (
        [*_two("/w/shop", "/w/inn", "/w/shop/a"), *_opened("u", "/w/shop"), *_turn(3, "u", "/w/shop/a")],
        [*_two("/t/1", "/t/2", "/t/1/a"), *_opened("u", "/t/2"), *_turn(3, "u", "/t/2/a")],
        ("/home", "/home"),
    ),
    "a root": (
        _two("/", "/w/inn", "/w/inn/b"),
        _two("/t", "/t/2", "/t/2/b"),
        ("/home", "/home"),
    ),
}


@pytest.mark.parametrize("level", _LEVELS)
@pytest.mark.parametrize("name", _UNCHANGED)
def test_the_same_in_other_directories_is_equal(name: str, level: Match) -> None:
    """Wherever the sessions are, and where the agent was started."""
    expected, actual, agents = _UNCHANGED[name]
    assert _told(expected, actual, level, *agents) == []
    assert _told(actual, expected, level, *reversed(agents)) == []


@pytest.mark.parametrize("level", _LEVELS)
def test_directories_belong_to_sessions_that_do(level: Match) -> None:
    """Not to those that were opened as the first, or the second: here, the run lacks the first one."""
    first: list[Said] = [*_opened("r", "/w/gone"), *_turn(9, "r", "/w/gone/a")]
    loaded: list[Any] = [
        ask("load s", "session/load", sessionId="s", cwd="{}/shop"),
        answer("load s"),
        *_opened("t", "{}/inn"),
        *_turn(1, "s", "{}/shop/a", "{}/inn/b"),
        *_turn(2, "t", "{}/inn/a"),
    ]

    def at(root: str, said: Any) -> Any:
        if isinstance(said, str):
            return said.replace("{}", root)
        if isinstance(said, dict):
            return {key: at(root, value) for key, value in said.items()}
        return [at(root, each) for each in said] if isinstance(said, list) else said

    expected, actual = ([(side, at(root, said)) for side, said in loaded] for root in ("/w", "/t"))
    assert _told(expected, actual, level) == []
    failing = _told([*first, *expected], actual, level)
    assert set(failing) <= {"request-missing", "session-missing"}, failing


def _at_home(home: str, file: str, **environment: str) -> list[Entry]:
    """A trace whose agent says where a file of its own is."""
    note = {"environment": {"directories": {"HOME": home, **environment}}}
    said = up("agent_thought_chunk", "s", content={"type": "text", "text": f"I keep it in {file}."})
    whole = trace(*hello(), *_opened("s", "/w"), prompt(1, "s"), said, stop(1))
    head, _, rest = whole.partition(b"\n")
    return Parser().feed(head + b"\n" + line(t=1, model=note) + rest)


@pytest.mark.parametrize("level", ["content", "exact"])
def test_homes_stand_for_each_other(level: Match) -> None:
    """As any directories do that one variable names in both environments; gemini-cli speaks of files in its home."""
    expected = _at_home("/home/ann", "/home/ann/.agent/tmp/x")
    assert compare_traces(expected, _at_home("/root", "/root/.agent/tmp/x"), level)[0].equal
    assert not compare_traces(expected, _at_home("/root", "/root/.agent/y"), level)[0].equal
    assert not compare_traces(expected, _at_home("/root", "/home/ann/.agent/tmp/x"), level)[0].equal
    other = _at_home("/root", "/cache/tmp/x", XDG_CACHE_HOME="/cache")
    assert not compare_traces(expected, other, level)[0].equal
    cached = _at_home("/home/ann", "/home/ann/.cache/tmp/x", XDG_CACHE_HOME="/home/ann/.cache")
    assert compare_traces(cached, other, level)[0].equal
