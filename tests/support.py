"""What many tests need: traces made by hand, the recorder as a process, a home of their own.

No test waits by the clock: whatever is waited for is a line, an end of file, a process or a condition,
each with a deadline that only a fault reaches.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts
from acp_trace.analyze.frame import Frame
from acp_trace.system.files import NONBLOCK
from acp_trace.system.processes import KILL
from acp_trace.trace.files import open_trace
from acp_trace.trace.names import CAPTURE, LINES
from acp_trace.trace.parse import Parser

PYTHON = [sys.executable, "-EP"]
ACP_TRACE = [*PYTHON, "-m", "acp_trace"]
#: The same, for commands that would start a loader behind themselves: it takes half a second of a processor.
_WITHOUT_LOADER = """
from acp_trace.record import afterwards
afterwards.start_loader = lambda: None
from acp_trace.cli import main
main()
"""
WITHOUT_LOADER = [*PYTHON, "-c", _WITHOUT_LOADER]
#: The exit codes of what `os.kill(…, KILL)` and of what `Popen.kill` has ended.
KILLED, KILLED_BY_POPEN = (KILL, 1) if os.name == "nt" else (-KILL, -KILL)
#: Longer than anything takes on a slow machine: reached only when something hangs.
DEADLINE_S = 30

REPOSITORY = Path(__file__).parent.parent
#: The recordings of the repository.
SAMPLES = sorted((REPOSITORY / "sample_traces").glob("*.jsonl"))
#: Those, and those beside the repository where they are.
TRACES = SAMPLES + sorted((REPOSITORY.parent / "shared" / "traces").glob("*.jsonl"))

HEADER: dict[str, Any] = {
    "acp_trace": 1,
    "id": "20261120T130501Z-7f3a9c",
    "started_at": "2026-11-20T13:05:01.123456Z",
    "transport": "stdio",
    "agent": {"argv": ["opencode", "acp"], "cwd": "/w"},
    "recorder": {"name": "acp-trace", "version": "0.1.0"},
}
END: dict[str, Any] = {"exit_code": 0, "signal": None, "frames": {"client": 0, "agent": 0}}


def line(**keys: Any) -> bytes:
    """One line of a trace file, compact."""
    return json.dumps(keys, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def header(**changes: Any) -> bytes:
    """A header line, with some keys changed."""
    return line(**{**HEADER, **changes})


def trace(*frames: tuple[str, Any], end: bool = True, step: int = 1000, **changes: Any) -> bytes:
    """A trace file: header, frames of (sender, message) every `step` ns, footer."""
    lines = [header(**changes)]
    for number, (sender, message) in enumerate(frames, 1):
        lines.append(line(t=number * step, **{"from": sender}, frame=message))
    if end:
        lines.append(line(t=(len(frames) + 1) * step, end=END))
    return b"".join(lines)


#: The name of a side, which version 2 requires.
INFO = {"name": "peer", "version": "1"}
#: What a request must have, and no test is about; the parameters of a test come first.
_REQUIRED: dict[str, dict[str, Any]] = {
    "session/new": {"cwd": "/w", "mcpServers": []},
    "session/load": {"cwd": "/w", "mcpServers": []},
    "session/resume": {"cwd": "/w"},
    "session/fork": {"cwd": "/w"},
    "session/prompt": {"prompt": []},
    "fs/read_text_file": {"path": "/w/a"},
    "fs/write_text_file": {"path": "/w/a", "content": ""},
    "terminal/create": {"command": "ls"},
}


def request(number: Any, method: str, **params: Any) -> dict[str, Any]:
    """A request, with what its method requires."""
    missing = {k: v for k, v in _REQUIRED.get(method, {}).items() if k not in params}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params | missing}


def result(number: Any, **fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": fields}


def error(number: Any, code: int, message: str = "") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def update(session: str, kind: str, /, **fields: Any) -> dict[str, Any]:
    params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def cancelled_by_request() -> list[tuple[str, Any]]:
    """A prompt that goes on for two updates after $/cancel_request, and ends as if nothing had been said."""
    chunk = update("s", "agent_message_chunk", content={"type": "text", "text": "on"})
    return [
        ("client", request(0, "initialize", protocolVersion=1)),
        ("agent", result(0, protocolVersion=1)),
        ("client", request(1, "session/new", cwd="/w")),
        ("agent", result(1, sessionId="s")),
        ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
        ("client", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 2}}),
        ("agent", chunk),
        ("agent", chunk),
        ("agent", result(2, stopReason="end_turn")),
    ]


def analyzed(file: bytes) -> tuple[Facts, list[Frame]]:
    """Facts and frames of a trace file's bytes."""
    parser, analyzer = Parser(), Analyzer()
    entries = parser.feed(file)
    last, analyzer.totals.torn_bytes = parser.finish()
    found = [analyzer.feed(entry) for entry in (*entries, *([last] if last else []))]
    return analyzer.facts(), [frame for frame in found if frame is not None]


