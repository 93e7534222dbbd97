"""What the player itself notices while it plays: a table of stable codes, like the comparison's.

Codes for differences between two traces are in `compare.codes`; docs/replay.md shows both. The modules that
notice an incident decide that it is one: this module has the shapes, and the words of those about steps.
"""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.compare.codes import OVER_BUDGET, DivergenceCode, Severity
from acp_trace.replay.plan.recording import RecordedMessage
from acp_trace.replay.plan.steps import Stall
from acp_trace.replay.timeouts import SECOND
from acp_trace.trace.entries import Sender


def _row(code: str, meaning: str, severity: Severity = "error") -> DivergenceCode:
    return DivergenceCode(code, severity, "outcome", "the run", meaning)


_ALL = (
    _row("cannot-start", "The agent cannot be started."),
    _row("agent-gone", "The agent ended, or closed its output, before the end of the recording."),
    _row("timeout", "Nothing happened for too long. The message says what the player waited for."),
    _row("flood", "Far more arrived than was recorded."),
    _row("stays", "The agent ended by itself in the recording; in the run, acp-trace had to end it."),
    _row(
        "request-unmatched",
        "A request has no answer in the recording. The message names the nearest recorded request, and why "
        "it does not match.",
    ),
    _row("answer-unused", "A recorded answer was not used, because its request did not come."),
    _row("step-skipped", "A step, such as a cancel, no longer made sense: its turn was over."),
    _row(
        "step-late",
        "A step of a turn had to be sent after the turn, because the turn was over too early. The "
        "code is a note if only text was missing from the turn.",
    ),
    _row(
        "agent-outside",
        "In the recording, the agent started outside of the directories of its sessions. The message says "
        "where it started in the run. See `--agent-cwd`.",
        "note",
    ),
    _row(
        "written-outside",
        "According to its own messages, the agent wrote files, or asked for terminals, outside of the run's "
        "directories.",
        "note",
    ),
    _row(
        "files-missing",
        "The run's directory may lack files. The message says which: files that the agent read in the "
        "recording, files that the workspace snapshot left out, or files that were not unpacked. See "
        "`--workspace`.",
        "note",
    ),
    _row(
        "files-not-compared",
        "The files at the end were not compared with the recording's: the run changed too many files.",
        "note",
    ),
    _row(
        "file-not-written",
        "A file that the client wrote in the recording could not be written in the run's directory. The "
        "message says why.",
        "note",
    ),
    _row(
        "command-run",
        "The replay ran a command that the agent asked for. See `--allow-terminal`.",
        "note",
    ),
    _row(
        "model-away",
        "The run failed, and the agent's model may have been unreachable. The message says why.",
        "note",
    ),
    _row(
        "model-side-died",
        "The process that answers in place of the agent's language model ended in the middle of the run.",
    ),
    _row(
        "model-unserved",
        "Prompts were sent, but no model call got a recorded answer: the run does not show what the agent "
        "does with answers. See `--model`.",
    ),
    _row(
        "variable-left-out",
        "The recording names variables of the agent's environment that were not set, because acp-trace does "
        "not know them. See `--model-base`.",
        "note",
    ),
    _row(
        "variable-permitted",
        "Variables of the recording were set, because you named them with `--model-base`.",
        "note",
    ),
    _row(
        "session-stored",
        "The recording loads or resumes an earlier session, which the agent must have in its own store.",
        "note",
    ),
    _row(
        "stalled",
        "For 2 seconds or more (in `mock`, 1 second or more), nothing was sent, because something that was "
        "recorded did not come.",
        "note",
    ),
    _row(
        "fault-not-reached",
        "The run never reached a fault that you asked for. See [faults](faults.md).",
        "note",
    ),
    _row(OVER_BUDGET, "A budget is exceeded, or had no sample."),
)

RUN_CODES = {row.code: row for row in _ALL}
#: Incidents that ended a run: nothing could happen after them.
ENDS = ("cannot-start", "agent-gone", "timeout", "flood")

#: A frame of the run: its side, and its position among that side's frames, from 1. The trace's own numbers
#: are known only afterwards.
Place = tuple[Sender, int]


@dataclass(frozen=True, slots=True)
class Incident:
    """One thing that was noticed. `expected`: a frame of the recording."""

    code: str
    message: str
    session: str | None = None  #: as the recording calls it
    expected: int | None = None
    got: Place | None = None
    was: str | None = None
    now: str | None = None
    reason: str | None = None  #: why nothing in the recording matches; also in the message
    refused: tuple[int, ...] = ()  #: recorded answers that the player replaces with an error
    is_note: bool = False  #: it does not fail the run, unlike others with its code

    @property
    def severity(self) -> Severity:
        """Whether it fails the run."""
        return "note" if self.is_note else RUN_CODES[self.code].severity


def unused(request: RecordedMessage) -> Incident:
    """Return the incident of a request that did not come."""
    message = f"{request.method} #{request.frame} of the recording did not come, so its answer was not used"
    return Incident("answer-unused", message, request.session, expected=request.frame, was=request.method)


def not_written(request: RecordedMessage, path: object, why: str, actual: Place) -> Incident:
    """Return the incident of a file that the recorded client wrote, and the player could not write."""
    message = f"{path}, written in the recording, could not be written in the run: {why}"
    return Incident(
        "file-not-written", message, request.session, expected=request.frame, got=actual, reason=why
    )


def stalled(stall: Stall, why: str, peer: Sender, refused: tuple[int, ...] = ()) -> Incident:
    """Return the incident of time in which nothing was sent. `why`: what waited for what."""
    step = stall.step.message
    whom = f" though the {peer} waited" if stall.blocks else ""
    message = f"nothing was sent for {stall.waited_ns / SECOND:.0f} s{whom}: {why}"
    session, frame = (step.session, step.frame) if step else (None, None)
    return Incident("stalled", message, session, expected=frame, refused=refused)


def late(step: RecordedMessage, aim: RecordedMessage, *, skipped: bool, short: str | None = None) -> Incident:
    """Return the incident of a step whose target, or whose turn, is over: it was skipped, or sent late.

    `short`: how much text came, if only text was missing. It could not be known that no more would come, and
    a model may say less: then being late is not a fault.
    """
    code, what = ("step-skipped", "was not sent") if skipped else ("step-late", "was sent late")
    after = "" if short is None else f", after {short}"
    message = f"{step.method} {what}: {aim.method} (#{aim.frame} of the recording) was already over{after}"
    is_note = short is not None and not skipped
    return Incident(code, message, step.session, expected=step.frame, was=step.method, is_note=is_note)
