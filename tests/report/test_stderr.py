"""What the agent wrote to stderr beside what went wrong, and the cause in an error's data, in every report."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from acp_trace.analyze.facts import Cancellation, Exchange, Facts, Finding, Session
from acp_trace.report.gist import gist
from acp_trace.report.json.report import document
from acp_trace.report.page.failure_rows import failure_rows
from acp_trace.report.selection import select
from acp_trace.report.statements import stderr
from acp_trace.report.statements.failures import error_of
from acp_trace.report.statements.stderr import LogLine
from acp_trace.report.text.show import Page, log_lines, show
from tests.handmade import made, trace
from tests.support import REPOSITORY, TRACES, analyzed
from tests.support import trace as talk

_S = 1_000_000_000
_STORY = (REPOSITORY / "sample_traces/opencode-story.jsonl").read_bytes()


def _logs(file: bytes) -> list[tuple[int, str]]:
    lines = [msgspec.json.decode(line) for line in file.splitlines()]
    return [(line["t"], line["log"]) for line in lines if "log" in line]


def _shown(found: Facts, logs: list[tuple[int, str]], *sections: str, width: int = 100) -> str:
    out = StringIO()
    lines = log_lines(found, lambda: logs, sections)
    show(Console(file=out, width=width), Page(found, (), False, width, False, lines), sections)
    return out.getvalue()


def test_the_finding_of_a_real_ignored_cancel_leads_to_its_cause() -> None:
    """OpenCode writes that it does not know `$/cancel_request`, 10 ms after it was asked."""
    found, _ = analyzed(_STORY)
    logs = _logs(_STORY)
    findings = _shown(found, logs, "findings")
    assert '│ message: "\\"Method not found\\": $/cancel_request",' in findings
    assert "│ }" not in findings, "what has no words is left out"
    assert "more: show --section logs" in findings
    report = document(found, logs=stderr.lines(found, lambda: logs))
    (finding,) = msgspec.to_builtins(report.findings)
    assert [line["line"].split(":")[0] for line in finding["stderr"]] == [
        "Error handling notification {",
        "message",
    ]
    assert all(3_856_000_000 <= line["t_ns"] < 3_870_000_000 for line in finding["stderr"])


def _failed(**given: Any) -> Facts:
    row = {"sender": "client", "method": "session/new", "outcome": "error", "error_code": -32603}
    asked = made(Exchange, **{"frame": 3, "t_ns": 2 * _S, "latency_ns": _S, **row, **given})
    return trace("t", asked, logs=9, duration_ns=20 * _S)


@pytest.mark.parametrize("width", [60, 120])
def test_a_failed_request_has_the_lines_of_its_time(width: int) -> None:
    """From the request until a second after its answer."""
    logs = [(at * _S, f"error at {at}") for at in (1, 2, 3, 4, 5)]
    lines = _shown(_failed(), logs, "failed", width=width).splitlines()
    assert [line.split("│ ")[1].strip() for line in lines if "│" in line] == [
        "error at 2",
        "error at 3",
        "error at 4",
    ]


def test_of_an_unanswered_request_the_lines_until_the_end_count() -> None:
    """Below its finding if it has one, else among the failed ones: not twice."""
    logs = [(at * _S, f"line {at}") for at in range(1, 20)]
    found = _failed(outcome="open", latency_ns=None, error_code=None)
    assert "│ line 19" in _shown(found, logs, "failed")
    finding = made(Finding, code="never-answered", severity="error", blame="agent", frame=3, message="m")
    both = trace("t", *found.exchanges, finding, logs=9, duration_ns=20 * _S)
    assert "│" not in _shown(both, logs, "failed")
    assert "│ line 19" in _shown(both, logs, "findings")


def test_a_line_after_the_next_failure_is_not_of_the_one_before() -> None:
    """A real gemini-cli refuses three requests within a millisecond, and writes about the last one."""
    both = [*_failed().exchanges, *_failed(frame=5, t_ns=3 * _S + 7, latency_ns=1).exchanges]
    windows = stderr.request_windows(trace("t", *both, duration_ns=20 * _S))
    assert windows == {3: (2 * _S, 3 * _S + 7), 5: (3 * _S + 7, 4 * _S + 8)}


def test_lines_that_were_kept_until_several_requests_had_failed_are_of_none() -> None:
    """Written at once, nothing says whose they are, as of gemini-cli; a line that comes in between is its failure's."""
    asked = [
        made(
            Exchange, frame=at, t_ns=at * _S, latency_ns=_S // 2, sender="client", method="m", outcome="error"
        )
        for at in (3, 5)
    ]
    found = trace("t", *asked, duration_ns=9 * _S, logs=2)
    late = int(5.6 * _S)
    burst = [(late, "Error: the first"), (late + 5000, "Error: the second")]
    failed = _shown(found, burst, "failed")
    assert "│" not in failed
    assert "stderr: 2 lines, written after several failures: show --section logs" in failed
    assert "│" not in _shown(found, burst, "failed", "logs")
    assert "│ Error: the second" in _shown(found, [(int(3.6 * _S), "Error: it"), *burst], "failed")


