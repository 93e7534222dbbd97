"""What changed in a session, step by step."""

from __future__ import annotations

from acp_trace.report.page import state
from tests.analyze.findings.scenario import start
from tests.reading.talk import answer, ask, refuse, up
from tests.support import facts_of


def _option(value: str) -> list[dict[str, object]]:
    options = [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]
    return [{"id": "model", "name": "Model", "type": "select", "currentValue": value, "options": options}]


def test_steps_say_what_they_changed_and_whether_it_was_applied() -> None:
    """Metadata and configuration in the order of their frames, in the words of the reports."""
    facts = facts_of(
        *start(),
        up("config_option_update", configOptions=_option("a")),
        up("session_info_update", title="T", _meta={"x": {"y": 1}}),
        ask(5, "session/set_config_option", sessionId="s", configId="model", value="b"),
        answer(5, configOptions=_option("b")),
        ask(6, "session/set_config_option", sessionId="s", configId="model", value="a"),
        answer(6, configOptions=_option("b")),
        ask(7, "session/set_config_option", sessionId="s", configId="model", value="c"),
        refuse(7, -32602),
        up("session_info_update", title=None),
    )
    (session,) = state.document(facts, [])["sessions"]
    steps = session["steps"]
    assert [step["how"] for step in steps] == [
        "by agent", "by agent", "applied", "not applied", "error -32602", "by agent",
    ]  # fmt: skip
    assert [
        (change["name"], change["before"], change["after"]) for step in steps for change in step["changes"]
    ] == [
        ("model", None, '"a"'),
        ("title", None, '"T"'),
        ("_meta/x/y", None, "1"),
        ("model", '"a"', '"b"'),
        ("title", '"T"', None),
    ]
    frame = steps[2]["asked"]["frame"]
    assert steps[2]["asked"] == {"frame": frame, "name": "model", "value": '"b"'}
    assert frame is not None
    assert (steps[2]["frame"], steps[3]["style"]) == (frame + 1, "bad")
