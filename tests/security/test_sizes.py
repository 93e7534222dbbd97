"""Traces made to take time or memory: bounded by what comes. Larger ones are in docs/evidence/benchmarks.md."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import read
from acp_trace.report.json.report import document
from acp_trace.store.connect import writing
from acp_trace.store.load import load
from acp_trace.trace.entries import EntryKind
from tests.commands import Commands
from tests.counting import executed_lines
from tests.fuzz import screens
from tests.fuzz.inputs import entries
from tests.support import analyzed, header, line, request, result, trace, update

_MB = 1 << 20


@contextmanager
def within(memory: int) -> Iterator[None]:
    """Fails where it takes more memory at once than that."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < memory, peak


def many(count: int, *, turns: bool = True) -> bytes:
    """So many sessions, each with a turn."""
    frames: list[tuple[str, Any]] = []
    for number in range(count):
        id_ = f"s{number}"
        frames += [
            ("client", request(2 * number, "session/new", cwd=f"/w/{number}")),
            ("agent", result(2 * number, sessionId=id_)),
        ]
        frames += turns * [
            ("client", request(2 * number + 1, "session/prompt", sessionId=id_, prompt=[])),
            ("agent", update(id_, "agent_message_chunk", content={"type": "text", "text": "x"})),
            ("agent", result(2 * number + 1, stopReason="end_turn")),
        ]
    return trace(*frames)


def test_ten_thousand_sessions(tmp_path: Path) -> None:
    """Loaded into the store. Four times as many are four times the work of a report, and not sixteen times."""
    path, store = tmp_path / "a.jsonl", tmp_path / "store.duckdb"
    path.write_bytes(many(10_000, turns=False))
    with writing(store) as connection:
        assert load(connection, path).frames == 20_000
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (10_000,)
    small, large = (many(count, turns=False) for count in (50, 200))
    assert _steps(large) < 6 * _steps(small)


def _steps(file: bytes) -> int:
    """Lines of Python that the report of this file executes."""
    return executed_lines(lambda: document(analyzed(file)[0]))


def test_ten_thousand_sessions_on_the_screen_and_in_a_plan() -> None:
    """A tenth of them here: it is the same for each."""
    file = many(1_000)
    screens.shown(analyzed(file)[0], 100, all_=False)
    recording = read(entries(file))
    assert len(recording.directories) == 1_000
    assert len(plan(recording, "client").steps) == 2_001
    assert len(plan(recording, "agent").tracks) >= 1_000


def test_a_line_of_many_megabytes() -> None:
    """As a frame, as one that breaks off, and as no frame at all: at most some copies of it."""
    text = b"x" * (4 * _MB)
    frame = b'{"t":1,"from":"agent","frame":{"jsonrpc":"2.0","method":"x","params":{"a":"%b"}}}\n' % text
    deep = b"[" * _MB  # looked at bracket by bracket; the others only by what is written in C
    for file in (frame, frame[:-3], b'{"t":1,"log":"%b"}\n' % text, text, deep):
        with within(12 * len(file)):
            facts, frames = analyzed(header() + file)
            assert len(frames) <= 1
            assert facts.trace.damaged + facts.trace.torn_bytes + facts.trace.logs + len(frames) >= 1
        if file is not deep:
            assert executed_lines(partial(analyzed, header() + file)) < 5_000


