"""What holds for any input: any JSON, any pieces, any interleaving of the two directions."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts
from acp_trace.analyze.merge import RULES, Rule
from acp_trace.protocol import methods, updates
from acp_trace.report.json.report import document
from acp_trace.trace.parse import Parser
from tests.reading.chance import conversation
from tests.support import analyzed, facts_of, request, result, trace

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
_WORDS = st.sampled_from(
    [*methods.BY_NAME, *updates.BY_KIND, "s", "idle", "cancelled", "select", "boolean", "mode", "2.0"]
)
_KEYS = [
    "jsonrpc", "id", "method", "params", "result", "error", "sessionId", "update", "sessionUpdate",
    "toolCallId", "toolCall", "title", "updatedAt", "_meta", "outcome", "optionId", "code", "message",
    "prompt", "protocolVersion", "clientInfo", "clientCapabilities", "cwd", "used", "replayFrom", "content",
    "configOptions", "configId", "value", "type", "options", "group", "currentValue", "category", "modes",
    "currentModeId", "modeId", "availableModes", "requestId", "stopReason", "state", "sessions", "status",
]  # fmt: skip
_SHAPED = st.recursive(
    _JSON | _WORDS,
    lambda inner: (
        st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5)
        | st.lists(inner, max_size=3)
        | st.fixed_dictionaries({"sessionId": st.just("s"), "update": inner})
    ),
    max_leaves=16,
)
_MESSAGE = _SHAPED | st.fixed_dictionaries(
    {"method": st.sampled_from(list(methods.BY_NAME)), "params": _SHAPED},
    optional={"id": st.integers(0, 3), "jsonrpc": st.just("2.0")},
)
_ANSWER = st.fixed_dictionaries({"id": st.integers(0, 3), "result": _SHAPED})
_UPDATE = st.builds(
    lambda kind, fields: {
        "method": "session/update",
        "params": {"sessionId": "s", "update": {**fields, "sessionUpdate": kind}},
    },
    st.sampled_from(list(updates.BY_KIND)),
    st.dictionaries(st.sampled_from(_KEYS), _SHAPED, max_size=5),
)
_ONE = _MESSAGE | _ANSWER | _UPDATE
_SAID = _ONE | st.lists(_ONE, max_size=4)
_FRAMES = st.lists(st.tuples(st.sampled_from(["client", "agent"]), _SAID), max_size=14)


@pytest.mark.slow
@given(_FRAMES, st.sampled_from([None, *RULES]))
def test_any_json_at_all_never_raises(frames: list[tuple[str, Any]], rule: Rule | None) -> None:
    """Every frame is counted, whatever it holds, by every rule, and the report can be written."""
    parser, analyzer = Parser(), Analyzer(rule)
    for entry in parser.feed(trace(*frames)):
        analyzer.feed(entry)
        analyzer.fresh("s")
    found = analyzer.facts()
    assert found.trace.frames_client + found.trace.frames_agent == len(frames)
    msgspec.json.encode(document(found))


def _in_pieces(data: bytes, step: int) -> Facts:
    parser, analyzer = Parser(), Analyzer()
    for at in range(0, len(data), step):
        for entry in parser.feed(data[at : at + step]):
            analyzer.feed(entry)
        if at % 3 == 0:
            analyzer.facts()
            analyzer.fresh("s")
    return analyzer.facts()


@pytest.mark.slow
@given(_FRAMES, st.integers(1, 50))
def test_feeding_in_pieces_equals_feeding_at_once(frames: list[tuple[str, Any]], step: int) -> None:
    """One analyser serves files and live traces; asking in between changes nothing."""
    data = trace(*frames)
    assert _in_pieces(data, step) == analyzed(data)[0]


@pytest.mark.parametrize("seed", range(12))
def test_whole_conversations_in_pieces(seed: int) -> None:
    """The same for long conversations, in which the parts of the analyser meet."""
    data = conversation(seed)
    assert _in_pieces(data, 97 + seed) == analyzed(data)[0]


class _Step(NamedTuple):
    """One message: the request or the response of exchange `number`, which `asker` began."""

    asker: str
    number: int
    answers: bool

    @property
    def sender(self) -> str:
        return {"client": "agent", "agent": "client"}[self.asker] if self.answers else self.asker

    @property
    def message(self) -> dict[str, Any]:
        if self.answers:
            return result(self.number, of=self.asker)
        return request(self.number, f"_{self.asker}/{self.number}")


@given(st.integers(0, 5), st.integers(0, 5), st.data())
def test_any_interleaving_gives_the_same_exchanges(ours: int, theirs: int, data: st.DataObject) -> None:
    """Both sides count from 0; each sends in its own order; a response comes after its request."""
    counts = {"client": ours, "agent": theirs}
    sends: dict[str, list[_Step]] = {}
    for side, other in (("client", "agent"), ("agent", "client")):
        asked = [_Step(side, number, answers=False) for number in range(counts[side])]
        answered = [
            _Step(other, number, answers=True) for number in data.draw(st.permutations(range(counts[other])))
        ]
        # A side asks what it asks first, so that two sides can never wait for each other's requests.
        sends[side] = asked + answered
    said: list[_Step] = []
    while sends["client"] or sends["agent"]:
        able = [
            side
            for side, left in sends.items()
            if left and (not left[0].answers or left[0]._replace(answers=False) in said)
        ]
        said.append(sends[data.draw(st.sampled_from(able))].pop(0))
    found = facts_of(*((step.sender, step.message) for step in said)).exchanges
    places = {step: at for at, step in enumerate(said, 1)}
    assert {(one.sender, int(one.id)): (one.frame, one.response_frame) for one in found} == {
        (step.asker, step.number): (places[step], places[step._replace(answers=True)])
        for step in said
        if not step.answers
    }
    assert {one.outcome for one in found} <= {"result"}
