"""One recording, from the start of the agent to its exit code: the order in which things happen.

The agent is started before anything else is imported or opened, because the client waits for it.
What each part does stands in its own module; this one only connects them.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from acp_trace.record import agents

TYPE_CHECKING = False  # `typing` itself takes a twentieth of the start
if TYPE_CHECKING:
    from typing import Any

    from acp_trace.record.model_side import ModelSide
    from acp_trace.record.sink import Sink

#: What a shell answers for a command that it cannot start.
CANNOT_START = 127
#: What every command answers that is asked for what it cannot do.
_USAGE = 2
#: Of each thread, in bytes of address space: the system's 8 MB are too much where little is allowed
#: (`ulimit -v`).
_STACK = 1 << 18
#: So long may making lines of a capture take before a signal to end is heeded.
_FINISH_NS = 1_000_000_000
#: As JSON has the method, and no text of a message; of a capture, so much is read at once.
_PROMPT, _PIECE = b'"session/prompt"', 1 << 20
_SESSION = b'"session/'
#: What the clients of other protocols send first, and no client of ACP; so much of a capture is searched.
_OTHERS, _BEGINNING = ((b'"notifications/initialized"', "MCP"), (b"Content-Length: ", "LSP")), 1 << 16


def record(
    argv: Sequence[str],
    *,
    out: str | None,
    labels: Mapping[str, str],
    load: bool,
    snapshot_limit: int | None = None,
    snapshot_secrets: bool = False,
    model: Mapping[str, object] | None = None,
) -> None:
    """Runs the agent behind the tee, then ends this process as the agent ended. Does not return.

    `out`: the file to record into, or None for the spool. `load`: start a loader afterwards, in the
    background, so that nobody waits for it. `snapshot_limit`: also keep the files of the sessions'
    directories, so many bytes of them; `snapshot_secrets`: also those that may hold secrets. `model`: also
    record the agent's traffic with its language model, as this says (`acp_trace.model.proxy.settings`).
    """
    started = time.monotonic_ns()
    side, no_side = (None, "") if model is None else _model_side({**model, "started": started})
    try:
        agent = agents.start(argv)
    except (OSError, ValueError) as cause:  # ValueError: an empty name, or a NUL in an argument
        why = f"{(isinstance(cause, OSError) and cause.strerror) or cause}: {argv[0]}"
        _say(f"cannot start the agent ({why})")
        if side is not None:
            side.end()
        with contextlib.suppress(ImportError, MemoryError, OSError):  # of whatever there was too little
            then = None if out is None else partial(finish_out, lambda: False)
            _sink(argv, out, labels, started)[0].end(CANNOT_START, None, why, then)
        agents.leave(CANNOT_START)
        return
    if os.isatty(0):
        from acp_trace.record.terminal import hint

        _put(hint(sys.argv[1:]).encode("utf-8", "replace"))
    sink: Sink | None = None
    snapshot: int | None = None
    failure: str | None = None
    client_left = signalled = False
    try:
        sink, snapshot = _sink(
            argv,
            out,
            labels,
            started,
            snapshot_limit,
            snapshot_secrets=snapshot_secrets,
            model=side is not None,
        )
        if side is not None:
            side.attach(sink, _say)
        elif no_side:
            _note_no_side(sink, no_side)
        status, client_left, signalled = _tee(agent, sink)
    except (RuntimeError, MemoryError, ImportError) as cause:  # no thread can be started, no code loaded
        failure = f"the recorder cannot continue: {str(cause) or 'out of memory'}"
        _say(f"{failure}; the agent is ended")
        status = agent.end()
    if side is not None:
        side.end()
        if side.unseen and sink is not None and sink.path is not None and _is_prompted(sink.path):
            _say(f"{side.unseen} (docs/model.md)")
    if sink is not None and sink.path is not None and (other := _other_protocol(sink.path)):
        _say(f"this is {other}, not ACP: acp-trace applies only the rules of JSON-RPC")
    if sink is not None:
        then = None if out is None else partial(finish_out, lambda: agent.left or agents.asked_to_end())
        code, signal = (None, -status) if status < 0 else (status, None)
        sink.end(code, signal, failure, then, client_left=client_left, signalled=signalled)
    _beside(out, started, load, snapshot, lambda: agent.left or agents.asked_to_end())
    agents.leave(status)


def _beside(
    out: str | None, started: int, load: bool, snapshot: int | None, is_hurried: Callable[[], bool]
) -> None:
    """What comes after the trace. `snapshot`: the process that takes one; it gets a moment to see the end."""
    with contextlib.suppress(ImportError, MemoryError, OSError):  # nothing depends on it
        if snapshot is not None:
            from acp_trace.record.afterwards import await_snapshot

            await_snapshot(snapshot, is_hurried)
        if out is not None:
            from acp_trace.record.afterwards import note_out

            note_out(os.path.join(os.getcwd(), out), started)
        elif load:
            from acp_trace.record.afterwards import start_loader

            start_loader()


def _model_side(words: Mapping[str, object]) -> tuple[ModelSide | None, str]:
    """The proxy to the agent's language model, and its part in the agent's environment; or why there is none.

    Ends this process if it is asked for what is not installed.
    """
    from acp_trace.record.model_side import Lacking, ModelSide

    try:
        side = ModelSide(words)
    except Lacking as lacking:
        _say(str(lacking))
        agents.leave(_USAGE)
        raise
    except OSError as cause:
        from acp_trace.trace.os_errors import reason

        _say(f"the model's side is not recorded ({reason(cause)})")
        return None, reason(cause)
    for warning in side.warnings:
        _say(warning)
    os.environ.update(side.environment)
    return side, ""


def _is_prompted(capture: str) -> bool:
    """Whether the client sent a prompt, as far as its bytes say it: else an agent need not ask its model."""
    overlap = len(_PROMPT) - 1
    with contextlib.suppress(OSError), open(capture, "rb") as file:
        piece = b""
        while more := file.read(_PIECE):
            piece = piece[-overlap:] + more
            if _PROMPT in piece:
                return True
    return False


def _other_protocol(capture: str) -> str | None:
    """Whose protocol was recorded if it is not ACP, as far as the first bytes say it."""
    with contextlib.suppress(OSError), open(capture, "rb") as file:
        beginning = file.read(_BEGINNING)
        if _SESSION not in beginning:
            return next((name for sign, name in _OTHERS if sign in beginning), None)
    return None


def _note_no_side(sink: Sink, why: str) -> None:
    """The trace says that it lacks what was asked for."""
    from acp_trace.trace.capture_layout import MODEL_HEAD
    from acp_trace.trace.document import document

    sink.write_beside(MODEL_HEAD, 0, None, document({"proxy": {"failed": why}}))


def _sink(
    argv: Sequence[str],
    out: str | None,
    labels: Mapping[str, str],
    started: int,
    snapshot_limit: int | None = None,
    snapshot_secrets: bool = False,
    model: bool = False,
) -> tuple[Sink, int | None]:
    """The trace of this recording, begun. What it needs is imported now, while the agent starts up itself.

    What takes a snapshot of the workspace is started, too, and its process id returned: it reads the trace
    from then on.
    """
    from acp_trace.record import place
    from acp_trace.record.header import header
    from acp_trace.record.sink import Sink
    from acp_trace.trace.names import new_id

    trace_id = new_id()
    where = partial(place.in_spool, trace_id) if out is None else partial(place.in_file, out, trace_id)
    named: dict[str, Any] = {"labels": dict(labels)} if labels else {}
    if snapshot_limit is not None:
        named["workspace_snapshot"] = trace_id
    if model:
        named["model"] = True
    sink = Sink(where, header(trace_id, argv, started, **named), started=started, say=_say)
    if snapshot_limit is not None and sink.path is not None:
        from acp_trace.record.afterwards import start_snapshot

        in_spool, secrets = out is None, snapshot_secrets
        return sink, start_snapshot(sink.path, trace_id, snapshot_limit, secrets=secrets, in_spool=in_spool)
    return sink, None


def _tee(agent: agents.AgentProcess, sink: Sink) -> tuple[int, bool, bool]:
    """Passes everything on until the agent is gone and its last bytes are through.

    How it ended, whether the client had left before: it closed its side, or asked the agent to end; and
    whether that was by a signal.
    """
    from acp_trace.record.tee import Ends, Tee

    threading.stack_size(_STACK)
    tee = Tee(sink, client=Ends(0, 1, 2), agent=Ends(agent.stdin, agent.stdout, agent.stderr))
    status, client_left, signalled = 0, False, False
    leave = threading.Event()

    def wait_for_the_end() -> None:
        nonlocal status, client_left, signalled
        status = agent.wait()
        signalled = agent.signalled
        client_left = tee.client_left or signalled
        tee.drain(leave.is_set, lambda: agent.signalled)

    agent.attend(wait_for_the_end, leave.set)
    return status, client_left, signalled


def finish_out(is_hurried: Callable[[], bool], fd: int, path: str) -> None:
    """Makes a file of lines of what `--out` named, if it is a file; what is gone was told already.

    `is_hurried`: whether somebody asks this process to end.
    """
    what = os.fstat(fd)
    if not stat.S_ISREG(what.st_mode) or not what.st_nlink:
        return
    until = time.monotonic_ns() + _FINISH_NS
    try:
        from acp_trace.record.finish import finish

        finish(fd, path, lambda: time.monotonic_ns() < until or not is_hurried())
    except Exception as cause:  # whatever it is: nothing is lost, and the agent's exit code is to be told
        from acp_trace.trace.os_errors import reason

        _say(f"{path} stays a capture ({reason(cause)}); `acp-trace export` turns it into lines")


def _say(what: str) -> None:
    """How a loss, or an agent that is not there, is told on stderr, which belongs to the agent.

    Never waits: nobody may read there, and the traffic goes on all the same.
    Names of files are in it: what of them a terminal would obey is written as an escape.
    """
    shown = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in what)
    text = f"acp-trace: {shown}\n".encode("utf-8", "replace")
    if _takes_more(2):
        _put(text)
        return
    with contextlib.suppress(RuntimeError):  # no thread can be started
        threading.Thread(target=_put, args=(text,), daemon=True).start()


def _takes_more(fd: int) -> bool:
    """Whether a line can be written without waiting for a client that does not read its agent's stderr."""
    import select

    try:
        return sys.platform == "win32" or bool(select.select([], [fd], [], 0)[1])
    except OSError:  # it is closed
        return True


def _put(text: bytes) -> None:
    with contextlib.suppress(OSError):
        os.write(2, text)
