"""One recording, from the start of the agent to its exit code: the order of events.

The agent is started before anything else is imported or opened, because the client waits for it. Each part
has its own module; this one only connects them.
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

#: A shell's exit code for a command that it cannot start.
CANNOT_START = 127
#: The exit code of every command for a wrong usage.
_USAGE = 2
#: Address space of each thread, in bytes: the system's 8 MB are too much under a low limit (`ulimit -v`).
_STACK = 1 << 18
#: Time after which writing the lines of a capture obeys a signal to end, ns.
_FINISH_NS = 1_000_000_000
#: The method as JSON has it, which no text of a message contains; and bytes of one read of a capture.
_PROMPT, _PIECE = b'"session/prompt"', 1 << 20
_SESSION = b'"session/'
#: First messages of other protocols' clients, never sent by ACP's; and the bytes of a capture to search.
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
    """Run the agent behind the tee, then end this process as the agent ended. Does not return.

    `out`: the file to record into, or None for the spool. `load`: start a loader afterwards, in the
    background, so that nothing waits for it. `snapshot_limit`: also keep the files of the sessions'
    directories, up to this number of bytes; `snapshot_secrets`: even files that may hold secrets. `model`:
    also record the agent's traffic with its language model, with these settings
    (`acp_trace.model.proxy.settings`).
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
        with contextlib.suppress(ImportError, MemoryError, OSError):  # whichever resource ran out
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
    """Start what follows the trace. `snapshot`: the snapshot's process; it gets a moment to see the end."""
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
    """Return the model proxy and an empty text, or None and why it could not start.

    Ends this process if the proxy's packages are not installed.
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
    """Whether the client sent a prompt, judged by its bytes: without one an agent need not ask its model."""
    overlap = len(_PROMPT) - 1
    with contextlib.suppress(OSError), open(capture, "rb") as file:
        piece = b""
        while more := file.read(_PIECE):
            piece = piece[-overlap:] + more
            if _PROMPT in piece:
                return True
    return False


def _other_protocol(capture: str) -> str | None:
    """Return the name of the recorded protocol if it is not ACP, judged by the first bytes."""
    with contextlib.suppress(OSError), open(capture, "rb") as file:
        beginning = file.read(_BEGINNING)
        if _SESSION not in beginning:
            return next((name for sign, name in _OTHERS if sign in beginning), None)
    return None


def _note_no_side(sink: Sink, why: str) -> None:
    """Note in the trace that the requested model side is missing."""
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
    """Begin this recording's trace. Its imports happen now, while the agent itself starts.

    The program that takes a snapshot of the workspace is started too, and its process id returned: it reads
    the trace from then on.
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
    """Pass everything on until the agent has ended and its last bytes are through.

    Return how it ended; whether the client had left before, by closing its side or by asking the agent to
    end; and whether it asked by a signal.
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
    """Turn what `--out` named into a file of lines, if it is a file; a lost file was reported already.

    `is_hurried`: whether this process is asked to end.
    """
    what = os.fstat(fd)
    if not stat.S_ISREG(what.st_mode) or not what.st_nlink:
        return
    until = time.monotonic_ns() + _FINISH_NS
    try:
        from acp_trace.record.finish import finish

        finish(fd, path, lambda: time.monotonic_ns() < until or not is_hurried())
    except Exception as cause:  # on any error, nothing is lost, and the agent's exit code still counts
        from acp_trace.trace.os_errors import reason

        _say(f"{path} stays a capture ({reason(cause)}); `acp-trace export` turns it into lines")


def _say(what: str) -> None:
    """Report a loss, or an agent that cannot be started, on stderr, which belongs to the agent.

    Never waits: stderr may have no reader, and the traffic goes on all the same. It contains file names:
    their control characters are escaped.
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