def _bombs() -> Iterator[tuple[str, bytes]]:
    wide = ",".join(f'"k{number}":{number}' for number in range(30_000))
    yield "many keys", f'{{"jsonrpc":"2.0","method":"x","params":{{{wide}}}}}'.encode()
    yield (
        "one key, again and again",
        b'{"jsonrpc":"2.0","method":"x","params":{' + b'"a":{},' * 100_000 + b'"a":1}}',
    )
    yield "deep", b'{"jsonrpc":"2.0","method":"x","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    yield "deep, within what parsers follow", b'{"id":1,"result":' + b'{"a":' * 900 + b"1" + b"}" * 901
    yield "deep and broken", b'{"jsonrpc":"2.0","method":"x","params":' + b'{"a":[' * 50_000
    yield (
        "a number of a million digits",
        b'{"jsonrpc":"2.0","id":' + b"9" * 1_000_000 + b',"method":"session/prompt"}',
    )
    yield "a fraction of a million digits", b'{"jsonrpc":"2.0","id":1,"result":0.' + b"1" * 1_000_000 + b"}"
    yield "an exponent", b'{"jsonrpc":"2.0","id":1e999999999,"method":"x","params":{"a":-1e-999999999}}'
    yield "escapes", b'{"jsonrpc":"2.0","id":"' + b"\\u00e9" * 100_000 + b'","method":"x"}'
    yield "lone surrogates", b'{"jsonrpc":"2.0","id":"' + b"\\ud800" * 20_000 + b'","method":"x"}'


@pytest.mark.parametrize("name", [name for name, _ in _bombs()])
def test_json_that_grows(name: str) -> None:
    """Read, compared with itself, shown, planned and written as JSON; never an error."""
    frame = dict(_bombs())[name]
    file = header() + b'{"t":1,"from":"agent","frame":%b}\n{"t":2,"from":"client","frame":%b}\n' % (
        frame,
        frame,
    )
    found = entries(file)
    assert found[0].kind is EntryKind.HEADER
    screens.documents_of(found)
    screens.of_one(found, 80)
    screens.compared(found, found, "exact", [])
    screens.of_plan(plan(read(found), "client"))


_HEADERS: list[dict[str, Any]] = [
    {"agent": {"argv": [[[[[["x"]]]]], 10**400, None, {"a": 1}], "cwd": ["x"]}},
    {"agent": [], "labels": [], "started_at": 5, "id": {}},
    {"labels": {"a": [[[]]], "b": 10**400}},
    {"id": 10**400, "started_at": "+292277026596-12-04T15:30:07Z"},
    {"acp_trace": 10**400},
]


@pytest.mark.parametrize("changes", _HEADERS, ids=str)
def test_odd_headers(changes: dict[str, Any]) -> None:
    """What has another type than it should counts as absent, or as its text."""
    found = entries(header(**changes) + line(t=1, log="x"))
    screens.documents_of(found)
    screens.of_one(found, 80)


@pytest.mark.parametrize("key", ["argv", "labels", "cwd"])
def test_a_header_that_is_nested_deep(key: str) -> None:
    """As deep as the reader follows: its text is cut, or it counts as absent."""
    deep = b"[" * 990 + b"]" * 990
    value = {"argv": b'"agent":{"argv":[%b]}', "labels": b'"labels":{"a":%b}', "cwd": b'"agent":{"cwd":%b}'}[
        key
    ] % deep
    found = entries(b'{"acp_trace":1,"id":"x",%b}\n' % value + line(t=1, log="x"))
    screens.documents_of(found)


@pytest.mark.parametrize("t", [2**63 - 1, 2**63, -1, 1e308, "1", None])
def test_giant_times_and_counts(commands: Commands, tmp_path: Path, t: Any) -> None:
    """The store's columns hold what is left of them."""
    path = tmp_path / "a.jsonl"
    body = [{"t": t, "from": "agent", "frame": {}}, {"t": 1, "gap": {"frames": 2**62, "bytes": 10**400}}] * 3
    end = {"t": t, "end": {"exit_code": 10**30, "signal": -(2**53) + 1}}
    path.write_bytes(b"".join([header(), *(line(**one) for one in body), line(**end)]))
    assert commands("load", path).code == 0
    said = commands("show", "last", "--json")
    assert json.loads(said.out)["trace"]["id"]
    assert commands("stats").code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limits")
def test_the_limits_of_this_process_were_not_changed() -> None:
    """The fuzzers bound their own processes, not this one."""
    if sys.platform != "win32":
        import resource

        assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY
