"""What a shell completes, asked as the shell asks: by `_ACP_TRACE_COMPLETE`."""

from __future__ import annotations

import re

import pytest

from acp_trace.analyze.facts import Session
from acp_trace.cli import completion
from acp_trace.report.text.show import SECTIONS
from acp_trace.store import connect
from acp_trace.trace.names import VARIABLE
from tests import handmade
from tests.commands import Commands
from tests.handmade import made, stored
from tests.support import Fill

_NEW, _OLD = "20261120T130001Z-bbbbb2", "20261120T130000Z-aaaaa1"


@pytest.fixture
def full(commands: Commands, filled: Fill) -> Commands:
    """Two traces; the older one names a terminal's commands, and no client."""
    named = {"agent_name": "OpenCode", "client_name": "acpx", "started_at": "2026-11-20T13:00:01Z"}
    odd = {
        "agent_argv": '["npx","a\x1b[2J"]'.replace("\x1b", "\\u001b"),
        "started_at": "2026-11-20T13:00:00Z",
    }
    session = made(Session, session_id="ses_one", opened_by="session/new")
    traces = handmade.trace(_NEW, session, **named), handmade.trace(_OLD, **odd)
    filled(lambda: stored(commands.home.store, *traces))
    return commands


def _completed(commands: Commands, patch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """The words that bash is offered for the last of these."""
    patch.setenv("_ACP_TRACE_COMPLETE", "complete_bash")
    patch.setenv("COMP_WORDS", " ".join(["acp-trace", *words]))
    patch.setenv("COMP_CWORD", str(len(words)))
    said = commands()
    assert (said.err, said.code) == ("", 0)
    return said.out.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["show", ""], ["last", "last~1", "bbbbb2", "aaaaa1", "ses_one"]),
        (["frames", "bb"], ["bbbbb2"]),
        (["export", "2026"], [_NEW, _OLD]),
        (["rm", "la"], ["last", "last~1"]),
        (["check", "bbbbb2", "a"], ["aaaaa1"]),
        (["diff", "bbbbb2", "aa"], ["aaaaa1"]),
        (["replay", "a"], ["aaaaa1"]),
        (["mock", "a"], ["aaaaa1"]),
        (["model", "a"], ["aaaaa1"]),
        (["model", "diff", "a"], ["aaaaa1"]),
        (["follow", "a"], ["aaaaa1"]),
        (["show", "nothing"], []),
        (["show", "--section", ""], list(SECTIONS)),
        (["show", "--section", "fi"], ["findings"]),
        (["show", "ses"], ["ses_one"]),
        (["frames", "ses"], []),
        (["show", "--meta-merge", "s"], ["shallow"]),
        (["check", "--side", ""], ["client", "agent"]),
        (["frames", "--from", "a"], ["agent"]),
        (["frames", "--where", "sev"], ["severity:"]),
        (["frames", "--where", "severity:w"], ["severity:warning"]),
        (["export", "--raw", "c"], ["client"]),
        (["ls", "--origin", ""], ["recorded", "imported", "replay", "mock"]),
        (["stats", "--origin", "m"], ["mock"]),
        (["diff", "--match", ""], ["outcome", "semantic", "content", "exact"]),
        (["replay", "--match", "e"], ["exact"]),
        (["replay", "--unmatched", "w"], ["workspace"]),
        (["replay", "--model", ""], ["recorded", "live", "off"]),
        (["replay", "--model-match", "l"], ["loose"]),
        (["mock", "--unmatched", ""], ["fail", "nearest"]),
        (["check", "--fail-on", "warn"], ["warning"]),
        (["check", "--fail-on", "agent-c"], ["agent-crashed"]),
        (["stats", "--by", "agent"], ["agent", "agent_version"]),
    ],
)
def test_what_is_offered(
    full: Commands, monkeypatch: pytest.MonkeyPatch, words: list[str], offered: list[str]
) -> None:
    """Traces, newest first, by their short ids; what an option takes."""
    assert _completed(full, monkeypatch, *words) == offered


def test_the_newest_run(full: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is offered once there is a run; runs are not among those that `last~1` counts."""
    run = handmade.trace("20261120T130002Z-ccccc3", origin="replay", started_at="2026-11-20T13:00:02Z")
    stored(full.home.store, run)
    assert _completed(full, monkeypatch, "diff", "last") == ["last", "last~1", "last-run"]


def test_what_they_are_stands_beside_them(full: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """When, and agent ⇄ client; nothing that a terminal would obey."""
    monkeypatch.setenv("_ACP_TRACE_COMPLETE", "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "acp-trace show ")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    monkeypatch.setenv("TZ", "UTC")
    said = full()
    assert "OpenCode ⇄ acpx" in said.out
    assert "a 2J ⇄ ?" in said.out
    assert "\x1b" not in said.out


#: What shells act on: zsh evaluates what it is offered at once, the others when Enter is pressed.
_EVIL = (
    "\\$(touch owned)",
    "\\`touch owned`",
    '";touch owned;"',
    "';touch owned;'",
    "[/x][red]",
    "\u202e\n)('&|><{a,b}*?!^#%=",
    "\x1b]0;owned\x07",
)


def test_a_shell_is_offered_nothing_that_it_would_run(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of hostile ids, names and titles: such an id is not offered, and a text loses what a shell acts on."""
    monkeypatch.setenv(VARIABLE, str(commands.home.path))
    traces = []
    for number, evil in enumerate(_EVIL):
        sides = {"agent_name": evil, "client_name": evil, "started_at": "2026-11-20T13:00:01Z"}
        good, bad = f"20261120T13000{number}Z-aaaaa{number}", f"20261120T13000{number}Z-{evil}"
        sessions = (
            made(Session, session_id=name, opened_by="session/new", title=evil)
            for name in (f"ses_{number}", f"ses{evil}")
        )
        traces += [
            handmade.trace(id_, session, **sides) for id_, session in zip((good, bad), sessions, strict=True)
        ]
    stored(commands.home.store, *traces, *(handmade.trace(id_) for id_ in ("--html=x", "~root", "=ls")))
    for typed, fit in (
        ("", 2 * len(_EVIL)),
        ("ses", len(_EVIL)),
        ("2026", len(_EVIL)),
        ("-", 0),
        ("~", 0),
        ("=", 0),
    ):
        offered = [each for each in completion.traces_and_sessions(typed) if not each[0].startswith("last")]
        assert len(offered) == fit, offered
        for word, about in offered:
            assert re.fullmatch(r"[\w-]+", word)
            assert re.fullmatch(r"[\w .,:@+/?⇄~…-]*", about)


def test_it_never_fails(full: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that another process has, one of a later version, none: what there is, is offered, at once."""

    def locked(*_: object, **__: object) -> None:
        raise OSError("Could not set lock on file")

    (full.home.spool).mkdir(parents=True, exist_ok=True)
    (full.home.spool / f"{_OLD}.jsonl").write_bytes(b"")
    with monkeypatch.context() as patch:
        patch.setattr(connect, "_connect", locked)
        assert _completed(full, patch, "show", "") == ["last", "aaaaa1"]
    full.home.store.write_bytes(b"no database at all, and longer than a piece of one" * 1000)
    assert _completed(full, monkeypatch, "show", "") == ["last", "aaaaa1"]


def test_nothing_is_made(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """No home, no store: completing is no reason to have one."""
    assert _completed(commands, monkeypatch, "show", "") == ["last"]
    assert not commands.home.path.exists()
