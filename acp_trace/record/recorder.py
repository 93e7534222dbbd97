"""One recording, from the start of the agent to its exit code: the order in which things happen.

The agent is started before anything else is imported or opened, because the client waits for it.
What each part does stands in its own module; this one only connects them.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace import __version__
from acp_trace.record import agents

if TYPE_CHECKING:
    from acp_trace.record.sink import Sink

#: What a shell answers for a command that it cannot start.
CANNOT_START = 127


def record(argv: Sequence[str], *, out: Path | None, labels: Mapping[str, str], load: bool) -> None:
    """Runs the agent behind the tee, then ends this process as the agent ended. Does not return.

    `out`: the file to record into, or None for the spool. `load`: start a loader afterwards, in the
    background, so that nobody waits for it.
    """
    started = time.monotonic_ns()
    error: OSError | None = None
    try:
        agent = agents.start(argv)
    except OSError as cause:
        error = cause
    except ValueError as cause:  # an empty name, or a NUL in an argument
        error = OSError(22, str(cause), argv[0])

    # Only now, while the agent starts up itself.
    from functools import partial

    from acp_trace.record import place
    from acp_trace.record.sink import Sink
    from acp_trace.trace.spool import new_id

    trace_id = new_id()
    where = partial(place.in_spool, trace_id) if out is None else partial(place.in_file, out, trace_id)
    sink = Sink(where, _header(trace_id, argv, labels, started), started=started, say=_say)
    if error is not None:
        why = f"{error.strerror or error}: {argv[0]}"
        _say(f"cannot start the agent ({why})")
        sink.end(CANNOT_START, None, why)
        agents.leave(CANNOT_START)
        return
    status = _tee(agent, sink)
    sink.end(None if status < 0 else status, -status if status < 0 else None)
    if load and out is None:
        from acp_trace.record.afterwards import start_loader

        start_loader()
    agents.leave(status)


def _tee(agent: agents.Agent, sink: Sink) -> int:
    """Pumps until the agent is gone and its last bytes are through; returns how it ended."""
    from acp_trace.record.drain import Drain
    from acp_trace.record.pump import Pump, frames_of, logs_of

    records = frames_of(b"client", sink), frames_of(b"agent", sink), logs_of(sink)
    inwards = Pump(0, agent.stdin, records[0])
    outwards = Pump(agent.stdout, 1, records[1])
    errors = Pump(agent.stderr, 2, records[2])
    for pump in (inwards, outwards, errors):
        pump.start()
    status = 0
    leave = threading.Event()

    def wait_for_the_end() -> None:
        nonlocal status
        status = agent.wait()
        now = time.monotonic_ns()
        waits = [(pump, Drain(now, pump.counts[1])) for pump in (outwards, errors)]
        for pump, drain in waits:
            while not pump.done.wait(0.05) and not leave.is_set():
                (progress, moved), reading = pump.counts, pump.reading  # in this order: see drain
                if drain.over(
                    time.monotonic_ns(),
                    reading=reading,
                    progress=progress,
                    moved=moved,
                    hurried=agent.signalled,
                ):
                    break

    agent.attend(wait_for_the_end, leave.set)
    for record_rest in records:  # of pumps that still wait for a client or a grandchild
        record_rest(b"")
    return status


def _header(trace_id: str, argv: Sequence[str], labels: Mapping[str, str], started: int) -> bytes:
    from acp_trace.trace import encode

    since = time.monotonic_ns() - started
    seconds, ns = divmod(time.time_ns() - since, 1_000_000_000)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    try:
        cwd = os.getcwd()
    except OSError:  # the folder was deleted; the agent starts there all the same
        cwd = ""
    keys = {
        "acp_trace": encode.FORMAT,
        "id": trace_id,
        "started_at": f"{stamp}.{ns // 1000:06d}Z",
        "transport": "stdio",
        "agent": {"argv": list(argv), "cwd": cwd},
        "recorder": {"name": "acp-trace", "version": __version__},
        "platform": {"system": sys.platform, "python": sys.version.split()[0]},
    }
    if labels:
        keys["labels"] = dict(labels)
    return encode.entry(**keys)


def _say(what: str) -> None:
    """The one way to stderr, which belongs to the agent: only for a loss, or an agent that is not there."""
    try:
        os.write(2, f"acp-trace: {what}\n".encode("utf-8", "replace"))
    except OSError:
        pass
