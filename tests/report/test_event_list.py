"""What follow prints of a finding: in one line, or as many as a terminal needs."""

from __future__ import annotations

from acp_trace.analyze.facts import Facts, Finding
from acp_trace.report.text import event_list
from tests.checking import facts
from tests.handmade import made
from tests.support import analyzed, request, trace

_LONG = "a message that says what came, what was expected, and where to look for it in the trace"
_FINDING = made(
    Finding, code="not-json", severity="error", blame="agent", frame=1, message=_LONG, consequence_of=7
)


def _printed(width: int | None) -> list[str]:
    _, (frame, *_) = analyzed(trace(("client", request(1, "x/y"))))
    fresh: Facts = facts(findings=[_FINDING])
    return [line.plain for line in event_list.lines(frame, fresh, alone=False, width=width)]


def test_a_pipe_gets_one_line() -> None:
    """With what the finding follows from."""
    (line,) = _printed(None)
    assert line.endswith(f"error    not-json agent  {_LONG}  (follows from #7)")


def test_a_narrow_terminal_gets_all_of_it() -> None:
    """Below its code, in line with it, and nothing over the edge."""
    head, *below = _printed(60)
    assert head.endswith("not-json agent")
    assert " ".join(line.strip() for line in below) == f"{_LONG} (follows from #7)"
    assert {len(line) - len(line.lstrip()) for line in below} == {head.index("not-json")}
    assert max(map(len, below)) <= 60
