"""A server, the proxy and a client at work, each a process, and what the peers note."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.faults.network.judging import Sides, session_of
from tests.faults.stage import DEADLINE_S, Stage, must
from tests.support import ACP_TRACE, until

_HERE = Path(__file__).parent
_APART = 1000  #: the numbers of the sessions of two clients
_OWN = (sys.executable, "-I")


@dataclass(frozen=True, slots=True)
class Noted:
    """What a peer noted."""

    saw_file: Path
    said_file: Path

    def sides(self) -> Sides:
        """What it received, and what it sent, by session; the latter is noted before it is sent."""
        return _by_session(self.saw_file), _by_session(self.said_file)

    def sizes(self) -> tuple[int, int]:
        """Bytes received and sent so far."""
        return _size(self.saw_file), _size(self.said_file)


class Talk:
    """A server, and whatever is put in front of it. Everything ends with the stage."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.by_server, self._count, self._first = self._noted("server"), 0, 0
        self.server = self._start(_HERE / "server.py", *self._files(self.by_server))
        self.port = _told(self.server).decode()
        self.url = f"http://127.0.0.1:{self.port}/acp"
        self.stderr = stage.folder / "proxy.err"

    def proxy(self) -> tuple[subprocess.Popen[bytes], str]:
        """Starts the proxy in front of the server; and its URL."""
        words = ["record", "--listen", "127.0.0.1:0", "--upstream", self.url, "--no-load"]
        with self.stderr.open("wb") as errors:
            process = self._stage.start([*ACP_TRACE, *words], stdout=subprocess.PIPE, stderr=errors)
        return process, _told(process).decode()

    def slowly(self, url: str, nap_s: float) -> tuple[str, Path]:
        """A slow way to a URL, and the file that makes it swift; see `relay`."""
        self._count += 1
        go = self._stage.folder / f"go-{self._count}"
        port = url.rpartition(":")[2].partition("/")[0]
        process = self._start(_HERE / "relay.py", port, str(nap_s), str(go))
        return f"http://127.0.0.1:{_told(process).decode()}/acp", go

    def client(self, *urls: str, **asked: int) -> tuple[subprocess.Popen[bytes], Noted]:
        """Starts a client; see its own words."""
        noted = self._noted("client")
        usual = {"http": 0, "ws": 0, "asks": 1, "updates": 10, "size": 300, "first": self._first}
        self._first += _APART
        every = json.dumps({**usual, **asked})
        return self._start(_HERE / "client.py", *self._files(noted), every, *urls), noted

    def end(self, proxy: subprocess.Popen[bytes]) -> None:
        """Has the proxy end, which has to be quiet and complete."""
        proxy.send_signal(signal.SIGTERM)
        code = proxy.wait(DEADLINE_S)
        said = self.stderr.read_bytes()
        must((code, said) == (0, b""), f"the proxy ended with {code}: {said[-300:]!r}")

    def _start(self, script: Path, *words: str) -> subprocess.Popen[bytes]:
        errors = self._stage.folder / f"{script.stem}.err"
        with errors.open("ab") as sink:
            return self._stage.start([*_OWN, str(script), *words], stdout=subprocess.PIPE, stderr=sink)

    def _noted(self, side: str) -> Noted:
        notes = self._stage.notes(side)
        return Noted(notes.saw_file, notes.said_file)

    def _files(self, noted: Noted) -> list[str]:
        return [str(noted.saw_file), str(noted.said_file)]


def done(client: subprocess.Popen[bytes]) -> dict[str, Any]:
    """What a client says when it has ended. It has to end by itself."""
    output, _ = client.communicate(timeout=DEADLINE_S * 2)
    must(client.returncode == 0, f"the client ended with {client.returncode}")
    found: dict[str, Any] = json.loads(output)
    return found


def flows(noted: Noted) -> None:
    """Waits until a client has received something on all connections' streams."""
    until(partial(_has_begun, noted), "traffic")


def _has_begun(noted: Noted) -> bool:
    return noted.saw_file.exists() and b"session/update" in noted.saw_file.read_bytes()


def _told(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    must(line, f"{process.args!r} did not say where it listens")
    return line


def _by_session(file: Path) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = defaultdict(list)
    whole = file.read_bytes() if file.exists() else b""
    for line in whole.split(b"\n")[:-1]:
        found[session_of(line)].append(line)
    return found


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
