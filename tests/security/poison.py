"""A trace of which every string is hostile: it colours, moves the cursor, commands GitHub, marks up."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any

from tests.support import REPOSITORY, line

#: One of each kind of thing that somebody would want to get through.
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\r\n::error::stolen\n##[group]x[red]x[/red]<b>&amp;]]>\x7f\x00\u2028\u200f"
#: What no terminal may be given. A newline may: lines are ours.
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
#: A line in which a runner of GitHub finds a command that is not one of ours.
COMMAND = re.compile(r"^\s*::(?!(?:error|warning|notice) (?:file=|title=))|##\[", re.MULTILINE)

#: Words without which nothing is recognised, so that nothing would be printed; under these keys they stand.
_WORDS = {
    "jsonrpc", "method", "from", "t", "sessionUpdate", "type", "started_at", "acp_trace", "protocolVersion",
    "stopReason", "status", "kind", "outcome", "category",
}  # fmt: skip


def poisoned(name: str = "opencode-story", *, every: bool = False) -> bytes:
    """A sample trace with the poison behind every string and every key of free data.

    `every`: also behind the protocol's own words, but for methods and kinds of updates.
    """
    keep = _WORDS - ({"stopReason", "status", "kind", "category"} if every else set())
    path = REPOSITORY / "sample_traces" / f"{name}.jsonl"
    lines = [json.loads(one) for one in path.read_bytes().splitlines()]
    made = [_with(one, keep) for one in lines[:-1]]
    more = [
        {"t": 1, "log": EVIL},
        {"t": 1, "from": "agent", "text": EVIL},
        {"t": 1, "from": "agent", "base64": "G10wO293bmVkB//+"},
        {"t": 1, "gap": {"frames": 1, "bytes": 9, "reason": EVIL}},
        {"t": 1, "from": "agent", "frame": {"jsonrpc": "2.0", "method": EVIL, "params": {EVIL: EVIL}}},
        {"t": 1, "from": "agent", "frame": {"jsonrpc": "2.0", "id": EVIL, "method": "fs/read_text_file"}},
        {
            "t": 1,
            "from": "agent",
            "frame": {"jsonrpc": "2.0", "id": EVIL, "error": {"code": 1, "message": EVIL}},
        },
    ]
    end = {"t": 10**10, "end": {"exit_code": 1, "signal": None, "error": EVIL}}
    return b"".join(line(**one) for one in (*made, *more, end))


def _with(value: Any, keep: set[str], key: str = "") -> Any:
    if isinstance(value, dict):
        inside = key in ("_meta", "labels", "rawInput", "rawOutput")
        return {f"{name}{EVIL}" if inside else name: _with(one, keep, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_with(one, keep, key) for one in value]
    return f"{value}{EVIL}" if isinstance(value, str) and key not in keep else value


def harmless(text: str) -> None:
    """Fails where a terminal would obey something in it."""
    found = HARMFUL.search(text)
    assert found is None, ascii(text[max(found.start() - 120, 0) : found.end() + 60])


#: An agent that says hostile things itself, and ends badly.
AGENT = f"""
import json, sys
evil = {EVIL!r}
def say(**message): print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)
sys.stderr.write(evil)
print(evil, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    method, number = asked.get("method"), asked.get("id")
    if method == "initialize":
        say(id=number, result={{"protocolVersion": 1, "agentInfo": {{"name": evil, "version": evil}}}})
    elif method == "session/new":
        say(id=number, result={{"sessionId": evil, "_meta": {{evil: evil}}}})
        say(id=evil, method="fs/read_text_file", params={{"sessionId": evil, "path": evil}})
        say(id=2, method=evil, params={{"sessionId": evil}})
    elif number is not None:
        say(id=number, error={{"code": 1, "message": evil}})
"""


def agent() -> list[str]:
    """Its command."""
    return [sys.executable, "-IS", "-c", AGENT]


Check = Callable[[str], None]
