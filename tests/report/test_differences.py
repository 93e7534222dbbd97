"""What a comparison says, and what it leaves out because it says nothing."""

from __future__ import annotations

import re
from dataclasses import replace

from acp_trace.compare.result import Comparison, Divergence, EnvironmentChange
from acp_trace.report.ci.places import Place
from acp_trace.report.json.diff import document
from acp_trace.report.text import differences
from acp_trace.story.frame_event import FrameEvent
from tests.compare.conversation import base, compared, file
from tests.reading.talk import hello, opened, prompt, stop, words
from tests.support import trace


def _report(found: Comparison) -> str:
    names = ["a.jsonl", "b.jsonl"]
    return differences.report(found, names, [Place(name, name) for name in names], 80, all_=False).plain


def _cannot_start() -> Comparison:
    found = compared(file(base()), file([]))
    gone = Divergence("cannot-start", "error", None, "No such file or directory: x", None, None, None, None)
    return replace(found, divergences=[gone])


def test_who_said_nothing_is_not_said_to_have_changed() -> None:
    """An agent that did not start has no name; that is not worth lines."""
    assert [one.what for one in _cannot_start().environment] == [
        "agent",
        "agent version",
        "client",
        "client version",
    ]
    printed = _report(_cannot_start())
    assert "→" not in printed
    assert "actual    b.jsonl  opencode   0 frames\n" in printed


def test_an_agent_that_went_before_it_said_anything() -> None:
    """Its name did not change; the client's is compared as ever."""
    found = compared(file(base()), file(base()[:1]))
    found = replace(found, environment=[*found.environment, EnvironmentChange("client version", "1", "2")])
    printed = _report(found)
    assert "agent version" not in printed
    assert " client version  1 → 2\n" in printed


def test_names_lose_no_more_than_they_must() -> None:
    """A long name keeps its end, and all the room that the other columns leave."""
    found = compared(file(base()), file(base()[:9]))
    names = [f"{'traces/' * 20}a.jsonl", "b.jsonl"]
    printed = differences.report(found, names, [Place(name) for name in names], 80, all_=False).plain
    line = next(line for line in printed.splitlines() if "a.jsonl" in line)
    assert line.startswith(" expected  …")
    assert "…" not in line[12:]
    assert max(map(len, printed.splitlines()[:5])) == 78  # the last column, findings, is empty
    whole = differences.report(found, names, [Place(name) for name in names], 80, all_=False, cut=False).plain
    assert f" expected  {names[0]}  " in whole


def test_nothing_against_nothing_is_not_told() -> None:
    """Where no frame stands on either side, the message says it all."""
    printed = _report(_cannot_start())
    assert " 1  cannot-start\n    No such file or directory: x\n\n 48 frames recorded" in printed


def test_repeats_and_consequences_stand_below_their_cause() -> None:
    """Counted apart, and as many of each as a person wants to see; `--all` lists them."""
    found = compared(file(base()), file(base()))
    cause = Divergence("request-extra", "error", "s", "fs/read_text_file a is new", None, None, None,
                       FrameEvent(7, "agent", "fs/read_text_file"))  # fmt: skip
    repeats = [
        replace(
            cause,
            message=f"fs/read_text_file {n} is new",
            got_event=FrameEvent(n, "agent", "fs/read_text_file"),
        )
        for n in (8, 9, 10)
    ]
    follows = replace(cause, code="tool-call-status", message="pending → failed", consequence_of=8)
    title = replace(cause, code="title-never-set", message="title is no longer set")
    found = replace(found, divergences=[title, cause, *repeats, follows])
    printed = _report(found)
    assert printed.startswith("5 divergences from 2 causes, 1 consequence\n")
    body = printed[printed.index("\n 1  ") + 1 :].splitlines()
    assert body[0] == " 1  request-extra × 4"
    rows = [line.split() for line in body if "#" in line and "actual" not in line]
    assert [row[:1] for row in rows] == [["–"], ["–"], ["↳"], ["2"]]
    assert "… and 1 more: --all" in printed
    names = ["a.jsonl", "b.jsonl"]
    everything = differences.report(found, names, [Place(name) for name in names], 80, all_=True).plain
    assert "fs/read_text_file 10 is new" in everything
    assert "more: --all" not in everything


def test_notes_of_one_kind_are_one_line() -> None:
    """Counted, with the first as an example; `--all` lists them. A note about the whole run stands alone."""
    note = Divergence("prompt-differs", "note", "s", "the prompt differs: a → b", None, None, None,
                      FrameEvent(7, "client", "session/prompt"))  # fmt: skip
    allowed = replace(note, allowed="prompt-differs", message="the prompt differs: e → f")
    command = Divergence("command-run", "note", None, "ran ls", None, None, None, None)
    notes = [
        note,
        command,
        replace(note, message="the prompt differs: c → d"),
        allowed,
        replace(command, message="ran rm"),
    ]
    found = compared(file(base()), file(base()))
    printed = _report(replace(found, divergences=notes))
    assert printed.splitlines()[2:6] == [
        " note     prompt-differs × 2  the prompt differs: a → b",
        " note     command-run         ran ls",
        " allowed  prompt-differs      the prompt differs: e → f",
        " note     command-run         ran rm",
    ]
    everything = [
        message for *_, message in differences.note_lines(replace(found, divergences=notes), all_=True)
    ]
    assert sorted(everything) == sorted(each.message for each in notes)


def test_a_line_between_two_causes_is_empty() -> None:
    """Below the repeats of the first, there is a line with nothing, not even blanks."""
    cause = Divergence("request-extra", "error", "s", "x", None, None, None, FrameEvent(7, "agent", "fs"))
    others = [replace(cause, message="y"), replace(cause, code="title-never-set")]
    printed = _report(replace(compared(file(base()), file(base())), divergences=[cause, *others]))
    assert not [line for line in printed.splitlines() if line != line.rstrip()]


def test_no_message_is_cut() -> None:
    """What does not fit goes on below itself."""
    found = compared(file(base()), file(base()))
    words = " ".join(f"word{n}" for n in range(40))
    one = Divergence("stop-reason", "error", None, words, None, None, None, None)
    printed = _report(replace(found, divergences=[one, replace(one, code="title-never-set")]))
    assert printed.count("word39") == 2
    assert max(map(len, printed.splitlines())) <= 80


def test_several_sessions_are_named() -> None:
    """In both forms; one that the second trace alone has with a +. The only one of a trace has no name."""
    ours = [*hello(), *opened("a"), *opened("b"), prompt(3, "a"), stop(3), prompt(4, "b"), stop(4)]
    theirs = [*ours[:-1], stop(4, "refusal"), words("c")]
    found = compared(trace(*ours), trace(*theirs))
    told = _report(found)
    assert "session   S2 b" in told
    assert re.search(r"session-extra +\+S3 ", told), told
    assert [one["session"] for one in document(found, ["a", "b"])["divergences"]] == ["S2", "+S3"]
    alone = compared(trace(*hello(), *opened("a")), trace(*hello(), *opened("a"), prompt(3, "a"), stop(3)))
    assert "S1" not in _report(alone)
    assert {one["session"] for one in document(alone, ["a", "b"])["divergences"]} == {None}
