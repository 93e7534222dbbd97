"""What cancelled turns had said, in a history that a session repeats. Pure.

How far a turn got before its cancel is chance. An agent that keeps its broken-off message repeats it with the
history, so an unchanged agent repeats another text in each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, takewhile

from acp_trace.compare.content.shown import TEXT
from acp_trace.compare.result import Divergence
from acp_trace.compare.trace_pair import TracePair
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.protocol import outcomes
from acp_trace.story.model import SessionPhase, Story, UpdateRun

_MOST = 100  #: cancelled turns, and places of a text, that are tried: a hostile trace has any number


def judged(
    traces: TracePair,
    kind: str,
    where: SessionPhase,
    runs: tuple[UpdateRun, UpdateRun],
    found: Iterable[Divergence],
) -> Iterator[Divergence]:
    """Yield the divergences of two messages, unless only the cancelled turns in a history differ."""
    found = list(found)
    if not (found and where.part == "replay" and _is_alike(traces, kind, runs)):
        yield from found


def _is_alike(traces: TracePair, kind: str, runs: tuple[UpdateRun, UpdateRun]) -> bool:
    """Whether two texts differ only in how far cancelled turns got."""
    sides = (traces.expected, traces.expected_uncounted), (traces.actual, traces.actual_uncounted)
    was, now = (
        normalizer.shown(run.shown.text, TEXT) if run.shown is not None else ""
        for run, (_, normalizer) in zip(runs, sides, strict=True)
    )
    if was == now:  # then something else about them differs
        return False
    cut = zip(*(_cut_short(*side, kind) for side in sides), strict=False)
    for said, actually_said in islice(cut, _MOST):
        at = next((at for at in _places(was, now, said) if now.startswith(actually_said, at)), None)
        if at is not None:
            was = was[:at] + was[at + len(said) :]
            now = now[:at] + now[at + len(actually_said) :]
    return bool(was == now)


def _places(was: str, now: str, said: str) -> Iterator[int]:
    """Yield where a text is in `was` and begins before the first difference, the last place first."""
    end = len(said) + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(was, now, strict=False)))
    for _ in range(_MOST):
        at = was.rfind(said, 0, end)
        if at < 0:
            return
        yield at
        end = at + len(said) - 1


def _cut_short(story: Story, normalizer: Normalizer, kind: str) -> Iterator[str]:
    """Yield what each cancelled turn of a trace said, in the order of the turns."""
    for turn in sorted(story.facts.turns, key=lambda turn: turn.frame):
        if turn.stop_reason == outcomes.CANCELLED and turn.session_id in story.sessions:
            sections = story.sessions[turn.session_id].sections
            phases = (SessionPhase(part, turn.turn) for part in ("turn", "after"))
            runs = (
                run for phase in phases if phase in sections for run in sections[phase].messages.get(kind, ())
            )
            yield normalizer.shown("".join(run.shown.text for run in runs if run.shown is not None), TEXT)