def test_a_line_after_the_next_request_is_not_of_the_one_before() -> None:
    """A real codex-acp fails three turns a third of a second after it refused a request."""
    asked = [*_failed().exchanges, *_failed(frame=5, t_ns=3 * _S + 7, outcome="result").exchanges]
    assert stderr.request_windows(trace("t", *asked, duration_ns=20 * _S)) == {
        3: (2 * _S, 3 * _S + stderr.LATE_NS)
    }


@pytest.mark.parametrize("section", ["failed", "logs"])
@pytest.mark.parametrize(
    ("line", "is_beside"), [("INFO: received prompt", False), ("ERROR: no such method", True)]
)
def test_a_quiet_line_after_the_next_request_is_about_that_request(
    section: str, line: str, *, is_beside: bool
) -> None:
    """A real agent of the Python SDK logs each prompt, here one that came just after a request had failed."""
    asked = [*_failed().exchanges, *_failed(frame=5, t_ns=3 * _S + 7, outcome="result").exchanges]
    found = trace("t", *asked, logs=1, duration_ns=20 * _S)
    shown = _shown(found, [(3 * _S + 90, line)], *{"failed", section})
    assert (f"│ {line}" in shown) is is_beside
    assert "show --section logs" not in shown
    assert "│ before" in _shown(found, [(3 * _S + 5, "before"), (3 * _S + 90, "INFO: prompt")], "failed")


def test_a_quiet_line_of_a_short_request_stays_beside_it() -> None:
    """Even if the next failure ends its time at once."""
    both = [*_failed(latency_ns=5).exchanges, *_failed(frame=5, t_ns=2 * _S + 9, latency_ns=1).exchanges]
    found = trace("t", *both, logs=1, duration_ns=20 * _S)
    assert "│ INFO: it" in _shown(found, [(2 * _S + 4, "INFO: it")], "failed")


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_turn_of_a_real_trace_says_the_same(path: Path) -> None:
    """Of each turn whose prompt failed: the same times as in the whole."""
    found, _ = analyzed(path.read_bytes())
    whole = stderr.request_windows(found)
    turns = [one for one in found.turns if one.frame in whole]
    for turn in turns:
        part = select(found, session=turn.session_id, turn=turn.turn)
        assert stderr.request_windows(part)[turn.frame] == whole[turn.frame]


def test_requests_of_the_agent_have_none() -> None:
    """The client answered them: what the agent wrote does not say why."""
    assert stderr.request_windows(_failed(sender="agent")) == {}


def test_lines_that_speak_of_trouble_come_first() -> None:
    """The last of them; of the others only if there is none. What a terminal obeys is visible, long ones are cut."""
    lines = [
        LogLine(at, text) for at, text in enumerate(["Error: one", "chatter", "{", "\x1b[31mfailed\x07", "x"])
    ]
    told, more = stderr.beside(lines, (0, 9))
    assert ([one.line for one in told], more) == (["Error: one", "failed\\x07"], 3)
    told, more = stderr.beside([LogLine(0, "{"), LogLine(1, "a" * 500)], (0, 9))
    assert (told[0].line, more) == ("a" * 199 + "…", 1)
    assert stderr.beside(lines, (7, 9)).lines == []


