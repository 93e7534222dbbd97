"""docs/queries.md: each question is answered rightly, on a small store made by hand."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from acp_trace.analyze.facts import (
    Cancellation,
    Cascade,
    ConfigChange,
    ConfigEntry,
    Facts,
    Finding,
    ModelCall,
    NetworkStream,
    Permission,
    Session,
    ToolCall,
    Turn,
)
from acp_trace.store.query import query
from tests.docs.pages import DOCS, command_lines, text_of
from tests.handmade import exchange, made, stored, trace

PAGE = DOCS / "queries.md"
_HEADINGS = re.findall(r"^## (.+)$", text_of(PAGE), re.MULTILINE)
#: Heading -> the SQL under it.
SQL = {heading: shlex.split(line)[2] for heading, line in zip(_HEADINGS, command_lines(PAGE), strict=True)}


def _cancel(kind: str, outcome: str, frame: int, **given: Any) -> Cancellation:
    aimed = {} if outcome == "no_target" else {"target_frame": frame - 1, "target_method": "session/prompt"}
    return made(Cancellation, session_id="s", kind=kind, outcome=outcome, frame=frame, **{**aimed, **given})


def _finding(code: str, severity: str, blame: str) -> Finding:
    return made(Finding, code=code, severity=severity, blame=blame, count=1)


def _set(frame: int, **given: Any) -> ConfigEntry:
    return made(ConfigEntry, session_id="s", frame=frame, **{"cause": "set", **given})


def _value(frame: int, option: str, before: str | None, after: str, **given: Any) -> ConfigChange:
    change = "value" if before else "added"
    return made(
        ConfigChange,
        session_id="s",
        frame=frame,
        option=option,
        change=change,
        before=before,
        after=after,
        **given,
    )


def _turn(turn: int, first_output_ns: int | None, **given: Any) -> Turn:
    return made(
        Turn,
        session_id="s",
        turn=turn,
        first_output_ns=first_output_ns,
        **{"stop_reason": "end_turn", **given},
    )


def _call(call: int, turn: int | None, duration_ns: int | None, **given: Any) -> ModelCall:
    return made(
        ModelCall, session_id="s", call=call, turn=turn, duration_ns=duration_ns, model="m-1", **given
    )


def _store() -> list[Facts]:
    """Three traces: two versions of alpha, of which the second goes on with a session, and beta."""
    first = trace(
        "t1",
        made(Session, session_id="s", opened_by="session/new"),
        made(Session, session_id="refused", opened_by="unknown"),
        _turn(0, 4_000_000),
        _turn(1, 2_000_000, model_ns=4_000_000, tool_ns=2_000_000, client_ns=0, own_ns=1_000_000),
        _turn(2, None, stop_reason=None, error_code=-32603),
        made(ToolCall, session_id="s", kind="execute", title="make", status="failed", duration_ns=5_000_000),
        made(ToolCall, session_id="s", kind="read", title="a.py", status="completed", duration_ns=1),
        made(ToolCall, session_id="s", kind="execute", title="make", status="failed", replayed=True),
        made(Permission, outcome="selected", option_kind="allow_once", wait_ns=1_500_000_000),
        made(Permission, outcome="selected", option_kind="allow_once", wait_ns=500_000_000),
        made(Permission, outcome="open"),
        _call(1, 0, 9_000_000, first_token_ns=2_000_000, status=200, input_tokens_total=30, output_tokens_total=5),
        _call(2, 1, 3_000_000, status=429),
        _call(3, 1, None),
        _call(4, None, 1_000_000, input_tokens_total=1000),
        made(NetworkStream, stream=1, method="GET", status=200),
        made(NetworkStream, stream=2, method="POST", status=404, body="Unknown Acp-Session-Id", frame=4),
        made(NetworkStream, stream=3, method="POST", failed="connection refused", frame=5),
        exchange("session/new", 7),
        exchange("fs/read_text_file", 7, "agent", outcome="error", error_code=-32002),
        exchange("fs/read_text_file", 7, "agent", outcome="error", error_code=-32002),
        exchange("session/prompt", None),
        _set(3, cause="setup"),
        _value(3, "model", None, '"small"'),
        _set(7, requested_id="model", requested_value='"big"', honoured=True),
        _value(7, "model", '"small"', '"big"'),
        _value(7, "effort", '"low"', '"high"'),
        _set(7, cause="agent", legacy=True),
        _set(11, cause="agent"),
        _value(11, "model", '"big"', '"small"'),
        _set(13, requested_id="mode", requested_value='"plan"', honoured=False),
        _set(15, requested_id="none", requested_value='"x"', honoured=False, error_code=-32602),
        _cancel("session/cancel", "cancelled", 20, settle_ns=3_000_000, settled_frame=21, late_updates=2),
        _cancel("$/cancel_request", "completed", 30, settle_ns=5_000_000_000, settled_frame=39),
        _cancel("$/cancel_request", "cancelled", 40, settle_ns=1_000_000, settled_frame=41),
        made(Cascade, cancel_frame=20, target_frame=19, frame=12, sender="agent", method="m", outcome="cancelled"),
        made(Cascade, cancel_frame=20, target_frame=19, frame=14, sender="agent", method="m", outcome="cancelled"),
        made(Cascade, cancel_frame=40, target_frame=39, frame=34, sender="agent", method="m", outcome="completed"),
        _finding("not-json", "error", "agent"),
        _finding("not-json", "error", "agent"),
        _finding("unknown-method", "error", "client"),
        agent_name="alpha", agent_version="1.0", started_at="2026-11-20T10:00:00Z",
    )  # fmt: skip
    second = trace(
        "t2",
        made(Session, session_id="s", opened_by="session/load"),
        made(Session, session_id="refused", opened_by="unknown"),
        _turn(0, 1_000_000, stop_reason="cancelled"),
        _finding("info-flood", "warning", "agent"),
        agent_name="alpha", agent_version="2.0", started_at="2026-11-20T11:00:00Z",
    )  # fmt: skip
    third = trace(
        "t3",
        made(Session, session_id="s", opened_by="session/new"),
        _cancel("session/cancel", "unanswered", 8),
        _cancel("session/cancel", "no_target", 9),
        _cancel("internal", "cancelled", 10, settle_ns=0, settled_frame=10),
        agent_name="beta", agent_version="1", started_at="2026-11-20T12:00:00Z",
    )  # fmt: skip
    return [first, second, third]


EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "Which agents ignore `$/cancel_request`?": [("alpha", "1.0", 1)],
    "Which cancels were slowest?": [
        ("t1", 30, "$/cancel_request", "completed", 5000.0),
        ("t1", 20, "session/cancel", "cancelled", 3.0),
        ("t1", 40, "$/cancel_request", "cancelled", 1.0),
    ],
    "Which cancels were never answered?": [("beta", "t3", 8, "session/cancel", "session/prompt")],
    "What arrived after a cancelled turn had ended?": [("alpha", "t1", 21, 2)],
    "Which other requests did a cancel end?": [("m", "agent", "cancelled", 2), ("m", "agent", "completed", 1)],
    "Which config changes were not applied?": [
        ("alpha", "t1", 13, "mode", '"plan"', None),
        ("alpha", "t1", 15, "none", '"x"', -32602),
    ],
    "What changed the model in a session?": [
        ("s", 7, "set", None, '"small"', '"big"'),
        ("s", 11, "agent", None, '"big"', '"small"'),
    ],
    "Which findings does each version of an agent have?": [
        ("alpha", "1.0", "error", "not-json", 2, 1),
        ("alpha", "2.0", "warning", "info-flood", 1, 1),
    ],
    "Which tool calls failed?": [("alpha", "execute", "make", 5.0)],
    "How long until the first output?": [("alpha", "2.0", 1, 1.0, 1.0), ("alpha", "1.0", 2, 2.0, 4.0)],
    "Which requests over HTTP went wrong?": [
        ("alpha", "t1", 2, "POST", 404, "Unknown Acp-Session-Id", 4),
        ("alpha", "t1", 3, "POST", None, "connection refused", 5),
    ],
    "How do turns end?": [
        ("alpha", "1.0", "end_turn", None, 2),
        ("alpha", "1.0", None, -32603, 1),
        ("alpha", "2.0", "cancelled", None, 1),
    ],
    "What did users allow, and how long did they take?": [
        ("alpha", "selected", "allow_once", 2, 1.5),
        ("alpha", "open", None, 1, None),
    ],
    "Which model calls were slowest?": [
        ("alpha", "t1", 1, "m-1", 2.0, 9.0, 200),
        ("alpha", "t1", 2, "m-1", None, 3.0, 429),
        ("alpha", "t1", 4, "m-1", None, 1.0, None),
    ],
    "How many tokens does each version of an agent need?": [("alpha", "1.0", 2, 3, 15.0, 2.5)],
    "Where does the time of turns go?": [("alpha", "1.0", 1, 4.0, 2.0, 0.0, 1.0)],
    "Which requests fail, and how?": [
        ("alpha", "agent", "fs/read_text_file", "error", -32002, 2),
        ("alpha", "client", "session/prompt", "open", None, 1),
    ],
}  # fmt: skip


def test_every_question_is_tested() -> None:
    """No example is added without the rows that it must give; a dozen is promised."""
    assert list(SQL) == list(EXPECTED)
    assert len(SQL) >= 12


@pytest.mark.parametrize("question", [one for one, sql in SQL.items() if "LIMIT" in sql])
def test_a_limit_cuts_an_order_without_ties(question: str) -> None:
    """Or else which rows are left would be chance, and another one in Spark."""
    order = SQL[question].rpartition("ORDER BY")[2]
    assert re.search(r", trace_id, (frame|call)\s+LIMIT", order), order


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Path:
    """That store, made once."""
    path = tmp_path_factory.mktemp("answers") / "store.duckdb"
    shutil.copyfile(empty_store, path)
    stored(path, *_store())
    return path


@pytest.mark.parametrize("question", SQL)
def test_the_answer_is_right(store: Path, question: str) -> None:
    """These rows and no others; where several have the same rank, in any order."""
    with query(store, SQL[question]) as result:
        rows = list(result.rows)
    expected = EXPECTED[question]
    assert sorted(rows, key=repr) == sorted(expected, key=repr)
    if "ORDER BY" in SQL[question]:
        assert rows[0] == expected[0]
