"""What the timeline draws: lanes, with bars and marks in them."""

from __future__ import annotations

from acp_trace.report.page.timeline import Item, Lane, lanes
from tests.page.payloads import hostile_trace
from tests.reading.talk import call, hello, opened, permit, prompt, up
from tests.support import REPOSITORY, analyzed, facts_of, request, result, trace


def _lanes(name: str) -> dict[tuple[str, str], Lane]:
    facts, _ = analyzed((REPOSITORY / "sample_traces" / f"{name}.jsonl").read_bytes())
    return {(lane.group.partition(" · ")[0], lane.name): lane for lane in lanes(facts)}


def _labels(items: list[Item]) -> list[str]:
    return [item.label for item in items]


def test_every_kind_has_its_lane() -> None:
    """Of the connection, what opens it; of a session, turns, waits, tool calls, calls of the model, marks."""
    made = _lanes("gemini-model")
    assert _labels(made["Connection", "client"].items) == ["initialize", "authenticate", "session/new"]
    assert _labels(made["S1", "turns"].items) == ["Turn 0", "Turn 1", "Turn 2"]
    assert [item.at for item in made["S1", "model"].items] == [{"call": str(n)} for n in range(1, 9)]
    marks = made["S1", "marks"].items
    assert sorted({item.kind for item in marks}) == ["cancel", "config", "finding", "usage"]
    assert [(item.start, item.frame) for item in marks if item.kind == "finding"] == [(None, 6), (None, 13)]


def test_a_turn_says_where_its_time_went() -> None:
    """In words and in shares; what belongs to a tool call has the same pair as it."""
    made = _lanes("gemini-model")
    turn = made["S1", "turns"].items[0]
    assert turn.words.startswith(
        "end_turn · model 13.0 ms, tools 130 ms, client 1.40 ms, own 271 ms · RUN echo"
    )
    assert [name for name, _ in turn.shares] == ["model", "tools", "client", "own"]
    (asked,), tool = made["S1", "client"].items, made["S1", "agent"].items[0]
    assert asked.pair == tool.pair
    assert tool.start == asked.end
    assert tool.end is not None
    assert tool.words == "execute · completed · from its permission's answer: not announced before it ended"


def test_a_turn_says_its_parts_without_a_recorded_model_and_that_it_ignored_a_cancel() -> None:
    """Parts without time are left out; `by` only if the cancel ended the turn."""
    turns = _lanes("opencode-story")["S1", "turns"].items
    assert turns[1].words.startswith("cancelled by #29 · first output 112 ms, rest 74.6 ms · HOLD on")
    assert turns[2].words.startswith(
        "end_turn despite #34 · first output 124 ms, writing 1.48 s, rest 560 ms"
    )
    assert [name for name, _ in turns[2].shares] == ["first output", "writing", "rest"]


def test_a_pair_is_of_one_session() -> None:
    """Agents count their tool calls in each session anew; a permission without a tool call has no pair."""
    said = [*hello()]
    for session in ("s", "u"):
        said += [*opened(session), prompt(session, session)]
        said += [up("tool_call", session, toolCallId="c", title="T"), permit(f"p {session}", session)]
        said.append(call(f"q {session}", "session/request_permission", sessionId=session, options=[]))
    pairs = [
        item.pair
        for lane in lanes(facts_of(*said))
        for item in lane.items
        if item.kind in ("permission", "tool")
    ]
    assert pairs == ["tool:1:c", None, "tool:1:c", "tool:2:c", None, "tool:2:c"]


def test_what_overlaps_gets_rows_of_its_own() -> None:
    """Two at once stand below each other; after them, the first row is free again."""
    file = trace(
        ("client", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}),
        ("client", {"jsonrpc": "2.0", "id": 2, "method": "_x/a", "params": {}}),
        ("agent", {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1}}),
        ("agent", {"jsonrpc": "2.0", "id": 2, "result": {}}),
        ("client", {"jsonrpc": "2.0", "id": 3, "method": "_x/b", "params": {}}),
    )
    lane = next(lane for lane in lanes(analyzed(file)[0]) if lane.name == "client")
    assert [(item.label, item.row, item.is_open) for item in lane.items] == [
        ("initialize", 0, False),
        ("_x/a", 1, False),
        ("_x/b", 0, True),
    ]
    assert lane.rows == 2


def test_a_hostile_trace_has_one_as_well() -> None:
    """Whatever its texts are, each is one line of at most so many characters."""
    facts, _ = analyzed(hostile_trace())
    items = [item for lane in lanes(facts) for item in lane.items]
    assert len(items) > 2000
    assert not any("\n" in item.label or "\x1b" in item.words for item in items)


def test_what_came_of_a_config_change_is_said_as_in_the_report() -> None:
    """A change to the value that is there already is not `applied`, though the response holds it."""
    choices = [{"value": "a", "name": "a"}]
    option = {"id": "o", "name": "o", "type": "select", "currentValue": "a", "options": choices}
    file = trace(
        ("client", request(0, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(0, sessionId="s", configOptions=[option])),
        ("client", request(1, "session/set_config_option", sessionId="s", configId="o", value="a")),
        ("agent", result(1, configOptions=[option])),
    )
    marks = next(lane for lane in lanes(analyzed(file)[0]) if lane.name == "marks" and lane.session).items
    assert [(mark.label, mark.words) for mark in marks if mark.kind == "config"] == [
        ("Config: new", "o a"),
        ("Config", "o a · no change"),
    ]
