"""The updates that came late: a turn's work, after a cancelled prompt settled and before the next one. Pure.

The analysis counts them (docs/report.md, Cancellation). The page draws each at its time, so that their frames
are looked for here, while the frames go past anyway.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from acp_trace.analyze.facts import Cancellation, Facts
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.replays import Replays
from acp_trace.protocol import updates
from acp_trace.protocol.message import MessageKind
from acp_trace.report.grouping import group
from acp_trace.report.page.documents import LateUpdate

#: The most updates given for one cancel: the first ones, and the last.
MOST = 200


@dataclass(slots=True)
class _Stretch:
    """The frames of a session between these two, in which updates are late for a cancel."""

    cancel: Cancellation
    settled: int
    until: int | None
    found: list[LateUpdate] = field(default_factory=list)


class LateUpdates:
    """Finds the late updates of a trace's cancels in its frames, which come in their order."""

    def __init__(self, facts: Facts) -> None:
        prompts = {turn.frame: turn.session_id for turn in facts.turns}
        frames = {
            session: sorted(turn.frame for turn in turns)
            for session, turns in group(facts.turns, lambda turn: turn.session_id).items()
        }
        self._stretches: dict[str, list[_Stretch]] = {}
        self._all: list[_Stretch] = []
        self._replays = Replays(facts)
        for cancel in facts.cancellations:
            session = prompts.get(cancel.target_frame or 0)
            if session is None or cancel.settled_frame is None or not cancel.late_updates:
                continue
            after = frames[session][bisect_right(frames[session], cancel.settled_frame) :]
            stretch = _Stretch(cancel, cancel.settled_frame, after[0] if after else None)
            self._stretches.setdefault(session, []).append(stretch)
            self._all.append(stretch)

    @property
    def are_any(self) -> bool:
        """Whether there are any to be found."""
        return bool(self._all)

    def add(self, frame: Frame) -> None:
        """The next frame."""
        if frame.kind is MessageKind.REQUEST and frame.sender == "client":
            self._replays.request(frame.frame, frame.method, frame.session_id, frame.data)
        elif frame.kind is MessageKind.RESPONSE:
            self._replays.response(frame.answers)
        if frame.session_id in self._stretches:
            self._look(frame, frame.session_id)

    def found(self) -> dict[tuple[int, int | None], list[LateUpdate]]:
        """The updates of each cancel that has some, by its frame and the prompt's."""
        return {(each.cancel.frame, each.cancel.target_frame): each.found for each in self._all}

    def _look(self, frame: Frame, session: str) -> None:
        if frame.sender != "agent" or frame.update not in updates.OF_TURN:
            return
        if self._replays.by(session, int(frame.frame), frame.update) is None:
            for stretch in self._stretches[session]:
                if stretch.settled < frame.frame and (stretch.until is None or frame.frame < stretch.until):
                    del stretch.found[MOST - 1 :]
                    after = (frame.t_ns or 0) - (stretch.cancel.t_ns or 0)
                    stretch.found.append({"frame": frame.frame, "after_ns": after})
