"""What the injector makes of lines: without faults nothing, with them what was asked for and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.protocol.shapes.tables import shapes
from acp_trace.replay.faults.declaration import KINDS, fault, parse
from acp_trace.replay.faults.injector import HOLD_NS, KEEP_NS, Injector
from acp_trace.replay.faults.malformed import broken
from acp_trace.trace.entries import Sender
from tests.reading.talk import cancel, prompt, stop
from tests.replay.lines import START, chunk, may, picks

_SECOND = 1_000_000_000
_ANSWER = picks(0)[1]
_TALK: list[tuple[str, Any]] = [
    *START,
    prompt(1), chunk("one"), chunk("two"), may(0), picks(0), chunk("three"), stop(1),
    prompt(2), chunk("four"), cancel(), chunk("five"), stop(2, "cancelled"),
    prompt(3), chunk("six"), stop(3),
]  # fmt: skip


def _line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


def played(own: Sender, *faults: str, talk: list[tuple[str, Any]] = _TALK) -> tuple[list[bytes], Injector]:
    """What one side of a talk writes, piece by piece; time passes only at its end."""
    injector = Injector([parse(text) for text in faults], own)
    out: list[bytes] = []
    for sender, message in talk:
        if sender == own:
            injector.send(_line(message), 0)
            out += injector.due(0)
        else:
            injector.receive(_line(message)[:-1])
    while (wake := injector.wake) is not None:
        out += injector.due(wake)
    return out, injector


def _own(own: Sender) -> list[bytes]:
    return [_line(message) for sender, message in _TALK if sender == own]


def _lines(out: list[bytes]) -> list[bytes]:
    return b"".join(out).splitlines(keepends=True)


def _messages(out: list[bytes]) -> list[Any]:
    return [json.loads(line) for line in b"".join(out).splitlines()]


@pytest.mark.parametrize("own", ["client", "agent"])
def test_without_faults_each_line_is_as_it_was(own: Sender) -> None:
    """Piece by piece, and nothing waits."""
    assert played(own)[0] == _own(own)


@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([_line(each)[:-1] for _, each in _TALK]))))
def test_without_faults_any_line_is_as_it_was(lines: list[bytes]) -> None:
    """Also what is no message at all."""
    injector = Injector([], "client")
    for line in lines:
        injector.receive(line)
        injector.send(line + b"\n", 0)
        assert [*injector.due(0)] == [line + b"\n"]
    assert injector.wake is None


_KEEPS = [
    name for name, kind in KINDS.items() if kind.parts and not kind.is_once and name not in ("cut", "reorder")
]


@given(
    st.sampled_from(["client", "agent"]),
    st.lists(st.tuples(st.sampled_from(_KEEPS), st.integers(1, 3)), max_size=4),
)
def test_what_is_not_aimed_at_is_untouched_and_in_order(own: Sender, chosen: list[tuple[str, int]]) -> None:
    """Whatever is done to prompts and their answers, all others come as they are, in their order."""
    texts = [
        fault(name, "session/prompt", KINDS[name].example, nth).text
        for name, nth in chosen
        if KINDS[name].own in (None, own)
    ]
    out, _ = played(own, *texts)
    others = [_line(each) for sender, each in _TALK if sender == own and not _is_aimed_at(each)]
    lines = b"".join(out).splitlines(keepends=True)
    at = -1
    for line in others:
        at = lines.index(line, at + 1)


def _is_aimed_at(message: Any) -> bool:
    return message.get("method") == "session/prompt" or "stopReason" in message.get("result", {})


def test_drop_and_never_send_nothing() -> None:
    """And the answers that cannot come any more are known."""
    out, injector = played("client", "drop on session/prompt #2")
    assert out == [line for line in _own("client") if json.loads(line).get("id") != prompt(2)[1]["id"]]
    assert injector.lost == [str(prompt(2)[1]["id"])]
    out, injector = played("client", "never on session/request_permission")
    assert out == [line for line in _own("client") if line != _line(_ANSWER)]
    assert injector.lost == [None]
    (hit,) = injector.hits.values()
    asked = [sender for sender, _ in _TALK[: _TALK.index(may(0)) + 1] if sender == "agent"]
    assert (hit.carries, hit.request) == (False, len(asked))


def test_a_delay_holds_back_what_comes_after_it() -> None:
    """Nothing overtakes a message that comes late."""
    injector = Injector([parse("delay 2s on session/prompt")], "client")
    lines = [_line(prompt(1)[1]), _line(cancel()[1])]
    for line in lines:
        injector.send(line, 0)
    assert [*injector.due(_SECOND)] == []
    assert injector.wake == 2 * _SECOND
    assert [*injector.due(2 * _SECOND)] == lines


def test_each_of_several_is_meant_without_a_number() -> None:
    """But for what ends all: the first."""
    assert len(_lines(played("client", "duplicate on session/prompt")[0])) == len(_own("client")) + 3
    assert played("client", "duplicate on session/prompt")[1].hits.popitem()[1].count == 3
    _, injector = played("client", "kill on session/prompt")
    assert injector.ended == "kill"


def test_a_cut_line_takes_the_next_one_with_it() -> None:
    """Half a line, and the next message behind it: both are lost."""
    out, injector = played("client", "cut on session/prompt #1")
    text = b"".join(out)
    first = _line(prompt(1)[1])
    assert first not in text
    assert first[: len(first) // 2] + _line(_ANSWER) in text
    assert injector.lost == [str(prompt(1)[1]["id"]), None]


def test_bytes_are_the_same_bytes() -> None:
    """Only their pieces are other ones."""
    out, _ = played("agent", "bytes on agent_message_chunk #2")
    assert b"".join(out) == b"".join(_own("agent"))
    assert sum(len(piece) == 1 for piece in out) == len(_line(chunk("two")[1]))


def test_malformed_json_is_no_json() -> None:
    """One line of all is not."""
    out, _ = played("agent", "malformed-json on agent_message_chunk #2")
    line = _line(chunk("two")[1])
    assert out == [line[:-2] + b"\n" if each == line else each for each in _own("agent")]


def test_reorder_changes_places() -> None:
    """Of a client with what comes next; of an agent, an answer with the update before it."""
    talk = [*START, prompt(1), cancel(), stop(1, "cancelled")]
    out, _ = played("client", "reorder on session/prompt", talk=talk)
    assert out[-2:] == [_line(cancel()[1]), _line(prompt(1)[1])]
    out = _lines(played("agent", "reorder on session/prompt #1")[0])
    assert out.index(_line(stop(1)[1])) + 1 == out.index(_line(chunk("three")[1]))
    assert sorted(out) == sorted(_own("agent"))


def test_what_is_held_is_let_go() -> None:
    """A message that nothing follows goes out after a second, an update that no answer follows much sooner."""
    injector = Injector([parse("reorder on session/prompt")], "client")
    injector.send(_line(prompt(1)[1]), 0)
    assert (injector.wake, [*injector.due(0)]) == (HOLD_NS, [])
    assert [*injector.due(HOLD_NS)] == [_line(prompt(1)[1])]
    injector = Injector([parse("reorder on session/prompt")], "agent")
    injector.receive(_line(prompt(1)[1])[:-1])
    injector.send(_line(chunk("x")[1]), 0)
    assert (injector.wake, [*injector.due(KEEP_NS)]) == (KEEP_NS, [_line(chunk("x")[1])])


def test_an_error_takes_the_place_of_a_result() -> None:
    """With the code that was asked for, and the id of the request."""
    out, _ = played("agent", "error -32000 on session/prompt #1")
    (error,) = [each for each in _messages(out) if "error" in each]
    assert (error["id"], error["error"]["code"], "result" in error) == (prompt(1)[1]["id"], -32000, False)


@pytest.mark.parametrize(("kind", "more"), [("ignore-cancel", 3), ("end-turn", 0)])
def test_a_cancelled_turn_ends_as_if_nothing_was(kind: str, more: int) -> None:
    """Only of a turn that was cancelled."""
    out, injector = played("agent", f"{kind} on session/prompt")
    assert [
        each["result"]["stopReason"] for each in _messages(out) if "stopReason" in each.get("result", {})
    ] == ["end_turn"] * 3
    assert len(out) == len(_own("agent")) + more
    (hit,) = injector.hits.values()
    assert hit.count == 1


def test_updates_that_are_too_many() -> None:
    """After the answer, and of a kind that nobody knows before a message."""
    faults = "late-chunk on session/prompt #1", "unknown-update mood on session/prompt #3"
    out = _lines(played("agent", *faults)[0])
    late = out.index(_line(stop(1)[1]))
    assert out[late + 1] == _line(chunk("three")[1])
    unknown = out[out.index(_line(stop(3)[1])) - 1]
    assert json.loads(unknown)["params"]["update"] == {"sessionUpdate": "mood"}


def test_close_ends_in_the_middle_of_a_message() -> None:
    """Nothing comes after it."""
    out, injector = played("agent", "close on agent_message_chunk #2")
    text = b"".join(out)
    half = _line(chunk("two")[1])
    assert text.endswith(half[: len(half) // 2])
    assert injector.ended == "close"


@pytest.mark.parametrize("own", ["client", "agent"])
@pytest.mark.parametrize("number", range(8))
def test_malformed_breaks_the_shape(own: Sender, number: int) -> None:
    """One payload of all, at a place that the number chooses, and so that the judge sees it."""
    whole, _ = played(own)
    out, injector = played(own, f"malformed {number} on session/prompt #1")
    assert out == played(own, f"malformed {number} on session/prompt #1")[0]
    (bad,) = [new for old, new in zip(whole, out, strict=True) if old != new]
    part = "request" if own == "client" else "response"
    key = "params" if own == "client" else "result"
    name = shapes(1).name("session/prompt", "client", part)  # type: ignore[arg-type]
    assert [one for one in shapes(1).faults(json.loads(bad)[key], name or "") if one.kind != "extra-field"]
    assert next(iter(injector.hits.values())).carries


def test_what_cannot_be_broken_stays() -> None:
    """An empty result has no member that must be there."""
    name = shapes(1).name("fs/write_text_file", "agent", "response")
    assert broken({}, name or "", shapes(1), 0) is None
