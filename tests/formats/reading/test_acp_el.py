"""Files of acp.el's traffic become logs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading import acp_el
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent
from tests.formats.reading.comparing import facts_without_times, lines_of, mutated, read_or_refused, sample
from tests.support import analyzed

_REAL = sample("acp.el/session.traffic")


def _read(text: str) -> Log:
    files = [File("-", text.encode())]
    assert acp_el.recognises(files)
    [log] = acp_el.read(files)
    return log


def _entry(object: str, direction: str = "incoming") -> str:
    return f"((:direction . {direction}) (:kind . unknown) (:object {object}))"


def _json(log: Log) -> list[Any]:
    return [json.loads(message.data) for message in log.messages]


def test_a_session_is_as_we_recorded_it() -> None:
    """Real: each message has its sender and its values, whatever Emacs made of them; all facts are equal."""
    [log] = acp_el.read([File("session.traffic", _REAL)])
    recorded = sample("acp.el/recorded.jsonl")
    frames = [json.loads(line) for line in recorded.splitlines()[1:]]
    assert _json(log) == [frame["frame"] for frame in frames]
    senders = [message.sender for message in log.messages if isinstance(message, Sent)]
    assert senders == [frame["from"] for frame in frames]
    assert facts_without_times(lines_of(log))["sessions"] == facts_without_times(recorded)["sessions"]
    facts, _ = analyzed(lines_of(log))
    assert [turn.stop_reason for turn in facts.turns] == ["end_turn"]
    assert (log.verbatim, log.started_ns, log.unused, log.transport) == (False, None, [], "stdio")
    assert {message.t for message in log.messages} == {None}


def test_nothing_in_what_the_client_sent() -> None:
    """Emacs writes `nil` as {}, and has words for the others."""
    [message] = _json(_read(f"({_entry('(result) (a . :null) (b . :false) (c . t) (d . [])', 'outgoing')})"))
    assert message == {"result": {}, "a": None, "b": False, "c": True, "d": []}


def test_nothing_in_what_the_agent_sent() -> None:
    """null, false and {} were read as one: what ACP has in that place is taken, and null where it has nothing."""
    object = """(result (agentCapabilities (loadSession) (auth (logout)) (sessionCapabilities (list))
        (promptCapabilities (image))) (authMethods . []) (title)) (rawInput)"""
    [message] = _json(_read(f"({_entry(object)})"))
    assert message["result"] == {
        "agentCapabilities": {
            "loadSession": False,
            "auth": {"logout": {}},
            "sessionCapabilities": {"list": {}},
            "promptCapabilities": {"image": False},
        },
        "authMethods": [],
        "title": None,
    }
    assert message["rawInput"] == {}
    assert _json(_read(f"({_entry('(result)')})")) == [{"result": {}}]


def test_values_of_all_kinds() -> None:
    """Property lists and tables are objects, other lists arrays; an integer stays one, and infinity is null."""
    object = '(a :x 1 :y "z") (b . #s(hash-table data ("k" 1))) (c "u" "v") (d . 1.0e+INF) (e . word) (nil . 2) (f (g . h) i)'
    [message] = _json(_read(f"({_entry(object)})"))
    assert message == {
        "a": {"x": 1, "y": "z"},
        "b": {"k": 1},
        "c": ["u", "v"],
        "d": None,
        "e": "word",
        "nil": 2,
        "f": [["g", "h"], "i"],
    }


def test_entries_that_cannot_be_used_are_counted() -> None:
    """Those behind them are read."""
    entries = [
        _entry("(id . 1)"),
        _entry("(id . #<buffer x>)"),
        _entry("(id . 2)"),
        _entry("(id . 3)", "sideways"),
        "7",
        _entry("7"),
        "((:direction . incoming) (:kind . request))",
        _entry("(id . 4)"),
    ]
    log = _read(f"; saved\n({' '.join(entries)})")
    assert _json(log) == [{"id": 1}, {"id": 2}, {"id": 4}]
    assert [each.where for each in log.unused] == ["item 2", "item 4", "item 5", "item 6", "item 7"]
    assert len({each.why for each in log.unused}) == 3


def test_a_file_that_is_cut_off() -> None:
    """What is complete is there."""
    log = _read(_REAL.decode()[:-40])
    assert (len(log.messages), [each.why for each in log.unused]) == (16, ["ends too early"])


@pytest.mark.slow
def test_shared_values_do_not_multiply() -> None:
    """A few bytes that stand for gigabytes are refused; what a client shares of its own is not."""
    layers = " ".join(f"(k{n} . [#{n}# #{n}# #{n}# #{n}#])".replace("[", f"#{n + 1}=[") for n in range(40))
    log = _read(f"({_entry('(id . 1)')} {_entry(f'(k . #0=[1 2]) {layers}')})")
    assert _json(log) == [{"id": 1}]
    assert "more than" in log.unused[0].why


def test_several_files() -> None:
    """A log for each; another file is counted."""
    logs = acp_el.read([File("a", _REAL), File("b", b"hello"), File("c", _REAL)])
    assert len(logs) == 2
    assert logs[0].unused == [("b", "no traffic of acp.el")]


@pytest.mark.parametrize(
    "data", [b"", b"()", b"(())", b"((a))", b'{"direction":1}', b"\xff((", b"((:direction . incoming))"]
)
def test_what_is_not_recognised(data: bytes) -> None:
    """Nor read."""
    assert not acp_el.recognises([File("-", data)])
    with pytest.raises(NotThisFormat):
        acp_el.read([File("-", data)])


_CHANGES = st.lists(
    st.tuples(
        st.integers(0, 1 << 20),
        st.integers(0, 40),
        st.binary(max_size=20) | st.sampled_from([b"#1#", b"(", b")", b". "]),
    ),
    min_size=1,
    max_size=6,
)


@given(
    st.binary(max_size=200).map(lambda data: b"(((:direction . incoming) (:object " + data)
    | _CHANGES.map(lambda changes: mutated(_REAL, changes))
)
def test_any_bytes(data: bytes) -> None:
    """They are refused, or read with the promises kept."""
    read_or_refused(acp_el, [File("-", data)])