def facts_of(*frames: tuple[str, Any]) -> Facts:
    """Facts of a few frames."""
    return analyzed(trace(*frames))[0]


#: Fills the directory and the home of a test: the fixture `filled`.
Fill = Callable[[Callable[[], object]], None]


class Home:
    """An `ACP_TRACE_HOME` of a test's own, and the commands run in it. They are not in CI, wherever the tests are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.spool = path / "spool"
        self.store = path / "store.duckdb"
        self.environment = {
            **os.environ,
            "ACP_TRACE_HOME": str(path),
            "COLUMNS": "100",
            "TZ": "UTC",
            "CI": "",
        }

    def run(self, *args: str, code: int = 0, stdin: bytes = b"", **environment: str) -> str:
        """Runs a command to its end; its standard output. Fails for another exit code than `code`."""
        done = self.outcome(*args, stdin=stdin, **environment)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        return done.stdout.decode()

    def outcome(
        self, *args: str, stdin: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a command to its end; everything it said."""
        return subprocess.run(
            [*ACP_TRACE, *args],
            input=stdin,
            capture_output=True,
            env={**self.environment, **environment},
            timeout=DEADLINE_S * 4,
            check=False,
        )

    def json(self, *args: str, code: int = 0) -> Any:
        """What a command says with `--json`."""
        return json.loads(self.run(*args, "--json", code=code))

    def start(self, agent: Iterable[str], *options: str, **more: Any) -> Recording:
        """Starts a recorder with its agent; a client writes to and reads from its pipes."""
        argv = [*ACP_TRACE, "record", "--no-load", *options, "--", *agent]
        return Recording(argv, self.environment | more.pop("env", {}), **more)

    def spooled(self) -> list[Path]:
        """The trace files in the spool."""
        if not self.spool.is_dir():
            return []
        return sorted(path for path in self.spool.iterdir() if path.suffix in (CAPTURE, LINES))


class Recording:
    """A running recorder, seen from the client's side of its pipes."""

    def __init__(self, argv: list[str], env: dict[str, str], **more: Any) -> None:
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            **more,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin, self.stdout, self.stderr = (
            self.process.stdin,
            self.process.stdout,
            self.process.stderr,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        for pipe in (self.stdin, self.stdout, self.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        self.process.wait(DEADLINE_S)

    def say(self, data: bytes) -> None:
        """Writes as the client."""
        self.stdin.write(data)
        self.stdin.flush()

    def hear(self) -> bytes:
        """The agent's next line."""
        line: bytes = self.stdout.readline()
        return line

    def finish(self, data: bytes = b"") -> tuple[bytes, bytes, int]:
        """Writes, hangs up, reads to the end: standard output, standard error, exit code."""
        out, err = self.process.communicate(data, timeout=DEADLINE_S)
        return out, err, self.process.returncode


def agent(code: str) -> list[str]:
    """An agent that is a few lines of Python, unbuffered. `say` writes a line, `lines` are the client's."""
    start = (
        "import os, signal, subprocess, sys, threading, time\n"
        "lines = iter(sys.stdin.buffer.readline, b'')\n"
        "def say(data):\n"
        "    data = data if isinstance(data, bytes) else data.encode()\n"
        "    while data: data = data[os.write(1, data):]\n"
    )
    return [*PYTHON, "-c", start + code]


def until(condition: Callable[[], Any], what: str, longest_s: float = DEADLINE_S) -> Any:
    """Waits for a condition of another process that nothing announces. Fails at the deadline."""
    deadline = time.monotonic() + longest_s
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.005)
    return found


def stores_below(directory: Path) -> list[Path]:
    """The stores below a directory. Directories that go meanwhile are passed over, where `glob` raises."""
    return [Path(where, "store.duckdb") for where, _, names in os.walk(directory) if "store.duckdb" in names]


def full(process: subprocess.Popen[bytes]) -> bool:
    """Whether the pipe that a process has as its standard output takes no more."""
    fd = os.open(f"/proc/{process.pid}/fd/1", os.O_WRONLY | NONBLOCK)
    try:
        return not select.select([], [fd], [], 0)[1]
    finally:
        os.close(fd)


def frames_in(path: Path) -> list[dict[str, Any]]:
    """The entries of a trace that are frames, parsed without our own parser."""
    return [entry for entry in entries_in(path) if "from" in entry]


def entries_in(path: Path) -> list[dict[str, Any]]:
    """All entries of a trace, parsed without our own parser."""
    return [json.loads(one) for one in lines_of(path).split(b"\n")[:-1]]


def lines_of(path: Path) -> bytes:
    """A trace file's bytes; of a capture, the lines that it becomes."""
    with open_trace(path)[1] as lines:
        return lines.read()
