"""Whether the agent crashed: it ended by itself, in an abnormal way, while a request was waiting for it.

An agent that others end has not crashed: a client that closes its side or asks it to end, or acp-trace.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable

from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.codes import Severity
from acp_trace.analyze.findings.collector import Findings
from acp_trace.protocol import methods
from acp_trace.system.processes import KILL
from acp_trace.trace.entries import End

CRASH = "agent-crashed"
#: Signals by which others end a process, also as a shell's exit codes: no agent dies of these by itself.
_FROM_OTHERS = (1, 2, 3, 13, 15)  # SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM
_SHELL = 128
#: Signals by which a client ends its agent: SIGHUP, SIGINT, SIGTERM.
_FROM_CLIENT = (1, 2, 15)
#: Signals that a process only gets through its own fault: SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
_CRASHES = (4, 6, 7, 8, 10, 11)
#: Exit codes of a panic in Rust, and of SIGABRT and SIGSEGV as a shell reports them.
_PANICS = (101, _SHELL + 6, _SHELL + 11)


def report_crash(
    end: End | None, origin: str, exchanges: Iterable[Open], turns: Iterable[Open], findings: Findings
) -> int | None:
    """Add the finding `agent-crashed` if it did. `turns`: the prompts of open turns.

    Returns the frame of the finding if the fault is certainly the agent's.
    """
    if end is None or end.error is not None or end.aborted is not None or origin == "mock":
        return None
    how, severity = _after_client(end) if end.client_left else (_how(end), None)
    if how is None:
        return None
    waiting = [
        exchange for exchange in exchanges if exchange.sender == "client" and exchange.outcome == "open"
    ]
    prompts = [*turns, *(exchange for exchange in waiting if exchange.method == methods.PROMPT)]
    if not (waiting or prompts):
        return None
    exchange = min(prompts or waiting, key=lambda exchange: exchange.frame)
    others = len({one.frame for one in (*waiting, *prompts)}) - 1
    open_ = f"and {others} more were open" if others else "was open"
    text = f"the agent ended {how} while {exchange.method} #{exchange.frame} {open_}"
    if end.client_left:
        text += "; its client had left a moment before"
    findings.say(CRASH, "agent", exchange.frame, exchange.session_id, text, severity=severity)
    return int(exchange.frame) if severity is None else None


def report_silence(end: End | None, origin: str, spoken: int, findings: Findings) -> None:
    """Add the finding `agent-never-spoke`. `spoken`: frames of both sides.

    If the client sent a request, its missing answer is a finding of its own.
    """
    if end is None or end.error is not None or end.aborted is not None or end.client_left or origin == "mock":
        return
    if not spoken and not end.signalled:
        how = _how(end) or f"with exit code {end.exit_code or 0}"
        findings.say("agent-never-spoke", "agent", 0, None, f"the agent ended {how} before the first message")


def is_ended_by_others(end: End) -> bool:
    """Whether the client left, or something else asked the agent to end."""
    code = (end.exit_code or 0) - _SHELL
    return end.client_left or end.signalled or end.signal in _FROM_OTHERS or code in _FROM_OTHERS


def is_ended_by_client(number: int | None, exit_code: int | None, *, client_left: bool) -> bool:
    """Return whether the agent ended as clients end agents, by the `number` of its signal or its exit code.

    `client_left`: the client closed its side, or asked the agent to end. The recorder kills an agent that
    does not end then.
    """
    number = (exit_code or 0) - _SHELL if number is None else number
    return number in _FROM_CLIENT or (client_left and number in (*_FROM_OTHERS, KILL))


def _after_client(end: End) -> tuple[str | None, Severity | None]:
    """Return how the agent ended after its client had left, if only the agent itself can have caused that."""
    if end.signal in _CRASHES or end.exit_code in _PANICS:
        return _how(end), None
    return (_how(end), "note") if end.signal == KILL else (None, None)


def _how(end: End) -> str | None:
    """Return how the agent ended, if no agent should end like that."""
    if end.signal is not None:
        return None if end.signal in _FROM_OTHERS else f"by {by_signal(end.signal)}"
    if end.exit_code in (None, 0) or (end.exit_code or 0) - _SHELL in _FROM_OTHERS:
        return None
    return f"with exit code {end.exit_code}"


def by_signal(number: int) -> str:
    """Return `signal 4 (SIGILL)`; without a name if this system has no name for the signal."""
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
