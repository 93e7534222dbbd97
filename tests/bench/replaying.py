"""What a replay costs: steps a second and memory, beside a driver that only writes a line and reads one.

Also with what other systems have in place of `poll`, each beside it.

The agent is the same for both, and does nothing but answer, so that what is measured is the driver. The
replay also records, rewrites ids, compares and prints; the other does nothing of that.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from tests.bench.timing import Row, command, compared, cost, rounds
from tests.support import header, line, request, result

_STEPS = 10_000
_AGENT = """
import json, sys
out = sys.stdout
for line in sys.stdin:
    asked = json.loads(line)
    method = asked["method"]
    if method == "initialize":
        found = {"protocolVersion": 1, "agentCapabilities": {}}
    elif method == "session/new":
        found = {"sessionId": "live"}
    else:
        found = {}
    out.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": found}) + "\\n")
    out.flush()
"""
#: What other systems have in place of `poll` (docs/systems.md).
_OTHERS = {
    "a thread for each pipe": {"ACP_TRACE_LOOP": "threads"},
    "all that is portable": {"ACP_TRACE_SYSTEM": "portable"},
}
_BARE = """
import json, subprocess, sys
agent = subprocess.Popen([sys.executable, "-I", "-S", sys.argv[2]], stdin=-1, stdout=-1)
with open(sys.argv[1], "rb") as stream:
    for text in stream:
        entry = json.loads(text)
        if entry.get("from") == "client":
            agent.stdin.write(json.dumps(entry["frame"]).encode() + b"\\n")
            agent.stdin.flush()
            agent.stdout.readline()
agent.stdin.close()
agent.wait()
"""


def replay(folder: Path, *, quick: bool) -> list[Row]:
    """A replay of many short steps beside a bare driver, and its memory."""
    steps = _STEPS // 10 if quick else _STEPS
    trace, agent, bare = folder / "steps.jsonl", folder / "answers.py", folder / "bare.py"
    trace.write_bytes(_recording(steps))
    agent.write_text(_AGENT)
    bare.write_text(_BARE)
    python = [sys.executable, "-I", "-S", str(agent)]
    ways = {
        "ours": partial(cost, [command(), "replay", str(trace), "--", *python], 0),
        "bare": partial(cost, [sys.executable, "-I", str(bare), str(trace), str(agent)], 0),
    }
    for name, variable in _OTHERS.items():
        environment = {**os.environ, **variable}
        ways[name] = partial(
            cost, [command(), "replay", str(trace), "--", *python], 0, environment=environment
        )
    found = rounds(2 if quick else 4, ways)
    what = f"replay of {steps:,} steps, with recording and comparison"
    pairs = [(one["ours"].seconds, one["bare"].seconds) for one in found]
    rates = [steps / one["ours"].seconds for one in found]
    return [
        compared(what, "s", pairs, "bare pipe driver"),
        *(
            compared(
                f"the same, {name}",
                "s",
                [(one[name].seconds, one["ours"].seconds) for one in found],
                "with poll",
            )
            for name in _OTHERS
        ),
        Row("steps replayed a second, start included", "", max(rates)),
        Row("memory of that", "MB", max(one["ours"].megabytes for one in found)),
    ]


def _recording(steps: int) -> bytes:
    said = [
        ("client", request(0, "initialize", protocolVersion=1)),
        ("agent", result(0, protocolVersion=1, agentCapabilities={})),
        ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(1, sessionId="recorded")),
    ]
    for number in range(2, steps):
        mode = ("ask", "code")[number % 2]
        said.append(("client", request(number, "session/set_mode", sessionId="recorded", modeId=mode)))
        said.append(("agent", result(number)))
    lines = [line(t=at * 1000, **{"from": sender}, frame=frame) for at, (sender, frame) in enumerate(said)]
    end = {"exit_code": 0, "signal": None, "frames": {"client": steps, "agent": steps}}
    return b"".join([header(), *lines, line(t=len(said) * 1000, end=end)])
