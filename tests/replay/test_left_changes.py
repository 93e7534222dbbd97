"""What a run left beside what the recording left: which of it is reported. Nothing is written here."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from acp_trace.compare.codes import Match
from acp_trace.compare.difference import read
from acp_trace.compare.result import Divergence
from acp_trace.replay.incidents import Incident
from acp_trace.replay.left_files import LeftBoth, LeftDirectory, LeftFile, LeftFiles, Listing
from acp_trace.replay.settings import Settings
from acp_trace.replay.verdict import left_changes
from acp_trace.replay.verdict.verdict import judge_run
from tests.replay.facing import entries
from tests.support import error, request, result, trace, update

ID = "20261120T130501Z-7f3a9c"
_STEP = 1000  #: ns between two frames


def file(content: str | bytes, t_ns: int | None = None) -> LeftFile:
    """A file of a text, or of bytes that are none; without a time, one that was changed during the prompt."""
    data = content.encode() if isinstance(content, str) else content
    text = content if isinstance(content, str) else None
    return LeftFile(len(data), hashlib.sha256(data).hexdigest(), text is not None, text, t_ns)


def directory(
    deleted: str = "",
    unknown: str = "",
    listing: Listing = "all",
    before: dict[str, LeftFile] | None = None,
    **files: LeftFile,
) -> LeftDirectory:
    """A directory. Names of `files` have `_` for a dot."""
    named = {name.replace("_", "."): each for name, each in files.items()}
    return LeftDirectory(named, frozenset(deleted.split()), frozenset(unknown.split()), listing, before or {})


def talk(cwd: str, *more: tuple[str, Any], is_over: bool = True) -> bytes:
    """A session with one turn, in which these frames come."""
    end = [("agent", result(2, stopReason="end_turn"))] if is_over else []
    return trace(
        ("client", request(1, "session/new", cwd=cwd)),
        ("agent", result(1, sessionId="session-1")),
        ("client", request(2, "session/prompt", sessionId="session-1", prompt=[])),
        *more,
        *end,
        id=ID,
    )


def edit(path: str) -> tuple[str, Any]:
    """A tool call that says that it wrote a file."""
    call = update("session-1", "tool_call", toolCallId="c", kind="edit", status="completed",
                  locations=[{"path": path}])  # fmt: skip
    return "agent", call


def asked(path: str, content: str, number: int = 7) -> list[tuple[str, Any]]:
    """A file that the client is asked to write, and writes."""
    params = {"sessionId": "session-1", "path": path, "content": content}
    return [("agent", request(number, "fs/write_text_file", **params)), ("client", result(number))]


def terminal() -> list[tuple[str, Any]]:
    """A command that the client runs."""
    ask = request(9, "terminal/create", sessionId="session-1", command="make")
    return [("agent", ask), ("client", result(9, terminalId="t1"))]


def found(
    was: LeftDirectory,
    now: LeftDirectory,
    recorded: list[tuple[str, Any]] | None = None,
    run: list[tuple[str, Any]] | None = None,
    *,
    match: Match = "content",
    is_over: bool = True,
    recording: str = ID,
) -> list[Divergence]:
    """What differs. The recording was made in /w, the run in /r."""
    traces = (
        entries(talk("/w", *(recorded or []), is_over=is_over)),
        entries(talk("/r", *(run or []), is_over=is_over)),
    )
    both = LeftBoth(
        LeftFiles(recording, {0: ("/w",)}, {0: was}), LeftFiles(recording, {0: ("/r", "/real")}, {0: now})
    )
    readers = read(traces[0], match), read(traces[1], match)
    return left_changes.divergences(both, traces, readers, match)


def told(*args: Any, **more: Any) -> list[str]:
    """The codes and names of what differs."""
    return [f"{each.code} {each.about}" for each in found(*args, **more)]


def test_the_same_is_no_difference() -> None:
    """Nor is nothing at all."""
    assert told(directory(), directory()) == []
    assert told(directory(a_txt=file("x")), directory(a_txt=file("x"))) == []
    assert told(directory("old.txt"), directory("old.txt")) == []


def test_each_way_in_which_a_file_can_differ() -> None:
    """Missing, additional, changed, not changed, deleted in one of the two only."""
    was = directory("gone.txt", missing_txt=file("x"), other_txt=file("hello\nx"))
    now = directory(
        "mine.txt",
        other_txt=file("goodbye\nx"), extra_txt=file("more"), gone_txt=file("still"), kept_txt=file("new"),
        before={"kept.txt": file("old")},
    )  # fmt: skip
    assert told(was, now) == [
        "file-extra extra.txt",
        "file-extra gone.txt",
        "file-differs kept.txt",
        "file-missing mine.txt",
        "file-missing missing.txt",
        "file-differs other.txt",
    ]
    *_, missing, other = found(was, now)
    assert (missing.message, missing.expected, missing.got) == (
        "missing.txt is missing at the end",
        "x",
        None,
    )
    assert (other.expected, other.got) == ("hello\nx", "goodbye\nx")
    assert (other.severity, other.session_id) == ("error", "session-1")


def test_what_varies_in_a_text_is_no_difference() -> None:
    """As in all that is shown: times, ids of the trace, paths of its directories."""
    was = directory(a_txt=file("at 2026-11-20T13:05:01 in /w/x by session-1, took 3.1 s"))
    now = directory(a_txt=file("at 2027-01-02T03:04:05 in /r/x by session-1, took 17 ms"))
    assert told(was, now) == []
    assert told(directory(a_txt=file("2 files")), directory(a_txt=file("3 files"))) == ["file-differs a.txt"]


def test_a_file_that_names_another_directory_of_the_trace_differs() -> None:
    """Each directory of the recording has its own in the run, whichever was opened first."""

    def opens(session: str, cwd: str) -> list[tuple[str, Any]]:
        return [
            ("client", request(session, "session/new", cwd=cwd)),
            ("agent", result(session, sessionId=session)),
        ]

    def told_of(now: str) -> list[str]:
        prompted = (
            ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
            ("agent", result(2, stopReason="end_turn")),
        )
        traces = (
            entries(trace(*opens("s", "/w"), *opens("t", "/x"), *prompted, id=ID)),
            entries(trace(*opens("t", "/q"), *opens("s", "/r"), *prompted, id=ID)),
        )
        was = {0: directory(a_txt=file("cd /x")), 1: directory()}
        both = LeftBoth(LeftFiles(ID, {0: ("/w",), 1: ("/x",)}, was),
                        LeftFiles(ID, {0: ("/r",), 1: ("/q",)}, {0: directory(a_txt=file(now)), 1: directory()}))  # fmt: skip
        readers = read(traces[0], "content"), read(traces[1], "content")
        return [each.code for each in left_changes.divergences(both, traces, readers, "content")]

    assert told_of("cd /q") == []
    assert told_of("cd /r") == ["file-differs"]


@pytest.mark.parametrize(
    "path",
    [".gemini/settings.json", "in/node_modules/x.js", "run.log", "Cargo.lock", "state.sqlite-wal", "x.pyc", "a~",
     "__pycache__/x", "build/out.txt", "in/.hidden"],
)  # fmt: skip
def test_what_tools_keep_for_themselves_counts_only_if_a_tool_call_names_it(path: str) -> None:
    """Caches, logs, locks, databases, and all with a dot: an agent writes them as it likes."""
    was, now, nothing = LeftDirectory({path: file("x")}), LeftDirectory({path: file("y")}), LeftDirectory()
    assert told(was, now) == told(was, nothing) == told(nothing, now) == []
    assert told(nothing, LeftDirectory(deleted=frozenset({path}))) == []
    assert told(was, now, [edit(f"/w/{path}")], [edit(f"/r/{path}")]) == [f"file-differs {path}"]
    assert told(was, nothing, [edit(f"/w/{path}")], []) == [f"file-missing {path}"]
    assert told(nothing, now, [], [edit(f"/real/{path}")]) == [f"file-extra {path}"]


def test_what_is_no_text_counts_only_if_a_tool_call_names_it() -> None:
    """A program that was built holds times."""
    was, now = directory(app=file(b"\0x")), directory(app=file(b"\0y"))
    assert told(was, now) == told(was, directory()) == told(directory(), now) == []
    (differs,) = found(was, now, [edit("/w/app")], [edit("/r/app")])
    assert differs.expected is not None
    assert differs.expected.startswith("2 bytes, SHA-256 ")
    assert told(directory(a=file("x")), directory(a=file(b"\0y"))) == ["file-differs a"]


def test_a_text_that_is_not_known_counts_only_if_a_tool_call_names_it() -> None:
    """It may differ in a time alone."""
    long = LeftFile(1 << 20, "1" * 64, is_text=True)
    was, now = directory(a_txt=long), directory(a_txt=file("x"))
    assert told(was, now) == []
    assert told(was, now, [edit("/w/a.txt")], []) == ["file-differs a.txt"]


def test_what_the_user_did_meanwhile_is_nothing_of_the_agents() -> None:
    """A file that was changed last while no request of the client was open."""
    assert told(directory(a_txt=file("x", 3 * _STEP)), directory()) == ["file-missing a.txt"]
    for t_ns in (-60_000_000, 60_000_000_000):
        assert told(directory(a_txt=file("x", t_ns)), directory()) == []
        assert told(directory(a_txt=file("x", t_ns)), directory(a_txt=file("y"))) == []
    late = directory(a_txt=file("x", 60_000_000_000))
    assert told(late, directory(), [edit("/w/a.txt")], []) == ["file-missing a.txt"]


def test_what_was_cut_off_by_a_cancel_is_chance() -> None:
    """How far the agent got in such a turn, unless a tool call says it."""
    cancelled = [("agent", result(2, stopReason="cancelled"))]
    was, now = directory(a_txt=file("x", 3500)), directory(a_txt=file("y", 3500))
    for both in ((was, now), (was, directory()), (directory(), now)):
        assert told(*both, cancelled, cancelled, is_over=False) == []
    (code,) = told(was, directory(), [edit("/w/a.txt"), *cancelled], cancelled, is_over=False)
    assert code == "file-missing a.txt"
    assert told(directory(), now, cancelled, [edit("/r/a.txt"), *cancelled], is_over=False) == [
        "file-extra a.txt"
    ]


def test_what_a_command_of_the_client_did_is_not_expected() -> None:
    """A replay does not run it."""
    at_work = directory("old.txt", made_txt=file("x", 6 * _STEP), a_txt=file("x", 6 * _STEP))
    both = [edit("/w/a.txt"), *terminal()], [edit("/r/a.txt"), *terminal()]
    assert told(at_work, directory(old_txt=file("o"), a_txt=file("y")), *both) == []
    assert told(at_work, directory("old.txt"), *both) == ["file-missing a.txt"], "it says that it wrote it"
    assert told(directory(), directory(a_txt=file("x")), *both) == [], "the command may have removed it"
    assert told(directory(), directory(b_txt=file("x")), *both) == ["file-extra b.txt"]


def test_what_the_client_wrote_is_compared_as_requests() -> None:
    """A client may save it in another form, or not at all; what the agent makes of it afterwards counts."""
    both = asked("/w/a.txt", "x"), asked("/r/a.txt", "x")
    assert told(directory(a_txt=file("x\n")), directory(a_txt=file("x")), *both) == []
    assert told(directory(), directory(a_txt=file("x")), *both) == []
    assert told(directory(a_txt=file("x")), directory(), *both) == ["file-missing a.txt"]
    assert told(directory(a_txt=file("x")), directory(a_txt=file("z")), *both) == ["file-differs a.txt"]
    assert told(directory(a_txt=file("x")), directory(), both[0], []) == [], "a request that is missing"
    assert told(directory(), directory(a_txt=file("x")), [], both[1]) == [], "a request that is new"
    later = [*asked("/r/a.txt", "w"), *asked("/r/a.txt", "x", 8)]
    assert told(directory(a_txt=file("w")), directory(a_txt=file("x")), both[0], later) == []


def test_a_file_that_was_moved_is_told_once() -> None:
    """Each of several, and not an empty one: that is like any other."""
    was = directory(a_txt=file("x"), b_txt=file("x"), e_txt=file(""))
    now = directory(c_txt=file("x"), f_txt=file(""))
    assert told(was, now) == [
        "file-missing a.txt",
        "file-missing b.txt",
        "file-missing e.txt",
        "file-extra f.txt",
    ]
    assert found(was, now)[0].message == "a.txt is missing at the end: its content is in c.txt"


def test_what_is_not_known_is_not_compared() -> None:
    """Of either side; and what a repository around the recorded directory may ignore."""
    assert told(directory(unknown="a.txt"), directory(a_txt=file("x"))) == []
    assert told(directory(a_txt=file("x")), directory(unknown="a.txt")) == []
    assert told(directory(listing="git-above"), directory(a_txt=file("x"))) == []
    assert told(directory(listing="git-above", a_txt=file("x")), directory()) == ["file-missing a.txt"]
    above = directory(listing="git-above"), directory(a_txt=file("x"))
    assert told(*above, [], [edit("/r/a.txt")]) == ["file-extra a.txt"]


def test_when_nothing_is_compared() -> None:
    """At a level that looks at no texts, in a turn that is not over, with the list of another recording."""
    both = directory(a_txt=file("x")), directory()
    assert told(*both, match="exact") == ["file-missing a.txt"]
    assert told(*both, match="semantic") == told(*both, match="outcome") == []
    assert told(*both, is_over=False) == []
    assert told(*both, recording="20261120T130501Z-000000") == []
    readers = read(entries(talk("/w"))), read(entries(talk("/r")))
    assert left_changes.divergences(None, ([], []), readers, "content") == []


def test_a_tool_call_that_is_not_made_leaves_no_file() -> None:
    """That is one cause. A file of which nothing was said is a cause of its own."""
    was = directory(a_txt=file("x"), b_txt=file("x"))
    traces = entries(talk("/w", edit("/w/a.txt"))), entries(talk("/r"))
    both = LeftBoth(LeftFiles(ID, {0: ("/w",)}, {0: was}), LeftFiles(ID, {0: ("/r",)}, {0: directory()}))
    settings = Settings(match="content")
    verdict = judge_run(*traces, [], settings, died=False, steps=2, sent=2, files=both)
    failing = verdict.comparison.failing
    assert [(each.code, each.about, each.follows) for each in failing] == [
        ("tool-call-missing", None, False),
        ("file-missing", "a.txt", True),
        ("file-missing", "b.txt", False),
    ]


def test_many_are_told_in_one_line() -> None:
    """Of each code."""
    was = LeftDirectory({f"{number:03}.txt": file(f"x{number}") for number in range(300)})
    differs = found(was, directory())
    assert len(differs) == 21
    assert (differs[-1].count, differs[-1].message) == (
        280,
        "020.txt is missing at the end; the same goes for 279 more",
    )


_IN_TURN = int(3.5 * _STEP)  #: after the prompt


@pytest.mark.parametrize(
    ("was", "now", "code"),
    [
        (directory(a_txt=file("x", _IN_TURN)), directory(), "file-missing"),
        (directory(), directory(a_txt=file("x", _IN_TURN)), "file-extra"),
        (directory(a_txt=file("x", _IN_TURN)), directory(a_txt=file("y", _IN_TURN)), "file-differs"),
    ],
)
def test_a_file_of_a_turn_in_which_a_request_is_refused(
    was: LeftDirectory, now: LeftDirectory, code: str
) -> None:
    """It follows from that: the file stands at the prompt, and was written by the end of its turn."""
    make = ("agent", request(7, "terminal/create", sessionId="session-1", command="make"))
    no = ("client", error(7, -32602, "acp-trace: the recording has no terminal/create"))
    traces = entries(talk("/w")), entries(talk("/r", make, no))
    both = LeftBoth(LeftFiles(ID, {0: ("/w",)}, {0: was}), LeftFiles(ID, {0: ("/r",)}, {0: now}))
    refused = Incident("request-unmatched", "no", "session-1", got=("agent", 2), reason="no terminal/create")
    settings = Settings(match="content")
    verdict = judge_run(*traces, [refused], settings, died=False, steps=2, sent=2, files=both)
    told = [(each.code, each.follows) for each in verdict.comparison.failing]
    assert told == [("request-extra", False), (code, True)]
