"""How long things took in a trace: turns, their first output, cancels. Reported, but not compared."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts import Facts


@dataclass(frozen=True, slots=True)
class TurnTiming:
    """One turn. Times are ns from its prompt; None if it never settled, or showed nothing.

    In a trace without times, they are None for every turn.
    """

    session_id: str
    turn: int
    frame: int
    duration_ns: int | None
    first_output_ns: int | None


@dataclass(frozen=True, slots=True)
class CancelTiming:
    """One cancel that aimed at a request.

    `settle_ns`: until the request settled; None if it never did (`unanswered`), and in a trace without times.
    """

    frame: int
    outcome: str
    settle_ns: int | None


@dataclass(frozen=True, slots=True)
class Timings:
    """The timings of one trace, in order."""

    turns: tuple[TurnTiming, ...]
    cancels: tuple[CancelTiming, ...]


def timings(facts: Facts) -> Timings:
    """Return the timings of a trace."""
    return Timings(
        tuple(
            TurnTiming(turn.session_id, turn.turn, turn.frame, turn.duration_ns, turn.first_output_ns)
            for turn in facts.turns
        ),
        tuple(
            CancelTiming(cancel.frame, cancel.outcome, cancel.settle_ns)
            for cancel in facts.cancellations
            if cancel.kind != "internal" and cancel.target_frame is not None
        ),
    )
