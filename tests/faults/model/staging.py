"""A recorder with its proxy between an agent and a provider, and the judge of what its trace says of them."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from acp_trace.model.exchange import ModelExchange
from tests.faults.model import saying
from tests.faults.model.asker import HOSTS
from tests.faults.model.provider import Provider
from tests.faults.model.saying import Ask
from tests.faults.stage import DEADLINE_S, Stage, must
from tests.support import ACP_TRACE, until

_ASKER = Path(__file__).with_name("asker.py")


class Talk:
    """An agent at work, behind a recorder or without one; `said` is what it says of each request."""

    def __init__(self, stage: Stage, provider: Provider, *, is_recorded: bool = True) -> None:
        words = json.dumps({**provider.ports, "trusted": str(provider.trusted)})
        recorder = [*ACP_TRACE, "record", "--no-load", "--model", "--"] if is_recorded else []
        hosts = " ".join(f"{HOSTS[name]}=https://localhost:{port}" for name, port in provider.ports.items())
        given = {"ACP_TRACE_MODEL_MAP": hosts, "NODE_EXTRA_CA_CERTS": str(provider.trusted)}
        self.stderr = stage.folder / f"{'with' if is_recorded else 'without'}.err"
        with open(self.stderr, "wb") as errors:
            self.process = stage.start(
                [*recorder, sys.executable, str(_ASKER), words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=stage.environment | given,
            )
        self.said: dict[Ask, dict[str, Any]] = {}
        self.halves: set[Ask] = set()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def ask(self, kind: str, numbers: Iterable[int], *, together: int = 1, protocol: str = "h1") -> list[Ask]:
        """Has the agent ask so; what it will have said of that in the end."""
        asked = list(numbers)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([kind, asked, together, protocol]).encode() + b"\n")
        self.process.stdin.flush()
        asks = [Ask(kind, n, together=together) for n in asked]
        return asks + [ask._replace(again=True) for ask in asks if ask.answer.status == 429]

    def answered(self, asks: Iterable[Ask]) -> None:
        """Waits until all of these are."""
        waiting = set(asks)
        until(lambda: waiting <= self.said.keys() or self.process.poll() is not None, "the answers")
        must(waiting <= self.said.keys(), f"no word of {sorted(waiting - self.said.keys())[:3]}")

    def end(self) -> int:
        """Hangs up; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(DEADLINE_S)
        self._reading.join(DEADLINE_S)
        return code

    def proxy(self) -> int:
        """The process id of the recorder's proxy."""
        pid = self.process.pid

        def found() -> int:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            with_words = [(child, Path(f"/proc/{child}/cmdline").read_bytes()) for child in children]
            return next((int(child) for child, words in with_words if b"model.proxy" in words), 0)

        pid_of_proxy: int = until(found, "the proxy")
        return pid_of_proxy

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if not line.endswith(b"\n"):  # its recorder was killed
                return
            words = json.loads(line)
            ask = Ask(*words["ask"])
            if "half" in words:
                self.halves.add(ask)
            else:
                self.said[ask] = words


def came_through(talk: Talk, asks: Iterable[Ask], provider: Provider, protocol: str = "h1") -> int:
    """Whether agent and provider have what the other one said, byte for byte; how many bytes."""
    total = 0
    for ask in asks:
        said, sent = talk.said[ask], saying.body(ask)
        pieces = saying.answer(ask) if protocol == "h1" else saying.pieces(ask)
        digest = hashlib.sha256(b"".join(pieces)).hexdigest()
        must("error" not in said, f"{ask}: {said.get('error')}")
        must(said["received"] == digest, f"{ask}: the agent has {said['size']} other bytes")
        must(said["whole"] != ask.answer.breaks, f"{ask}: its end is told otherwise")
        must(
            provider.heard[ask] == hashlib.sha256(sent).hexdigest(), f"{ask}: the provider heard other bytes"
        )
        total += len(sent) + said["size"]
    return total


def peak_mb(pid: int) -> float:
    """The most memory that a process has had by now."""
    match = re.search(rb"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_bytes())
    return int(match[1]) * 1024 / 1e6 if match else 0


def judged(exchanges: Iterable[ModelExchange]) -> Counter[str]:
    """How many exchanges are `whole`, `broken` off, or have a `part`. Raises Lie where one says what was not so."""
    found: Counter[str] = Counter()
    seen: set[Ask] = set()
    for exchange in exchanges:
        if not exchange.path:
            must(
                exchange.damaged, f"exchange {exchange.number} has no request, and says that nothing is lost"
            )
            found["part"] += 1
            continue
        ask = Ask.of(exchange.path)
        must(ask not in seen, f"{ask} is there twice")
        seen.add(ask)
        found[_judge(exchange, ask)] += 1
    return found


def _judge(exchange: ModelExchange, ask: Ask) -> str:
    sent, expected = saying.body(ask), b"".join(saying.decoded(ask))
    received = b"".join(chunk.data for chunk in exchange.chunks)
    must(exchange.request_body in (None, sent), f"{ask}: another request is in the trace")
    must(exchange.status in (None, ask.answer.status), f"{ask}: status {exchange.status}")
    is_over = exchange.ended_ns is not None and not exchange.damaged
    if is_over and exchange.broken_by is None:
        must(exchange.request_body is not None, f"{ask}: no request, and nothing says why")
        must(received == expected, f"{ask}: {len(received)} of {len(expected)} bytes, said to be all")
        must(not ask.answer.breaks, f"{ask}: it broke off, and nothing says so")
        return "whole"
    if exchange.damaged:  # pieces are missing anywhere
        pieces = saying.decoded(ask)
        at = 0
        for chunk in exchange.chunks:
            place = expected.find(chunk.data, at)
            must(place >= 0, f"{ask}: {len(pieces)} pieces, and what is in the trace is in none")
            at = place + len(chunk.data)
        return "part"
    must(expected.startswith(received), f"{ask}: other bytes came, as the trace has it")
    if exchange.broken_by == "provider":
        must(ask.answer.breaks, f"{ask}: the provider is said to have broken it off")
    return "broken" if exchange.broken_by else "part"
