"""Real recordings are equal to themselves, and to themselves under other ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_trace.compare.codes import MATCHES, Match
from tests.compare.conversation import compared
from tests.support import TRACES, line

_IDS = {"sessionId", "toolCallId", "terminalId", "messageId", "optionId", "elicitationId"}
#: A session that no agent knows: they quote it when they say so.
_QUOTED = b"ession not found: ", b"Unknown sessionId: "
#: Under these stands what an agent says in its own words: an id in there is text.
_DATA = {"rawInput", "rawOutput", "_meta", "data"}


def _renamed(value: Any) -> Any:
    """A message with every id replaced, by the names of members and without our tables."""
    if isinstance(value, list):
        return [_renamed(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = {key: inner if key in _DATA else _renamed(inner) for key, inner in value.items()}
    return {key: f"new-{inner}" if key in _IDS else inner for key, inner in made.items()}


def _frame(message: Any) -> Any:
    made = _renamed(message)
    if isinstance(made, dict) and "jsonrpc" in made:
        params = made.get("params")
        if made.get("method") == "$/cancel_request" and isinstance(params, dict) and "requestId" in params:
            params["requestId"] = f"new {json.dumps(params['requestId'])}"
        if made.get("id") is not None:
            made["id"] = f"new {json.dumps(made['id'])}"
    return made


def _with_other_ids(file: bytes) -> bytes:
    entries = [json.loads(one) for one in file.split(b"\n") if one]
    return b"".join(
        line(**(one | {"frame": _frame(one["frame"])} if "frame" in one else one)) for one in entries
    )


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_recording_is_its_own(path: Path, match: Match) -> None:
    """Everything that the level looks at has its counterpart."""
    file = path.read_bytes()
    found = compared(file, file, match)
    assert found.equal, [one.message for one in found.failing]
    assert 0 < found.counts.compared <= found.counts.recorded
    assert found.counts.unmatched == 0
    if match != "outcome":
        assert found.counts.compared == found.counts.recorded


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_other_ids_are_no_difference(path: Path, match: Match) -> None:
    """Those of JSON-RPC, sessions, tool calls, terminals, messages and options."""
    file = path.read_bytes()
    renamed = _with_other_ids(file)
    for begin in _QUOTED if match == "content" else ():
        renamed = renamed.replace(begin + b"no-such", begin + b"new-no-such")
    found = compared(file, renamed, match)
    assert found.equal, [(one.message, one.pointer) for one in found.failing]
    assert found.counts.unmatched == 0


def test_there_are_ids() -> None:
    """A way to rename that finds nothing would pass everything."""
    file = b"".join(_with_other_ids(path.read_bytes()) for path in TRACES if path.stem == "opencode-story")
    for key in ("id", "sessionId", "toolCallId", "messageId", "optionId"):
        assert b'"%b":"new' % key.encode() in file
