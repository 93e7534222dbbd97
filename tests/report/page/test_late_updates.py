"""The updates that came after a cancelled prompt had settled, each at its time."""

from __future__ import annotations

from acp_trace.report.page.documents import LateUpdate
from acp_trace.report.page.late_updates import MOST, LateUpdates
from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, answer, ask, cancel, opened, prompt, stop, tell, up, words
from tests.support import TRACES, analyzed, trace


def _late(file: bytes) -> tuple[dict[tuple[int, int | None], list[LateUpdate]], list[int]]:
    """What is found, and what the analysis counted."""
    facts, frames = analyzed(file)
    late = LateUpdates(facts)
    for frame in frames:
        late.add(frame)
    return late.found(), [each.late_updates for each in facts.cancellations]


def _load() -> list[Said]:
    return [ask("l", "session/load", sessionId="s", cwd="/w", mcpServers=[]), words(), answer("l")]


def test_each_has_its_frame_and_its_time_since_the_cancel() -> None:
    """Between the settling and the next prompt: of this session, a turn's work, and no history."""
    cancelled = [prompt(1), cancel(), words(), stop(1, "cancelled")]
    late = [words(), up("session_info_update", title="T"), words("u"), *_load(), words()]
    file = trace(*start(), *opened("u"), *cancelled, *late, prompt(2), words(), stop(2), words(), step=100)
    found, counted = _late(file)
    assert counted == [2]
    assert found == {(8, 7): [{"frame": 11, "after_ns": 300}, {"frame": 17, "after_ns": 900}]}


def test_a_cancel_of_the_request_has_them_too() -> None:
    """It names no session; its prompt does. After the last prompt there is no end but that of the trace."""
    cancelled = [prompt(1), tell("client", "$/cancel_request", requestId=1), stop(1, "cancelled")]
    found, counted = _late(trace(*start(), *cancelled, words(), words(), step=100))
    assert ([len(updates) for updates in found.values()], counted) == ([2], [2])


def test_of_many_the_last_is_there() -> None:
    """A flood takes no room; how many there were is counted."""
    late = [words() for _ in range(MOST + 50)]
    file = trace(*start(), prompt(1), cancel(), stop(1, "cancelled"), *late)
    found, counted = _late(file)
    (updates,) = found.values()
    assert (counted, len(updates), updates[-1]["frame"]) == ([MOST + 50], MOST, 7 + MOST + 50)


def test_as_many_are_found_as_the_analysis_counts() -> None:
    """In every recording that there is."""
    for path in TRACES:
        found, counted = _late(path.read_bytes())
        assert [len(updates) for updates in found.values()] == [count for count in counted if count], path
