"""A permission shows what then runs, in whatever place its agent shows it: told where it no longer does."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.compare.codes import Match
from acp_trace.compare.result import Comparison
from tests.compare.conversation import codes, compared
from tests.reading.talk import Said, hello, opened, prompt, stop, up
from tests.replay.lines import asks, gone, may, now, picks, tool
from tests.support import trace

_LS, _CAT = "ls -l", "cat 'a long file name' | sort"


def _text(text: str) -> list[Any]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


def _terminal(command: str) -> list[Said]:
    return [asks(8, "terminal/create", command="sh", args=["-c", f"cd '/w' && {command}"])]


def _like_opencode(shown: str, command: str) -> list[Said]:
    """Raw input and title, before and after."""
    raw: Any = {"rawInput": {"command": command, "cwd": "/w"}, "title": command}
    asked = may(7, title=shown, rawInput={"command": shown})
    return [tool(rawInput={}), asked, picks(7), now("c", "in_progress", **raw), now("c", "completed", **raw)]


def _like_kimi(shown: str, command: str) -> list[Said]:
    """A text, cut off if it is long; then a terminal."""
    cut = shown if len(shown) < 20 else f"{shown[:18]}…"
    asked = may(7, title="Bash", content=_text(f"Requesting approval to Running: {cut}"))
    later = now("c", "in_progress", title=f"Running: {command}", rawInput={"command": command})
    return [tool(), asked, picks(7), later, *_terminal(command), now("c", "completed")]


def _like_gemini(shown: str, command: str) -> list[Said]:
    """The title alone, and updates after it."""
    return [tool(), may(7, title=shown), picks(7), now("c", "completed", title=command)]


def _like_codex(shown: str, command: str) -> list[Said]:
    """A list of words; the title alone is another."""
    return [tool(), may(7, title=shown, rawInput={"command": ["bash", "-lc", command]}), picks(7)]


def _by_terminal(shown: str, command: str) -> list[Said]:
    """Nothing but the permission and the terminal, which gets its words one by one."""
    asked = may(7, rawInput={"command": shown})
    words = command.replace("'", "").split()
    ran = asks(8, "terminal/create", command=words[0], args=words[1:])
    return [tool(), asked, picks(7), ran, now("c", "completed")]


def _by_path(shown: str, command: str) -> list[Said]:
    """A diff, and the file that is written."""
    diff = {"type": "diff", "path": f"/w/{shown}", "newText": "x"}
    wrote = asks(8, "fs/write_text_file", path=f"/w/{command}", content="x")
    return [tool(), may(7, content=[diff]), picks(7), wrote, now("c", "completed")]


_AGENTS = [_like_opencode, _like_kimi, _like_gemini, _like_codex, _by_terminal, _by_path]


def _compared(
    agent: Any, was: tuple[str, str], is_now: tuple[str, str], match: Match = "semantic"
) -> Comparison:
    """What differs between two turns: what was shown and what ran."""
    begin = [*hello(), *opened(), prompt(1)]
    expected, actual = (trace(*begin, *agent(*pair), stop(1)) for pair in (was, is_now))
    return compared(expected, actual, match)


def _told(agent: Any, was: tuple[str, str], is_now: tuple[str, str]) -> list[str]:
    """The codes of permissions."""
    return [code for code in codes(_compared(agent, was, is_now)) if code.startswith("permission")]


@pytest.mark.parametrize("agent", _AGENTS)
def test_a_permission_that_shows_something_else_is_told(agent: Any) -> None:
    """Whatever ran in the recording, and once."""
    for command in (_LS, _CAT):
        assert _told(agent, (_LS, _LS), ("echo harmless", command)) == ["permission-misleads"]


@pytest.mark.parametrize(
    ("answer", "says"),
    [(picks(7), "and runs"), (picks(7, "no"), "and is about"), (gone(7), "and is about")],
)
def test_what_was_not_allowed_did_not_run(answer: Said, says: str) -> None:
    """The sentence says what the permission is about."""
    begin = [*hello(), *opened(), prompt(1)]
    expected, actual = (
        trace(*begin, tool(), may(7, title=shown), answer, now("c", "failed", title=_LS), stop(1))
        for shown in (_LS, "echo harmless")
    )
    (found,) = compared(expected, actual).failing
    assert (found.code, found.got) == ("permission-misleads", f'shows "echo harmless", {says} "{_LS}"')


@pytest.mark.parametrize("agent", _AGENTS)
def test_another_command_is_no_matter_of_agreement(agent: Any) -> None:
    """Another model runs another command: what is shown is what runs."""
    assert not _told(agent, (_LS, _LS), (_CAT, _CAT))
    assert not _told(agent, (_CAT, _CAT), (_LS, _LS))


@pytest.mark.parametrize("agent", _AGENTS)
def test_what_never_agreed_is_not_told(agent: Any) -> None:
    """An agent may show something of its own, as it did."""
    assert not _told(agent, ("Do something", _LS), ("echo harmless", _CAT))


def test_what_a_permission_repeats_is_told_of_its_tool_call() -> None:
    """At `content`: another command is one divergence, wherever it is shown."""
    (found,) = _compared(_like_opencode, (_LS, _LS), (_CAT, _CAT), "content").failing
    assert (found.code, found.pointer) == ("content-differs", "/params/update/rawInput/command")
    (found,) = _compared(_by_terminal, ("Do it", _LS), ("Do that", _LS), "content").failing
    assert (found.code, found.pointer) == ("content-differs", "/params/toolCall/rawInput/command")


@pytest.mark.parametrize("named", [{"title": "edit", "kind": "edit"}, {"title": "Bash", "name": "Bash"}])
def test_a_title_that_only_names_the_tool_does_not_mislead(named: dict[str, str]) -> None:
    """It says less than the command, and nothing else than what runs."""
    agent = _like_opencode(_LS, _LS)
    plain = [agent[0], may(7, rawInput={"command": _LS}, **named), *agent[2:]]
    begin = [*hello(), *opened(), prompt(1)]
    expected, actual = (trace(*begin, *said, stop(1)) for said in (agent, plain))
    assert "permission-misleads" not in codes(compared(expected, actual))


def _like_fast_agent(shown: str, command: str) -> list[Said]:
    """The kind of the tool as its title, everywhere."""
    asked = may(7, title=shown, kind="execute", rawInput={"command": command})
    return [up("tool_call", toolCallId="c", title="execute", kind="execute"), asked, picks(7)]


def test_a_title_in_place_of_the_name_of_the_tool_may_mislead() -> None:
    """Where the recording only named the tool."""
    assert not _told(_like_fast_agent, ("execute", _LS), ("execute", _CAT))
    assert _told(_like_fast_agent, ("execute", _LS), ("echo harmless", _LS)) == ["permission-misleads"]


def test_a_permission_whose_turn_is_cut_short_is_not_told() -> None:
    """Nothing is known of what would have run."""
    begin = [*hello(), *opened(), prompt(1)]
    whole = trace(*begin, *_like_opencode(_LS, _LS), stop(1))
    cut = trace(*begin, tool(rawInput={}), may(7, title=_CAT, rawInput={"command": _CAT}), picks(7), stop(1))
    assert "permission-misleads" not in codes(compared(whole, cut))


@pytest.mark.parametrize("call", [None, 5, {}, {"title": 5, "rawInput": [], "content": [5], "locations": {}}])
def test_odd_permissions(call: Any) -> None:
    """They are compared as far as it goes."""
    begin = [*hello(), *opened(), prompt(1)]
    odd = asks(7, "session/request_permission", toolCall=call, options=[])
    files = [trace(*begin, odd, stop(1)), trace(*begin, *_like_kimi(_LS, _LS), stop(1))]
    assert not codes(compared(files[0], files[0]))
    for a, b in (files, files[::-1]):
        assert "permission-misleads" not in codes(compared(a, b))
