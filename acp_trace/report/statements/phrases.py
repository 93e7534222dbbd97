"""The few words and signs that all reports share."""

from __future__ import annotations

import json

from acp_trace.analyze import facts, peers
from acp_trace.analyze.findings.crash import by_signal, is_ended_by_client
from acp_trace.analyze.inner_messages import INSIDE
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.statements.status import FAILED, FAINT, OPEN, Status
from acp_trace.trace.counts import counted
from acp_trace.trace.entries import IMPORTED
from acp_trace.trace.jsontext import value_or_none

ARROWS = {"client": "▸", "agent": "◂"}  #: client to agent, agent to client

#: Why acp-trace ended a run, as people say it.
ABORTED = {
    "timeout": "nothing happened for too long",
    "flood": "far more messages arrived than were recorded",
    "stopped": "it was stopped",
    "stayed": "it did not end by itself",
}

#: The faults of a run that are named, and the characters of each.
_FAULTS, _FAULT = 4, 100
ENDED_BY_CLIENT = "ended by its client"
NOTHING_RECORDED = "nothing was recorded"

#: The transports that are mentioned: nearly all clients start their agents, which needs no mention.
NETWORKS = {"http": "HTTP", "websocket": "WebSocket"}


def name(title: str | None, version: str | None, otherwise: str = "?") -> str:
    """One side's name and version."""
    return safe(" ".join(part for part in (title or otherwise, version) if part))


def agent(trace: facts.Trace, *, with_version: bool = True) -> str:
    """The agent as people see it: title, name or program, and its version."""
    return name(peers.agent_shown(trace), trace.agent_version if with_version else None)


def client(trace: facts.Trace) -> str:
    """The client as people see it: title or name, and its version."""
    return name(peers.client_shown(trace), trace.client_version)


def ended(trace: facts.Trace) -> tuple[str, Status | None]:
    """How the trace ended, in words and as a status."""
    if is_cut_off(trace):
        return "incomplete: no footer", OPEN
    if not trace.complete:
        return "", None
    if trace.aborted is not None:
        why = ABORTED.get(trace.aborted, safe(trace.aborted))
        return f"ended by acp-trace: {why}", OPEN
    if is_ended_by_its_client(trace):
        how = by_signal(trace.signal) if trace.signal else f"exit {trace.exit_code}"
        return f"{ENDED_BY_CLIENT}, {how}", FAINT
    if trace.signal is not None:
        return by_signal(trace.signal), FAILED
    if is_reached(trace):
        return "ended by the client" if trace.client_left else "ended", None
    return f"exit {trace.exit_code}", FAILED if trace.exit_code else None


def is_ended_by_its_client(trace: facts.Trace) -> bool:
    """Whether the agent ended as clients end agents, which is not a crash."""
    return trace.aborted is None and is_ended_by_client(
        trace.signal, trace.exit_code, client_left=trace.client_left
    )


def is_empty(trace: facts.Trace) -> bool:
    """Whether a recorder saw no message of either side: that nothing is wrong there says nothing."""
    frames = trace.frames_client + trace.frames_agent + trace.lost_frames
    return not frames and trace.origin != IMPORTED


def after_nothing(trace: facts.Trace) -> str:
    """What to do about a trace in which nothing was recorded."""
    if trace.error is not None:
        return no_start(trace)
    advice = "; what the agent wrote may say why: show --section logs" if trace.logs else ""
    return f"no message came from the client or the agent: open a session in the client{advice}"


def no_start(trace: facts.Trace) -> str:
    """What could not be done with the agent, if `error` says why."""
    return f"the agent could not be {'reached' if is_reached(trace) else 'started'}"


def is_reached(trace: facts.Trace) -> bool:
    """Whether the two met over a network, and neither started the other: only a connection has an end."""
    return trace.transport in NETWORKS


def is_cut_off(trace: facts.Trace) -> bool:
    """Whether the trace lacks its end. No log of another tool has one."""
    return not trace.complete and trace.origin != IMPORTED


def unanswered(trace: facts.Trace) -> tuple[str, Status]:
    """The words for a request without a response at the end, and its status.

    A log of another tool does not prove that there was none: some never contain the client's responses.
    """
    return ("not in the log", FAINT) if trace.origin == IMPORTED else ("never answered", FAILED)


def is_only_models(trace: facts.Trace) -> bool:
    """Whether the trace was read from a log of traffic between an agent and its models, which has no ACP."""
    return trace.origin == IMPORTED and not trace.frames_client + trace.frames_agent


def source(trace: facts.Trace) -> str:
    """Where an imported trace comes from, and what its log lacked."""
    said = [f" from {safe(trace.imported_from)}"] if trace.imported_from else []
    said += [", senders inferred"] if trace.senders_inferred else []
    said += [f", {counted(trace.unused, 'item')} unused"] if trace.unused else []
    return "".join(said)


def short_id(id_: str, width: int = 10) -> str:
    """An id cut to its end, which is what tells ids apart; that of a session of the successor as `›…end`."""
    if id_.startswith(INSIDE):
        return "›" + short_id(id_.removeprefix(INSIDE), width - 1)
    id_ = safe(id_)
    return id_ if len(id_) <= width else "…" + id_[-(width - 1) :]


def address(finding: facts.Finding) -> str:
    """Where a finding is: `#12`, or `#12[1]` in a batch, where the place begins with the message's number."""
    item = (finding.path or "").split("/")[1:2]
    return f"#{finding.frame}" + (f"[{item[0]}]" if item and item[0].isdecimal() else "")


def more(number: int) -> str:
    """` and 2 more`, behind the first of several; empty if there are no others."""
    return f" and {units.number(number)} more" if number > 0 else ""


def faults(trace: facts.Trace) -> str:
    """The faults that acp-trace made on purpose in a run, safe; empty without."""
    every = json.loads(trace.faults or "[]")
    shown = (safe(shorten(each, _FAULT)) for each in every[:_FAULTS])
    return f"{', '.join(shown)}{more(len(every) - _FAULTS)}"


def list_change(before: str | None, after: str | None) -> str:
    """What came into a JSON list and what went: `+new −old`."""
    was, now = (value_or_none((text or "[]").encode()) for text in (before, after))
    if not (isinstance(was, list) and isinstance(now, list)):
        return f"{value(before)} → {value(after)}"
    came = [f"+{safe(str(one))}" for one in now if one not in was]
    went = [f"−{safe(str(one))}" for one in was if one not in now]
    return " ".join([*came, *went]) or "in another order"


def prompt(text: str, *, is_cut: bool, blanks: bool = False) -> str:
    """What a turn keeps of its prompt, with `…` if that is not all of it; `blanks`: newlines are blanks."""
    return safe(" ".join(text.split()) if blanks else text) + ("…" if is_cut else "")


def value(text: str | None, most: int | None = 60) -> str:
    """A JSON text for people: a string without its quotes, `∅` for nothing; `most` characters of it."""
    if text is None:
        return "∅"
    decoded = value_or_none(text.encode())
    shown = decoded if isinstance(decoded, str) and decoded else text
    shown = safe(shown)
    return shown if most is None or len(shown) <= most else f"{shown[: most - 1]}…"
