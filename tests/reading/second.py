"""The second reading as a whole: a trace file's bytes → the JSON report, exactly the keys of its definition.

`python -m tests.reading.second sample_traces/opencode-acpx.jsonl` prints it.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from tests.reading import cancels, config, metadata, modes, sessions
from tests.reading.findings import findings
from tests.reading.story import Exchange, Story
from tests.reading.wire import TraceFile, fields, open_file, plain, text, whole


def read(data: bytes, meta_merge: str | None = None) -> dict[str, Any]:
    """The report. `findings` are pairs of code and frame."""
    file = open_file(data)
    story = Story([one for frame in file.frames for one in (frame, *frame.items)])
    cancelled = cancels.all_cancels(story)
    told = {
        "acp_trace_report": 1,
        "trace": _trace(file, story),
        "sessions": [_session(story, name, cancelled, meta_merge) for name in story.sessions],
        "cancellations": _cancellations(story, cancelled, None),
        "exchanges": [_exchange(one) for one in story.exchanges],
        "latency": _latency(story),
        "findings": sorted(findings(story)),
    }
    report: dict[str, Any] = plain(told)
    return report


def _trace(file: TraceFile, story: Story) -> dict[str, Any]:
    greetings = [one for one in story.exchanges if one.method == "initialize" and one.sender == "client"]
    asked = greetings[-1].request.params if greetings else {}
    answers = [one.response for one in greetings if one.response and not one.response.failed]
    answered = answers[-1].result if answers else {}
    agent = fields(file.header.get("agent"))
    end = file.end
    return {
        "id": file.header.get("id"),
        "started_at": file.header.get("started_at"),
        "duration_ns": file.duration,
        "protocol_version": story.version(len(file.frames)),
        "complete": end is not None,
        "lost": {"frames": file.lost_frames, "bytes": file.lost_bytes},
        "agent": {**_info(answered, "agentInfo"), "argv": agent.get("argv", [])},
        "client": _info(asked, "clientInfo"),
        "frames": {side: sum(one.sender == side for one in file.frames) for side in ("client", "agent")},
        "bytes": {
            side: sum(one.size for one in file.frames if one.sender == side) for side in ("client", "agent")
        },
        "logs": file.logs,
        "end": None if end is None else {key: whole(end.get(key)) for key in ("exit_code", "signal")},
    }


def _info(said: dict[str, Any], key: str) -> dict[str, Any]:
    info = fields(said.get(key)) or fields(said.get("info"))
    return {one: text(info.get(one)) for one in ("name", "title", "version")}


def _session(story: Story, name: str, cancelled: list[cancels.Cancel], rule: str | None) -> dict[str, Any]:
    legacy, mode = modes.timeline(story, name)
    entries = [*config.timeline(story, name), *legacy]
    return {
        **sessions.session(story, name),
        "metadata": metadata.timeline(story, name, rule),
        "config": {
            "timeline": sorted(entries, key=lambda one: (one["frame"], one["legacy"])),
            "final": config.final(story, name),
            "mode": mode,
        },
        "cancellations": _cancellations(story, cancelled, name),
    }


def _cancellations(
    story: Story, cancelled: list[cancels.Cancel], session: str | None
) -> list[dict[str, Any]]:
    return [cancels.document(story, one) for one in cancelled if cancels.session_of(story, one) == session]


def _exchange(exchange: Exchange) -> dict[str, Any]:
    request, response = exchange.request, exchange.response
    return {
        "frame": request.number,
        "response_frame": response.number if response else None,
        "sender": request.sender,
        "method": request.method,
        "id": request.id,
        "session_id": exchange.session,
        "latency_ns": response.t - request.t if response else None,
        "outcome": "open" if response is None else "error" if response.failed else "result",
        "error_code": response.error_code if response else None,
    }


def _latency(story: Story) -> list[dict[str, Any]]:
    rows = []
    for sender, method in dict.fromkeys((one.sender, one.method) for one in story.exchanges):
        mine = [one for one in story.exchanges if (one.sender, one.method) == (sender, method)]
        times = sorted(one.response.t - one.request.t for one in mine if one.response)
        rows.append(
            {
                "sender": sender,
                "method": method,
                "count": len(mine),
                "answered": len(times),
                "open": len(mine) - len(times),
                "errors": sum(one.response.failed for one in mine if one.response),
                "min_ns": times[0] if times else None,
                "p50_ns": _nearest_rank(times, 50),
                "p95_ns": _nearest_rank(times, 95),
                "max_ns": times[-1] if times else None,
            }
        )
    return rows


def _nearest_rank(times: list[int], percent: int) -> int | None:
    return times[math.ceil(len(times) * percent / 100) - 1] if times else None


if __name__ == "__main__":
    print(json.dumps(read(Path(sys.argv[1]).read_bytes(), *sys.argv[2:]), indent=1, ensure_ascii=False))
