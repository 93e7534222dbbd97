"""DrawnCancels as the page draws them."""

from __future__ import annotations

from acp_trace.report.page.cancels import DrawnCancels
from acp_trace.report.page.documents import DrawnCancel
from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, call, chosen, prompt, stop
from tests.report.story import frames
from tests.support import analyzed, trace


def _made(*said: Said) -> list[DrawnCancel]:
    facts, read = analyzed(trace(*said))
    cancels = DrawnCancels(facts)
    for frame in read:
        cancels.add([frame])
    return cancels.document()


def test_a_cancel_says_what_came_after_it() -> None:
    """With the frame of the last update, the turn, and the updates that came late."""
    first, second = _made(*frames())
    assert (first["kind"], first["outcome"], first["mood"]) == (
        "session/cancel by the client",
        "cancelled",
        "good",
    )
    assert first["of"] == [" session/prompt ", 7, " · Turn 0 Write a file"]
    assert [(bar[0], bar[3]) for bar in first["bars"]] == [
        (["last update after cancel ", 14], "updates"),
        (["session/request_permission ", 11], "agent"),
        (["settled ", 15], "settled"),
    ]
    assert len(first["late"]) == first["late_updates"] == 1
    assert second["bars"][-1][2:] == ("ran to its end", "odd")


def test_a_refused_permission_before_an_end_is_linked() -> None:
    """An agent may end a turn itself after that."""
    options = [{"optionId": "n", "name": "No", "kind": "reject_once"}]
    asked = call(
        7, "session/request_permission", sessionId="s", toolCall={"toolCallId": "c"}, options=options
    )
    (made,) = _made(*start(), prompt(1), asked, chosen(7, optionId="n"), stop(1, "cancelled"))
    assert made["kind"] == "by the agent itself"
    assert made["of"][-2:] == [" · after the refused permission ", len(start()) + 2]
