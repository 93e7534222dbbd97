"""Signals while a place does not answer: they end the command, and not only when it does."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from acp_trace.cli import signals, unanswered
from tests.support import ACP_TRACE, DEADLINE_S, REPOSITORY

_STORY = REPOSITORY / "sample_traces" / "opencode-story.jsonl"


@pytest.mark.parametrize(("number", "seen", "code"), [(2, False, 130), (15, False, 143), (15, True, None)])
@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
def test_what_nobody_sees_ends_the_process(
    monkeypatch: pytest.MonkeyPatch, number: int, seen: bool, code: int | None
) -> None:
    """By the exit code of that signal; what its handler has seen is the handler's. The pipe is gone then."""
    ended: list[int] = []
    looked = threading.Event()

    def is_unseen(number: int) -> bool:
        del number
        looked.set()
        return not seen

    monkeypatch.setattr(unanswered, "_NOTICES_S", 0)
    monkeypatch.setattr(signals, "is_unseen", is_unseen)
    monkeypatch.setattr(os, "_exit", ended.append)
    with unanswered.ended_by_signals():
        fd = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(fd)
        os.write(fd, bytes([number]))
        assert looked.wait(DEADLINE_S)
        watcher = threading.enumerate()[-1]
    watcher.join(DEADLINE_S)
    assert ended == ([] if code is None else [code])
    assert signal.set_wakeup_fd(-1) == -1
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(fd)


def test_what_is_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal that ends the process, before its handler ran."""
    monkeypatch.setattr(signals._state, "requested", None)
    assert signals.is_unseen(signal.SIGTERM)
    assert not signals.is_unseen(signal.SIGILL)
    monkeypatch.setattr(signals._state, "requested", signal.SIGTERM)
    assert not signals.is_unseen(signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "words", [("ls", "--at", "s3://traces/team"), ("push", "s3://traces/team", str(_STORY))]
)
def test_a_server_that_is_silent(tmp_path: Path, words: tuple[str, ...], number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM end what waits for it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        environment = {
            **os.environ,
            "ACP_TRACE_HOME": str(tmp_path / "home"),
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.getsockname()[1]}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }
        with subprocess.Popen([*ACP_TRACE, *words], env=environment, stderr=subprocess.PIPE) as process:
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                process.send_signal(number)
                _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode in (128 + number, -number)
    assert said == b""