def test_a_trace_without_times_has_no_such_lines() -> None:
    """Nothing says what came at the same time."""
    cancel = made(Cancellation, sender="client", kind="session/cancel", frame=4, settled_frame=5)
    finding = made(Finding, code="cancel-error", severity="error", blame="agent", frame=5, message="m")
    found = trace("t", cancel, finding, logs=1, duration_ns=None, has_times=False)
    assert stderr.lines(found, lambda: [(0, "error")]) == []


def test_stderr_is_read_only_if_it_is_wanted() -> None:
    """Most traces have nothing to show, and an agent can write a lot."""

    def read() -> list[tuple[int, str]]:
        raise AssertionError

    assert stderr.lines(trace("t", logs=9), read) == []
    assert stderr.lines(_failed(outcome="result"), read) == []


def test_the_cause_in_the_data_is_shown_everywhere() -> None:
    """In the list of frames, among the failed requests of `show` and of the page."""
    told = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error","data":{"details":"no key"}}}'
    asked = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}'
    file = (
        b'{"acp_trace":1,"id":"t","started_at":"2026-11-20T10:00:00Z","agent":{"argv":["a"],"cwd":"/"}}\n'
        b'{"t":1,"from":"client","frame":' + asked + b'}\n{"t":2,"from":"agent","frame":' + told + b"}\n"
    )
    found, frames = analyzed(file)
    assert gist(frames[1]) == "error -32603 Internal error: no key"
    assert "Internal error: no key" in _shown(found, [], "failed")
    assert failure_rows(found, (), live=False) == {
        "rows": [
            ("client", "session/new", "error -32603", "0 µs", "Internal error: no key", [], None, 1, "failed")
        ],
        "more": 0,
    }


def test_an_error_that_was_cut_says_so() -> None:
    """The facts keep 200 characters of each text."""
    assert error_of(_failed(error_message="m", error_data="d" * 200).exchanges[0]) == f"m: {'d' * 200}…"
    assert error_of(_failed(error_message="m" * 199).exchanges[0]) == "m" * 199


def test_rows_of_the_page_lead_to_the_lines() -> None:
    """Each has the frame after which it came."""
    logs = [LogLine(3 * _S, "error", 7)]
    assert failure_rows(_failed(), logs, live=False)["rows"][0][5:7] == ([("error", 7)], None)


def test_what_the_agent_writes_about_a_malformed_line_is_beside_that_line() -> None:
    """A real agent of the Python SDK answers `x` with an error, and then writes a traceback about a bad line."""
    bad = made(
        Finding, code="not-json", severity="error", blame="client", frame=5, message="m", t_ns=3 * _S + 7
    )
    found = trace("t", *_failed().exchanges, bad, logs=2, duration_ns=20 * _S)
    logs = [(3 * _S + 2, "Error: no such method"), (3 * _S + 2_000_050, "Error: not JSON")]
    assert "│ Error: not JSON" in _shown(found, logs, "findings")
    failed = _shown(found, logs, "failed")
    assert "│ Error: no such method" in failed
    assert "not JSON" not in failed
    part = select(
        trace("t", *_failed(session_id="s").exchanges, bad, made(Session, session_id="s")), session="s"
    )
    assert stderr.request_windows(replace(part, trace=found.trace))[3] == (2 * _S, 3 * _S + 7)


def test_a_finding_says_when_its_frame_came() -> None:
    """Also about a request that is reported only at the end, and about a line that is not a message."""
    found, _ = analyzed((REPOSITORY / "sample_traces/opencode-story.jsonl").read_bytes())
    times = {one.frame: one.t_ns for one in found.exchanges}
    assert found.findings
    (nothing,) = analyzed(talk())[0].findings
    assert nothing.t_ns is None
    assert all(one.t_ns == times.get(one.frame, one.t_ns) is not None for one in found.findings)
