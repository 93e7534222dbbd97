"""An agent that plays the agent's side of a trace to a client that does what was recorded, in that order.

`acp-trace mock` is for any client, and takes half a second to start. Run as a script, without the package:
`python -I -S playback.py TRACE`.
"""

from __future__ import annotations

import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(path: str) -> None:
    """Says what was recorded as soon as the client has said as much as it had then; stays until it leaves."""
    with open(path, "rb") as file:
        frames = [entry for line in file if "frame" in (entry := _entry(line))]
    ids: dict[str, Any] = {}
    root = "/w"
    for entry in frames:
        message = entry["frame"]
        if entry["from"] == "client":
            if not (line := sys.stdin.buffer.readline()):
                return
            said = json.loads(line)
            if "method" in message and "id" in message:
                ids[json.dumps(message["id"])] = said.get("id")
            root = said.get("params", {}).get("cwd", root)
            continue
        if "method" not in message:
            message["id"] = ids.get(json.dumps(message["id"]), message["id"])
        text = json.dumps(message).replace('"/w"', f'"{root}"').replace('"/w/', f'"{root}/')
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    while sys.stdin.buffer.readline():
        pass


def _entry(line: bytes) -> dict[str, Any]:
    try:
        entry: dict[str, Any] = json.loads(line)
    except ValueError:  # where the trace is torn
        return {}
    return entry


if __name__ == "__main__":
    main(sys.argv[1])
