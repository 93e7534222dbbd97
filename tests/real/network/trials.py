"""The trials: each pair of a server and a client, directly, through the proxy, replayed, and with a mock."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.real.mismatches import Mismatches
from tests.real.mocking import failures
from tests.real.network import judging
from tests.real.network.programs import (
    PY_CLIENT,
    PY_HYPERCORN,
    PY_UVICORN,
    QWEN_SERVE,
    TS_CLIENT,
    TS_SERVER,
    Expected,
    Pair,
    listening,
)
from tests.real.network.session import Place
from tests.real.network.tap import TapTls
from tests.real.processes import Deadline, started
from tests.real.replaying import command, verdict
from tests.real.stage import staged
from tests.support import ACP_TRACE, lines_of, until
from tests.transport.certificates import certificates

_TRANSPORTS = ("http", "ws")
_MOCK_URL = re.compile(r"http://127\.0\.0\.1:(\d+)/acp")
_PY, _TS = Expected(agent="py-agent"), Expected(agent="ts-agent")
#: `configOptions` as a capability, a mode without a name, `models`; the prompt comes back.
_QWEN_FINDINGS = (
    "payload-extra-field",
    "payload-field-missing",
    "payload-extra-field",
    "modes-disagree",
    "prompt-echoed",
)
#: It reads and writes the files of one directory itself, and says in some sessions what its commands are, and
#: something more about the last turn, which comes after its end or no more.
_QWEN: dict[str, Any] = {
    "expected": Expected(agent=None, files=(), findings=_QWEN_FINDINGS),
    "more": "qwen",
    "anywhere": False,
    "knows_its_names": True,
    "by_chance": (re.compile("available_commands_update|_qwen/notify"),),
    "level": "outcome",
    "ready": b"/acp WebSocket transport enabled",
}

PAIRS = {
    "http-py-sdk": Pair(server=PY_HYPERCORN, client=PY_CLIENT, scheme="http", expected=_PY),
    "ws-py-sdk": Pair(server=PY_UVICORN, client=PY_CLIENT, scheme="ws", expected=_PY),
    "http-2-py-sdk": Pair(server=PY_HYPERCORN, client=PY_CLIENT, scheme="http", expected=_PY, with_tls=True),
    "http-ts-sdk": Pair(server=TS_SERVER, client=TS_CLIENT, scheme="http", expected=_TS),
    "ws-ts-sdk": Pair(server=TS_SERVER, client=TS_CLIENT, scheme="ws", expected=_TS),
    "http-qwen-serve": Pair(server=QWEN_SERVE, client=PY_CLIENT, scheme="http", **_QWEN),
    "ws-qwen-serve": Pair(server=QWEN_SERVE, client=TS_CLIENT, scheme="ws", **_QWEN),
    "http-uvicorn-ts-client": Pair(server=PY_UVICORN, client=TS_CLIENT, scheme="http", expected=_PY),
}


def play(name: str) -> Callable[[Path, Deadline], list[str]]:
    """One of them, as a trial."""
    return lambda folder, deadline: _play(name, PAIRS[name], folder, deadline)


def _play(name: str, pair: Pair, folder: Path, deadline: Deadline) -> list[str]:
    pair.client.install()
    with staged(pair.server, folder / "stage") as stage:
        tls = _tls(folder) if pair.with_tls else None
        argv = [*pair.server.command, *([tls.certificate, tls.key] if tls else [])]
        with listening(stage, argv, folder / "server.stderr", deadline, ready=pair.ready) as port:
            place = Place(pair, stage, port, deadline, tls)
            direct, recorded = place.directly(), place.recorded(name)
            mismatches = Mismatches()
            mismatches.same("what the client printed", recorded.printed, direct.printed)
            sides = zip(place.conversation(recorded.near), place.conversation(direct.near), strict=True)
            for side, (ours, theirs) in zip(("client", "agent"), sides, strict=True):
                mismatches.same(f"what the {side} said", ours, theirs)
            spoken = "HTTP/2" if pair.with_tls else "HTTP/1.1"
            mismatches.same(
                "HTTP on both sides", {one.protocol for one in recorded.near + recorded.far}, {spoken}
            )
            faults = mismatches.faults + judging.changed(recorded)
            if len(recorded.traces) != 1:
                return [*faults, f"{len(recorded.traces)} traces of one connection"]
            trace = folder / recorded.traces[0].name
            trace.write_bytes(recorded.traces[0].read_bytes())
            faults += judging.misled(place, trace, name)
            file = trace.with_suffix(".jsonl")
            faults += judging.untold(recorded, file.read_bytes())
            if pair.anywhere:
                faults += _two_at_once(place, name, recorded.printed[0])
            for scheme in _TRANSPORTS:
                faults += _replayed(place, file, scheme)
        for scheme in _TRANSPORTS:
            faults += _mocked(place, file, scheme, recorded.printed)
    return faults


def _two_at_once(place: Place, name: str, alone: object) -> list[str]:
    """Two ACP sessions at the same time on one connection: each as if it were alone."""
    both = place.recorded(f"{name}-both", 2)
    mismatches = Mismatches()
    for number, printed in enumerate(both.printed, 1):
        mismatches.same(f"what session {number} of two printed", printed, alone)
    faults = mismatches.faults + judging.changed(both)
    if len(both.traces) != 1:
        return [*faults, f"{len(both.traces)} traces of one connection with two sessions"]
    return faults + judging.untold(both, lines_of(both.traces[0]))


def _replayed(place: Place, recording: Path, scheme: str) -> list[str]:
    folder = place.stage.folder / f"replay-{scheme}"
    live = folder / "live.jsonl"
    folder.mkdir()
    words = ["--json", "--save", str(live), "--url", place.url(f"127.0.0.1:{place.server}", scheme)]
    if not place.pair.anywhere:
        words += ["--cwd", str(place.clean())]
    if place.tls is not None:
        words += ["--ca", place.tls.authority]
    argv = command(recording, folder, *words, level=place.pair.level)
    found = verdict(place.stage, argv, live, place.deadline)
    if found.exit_code or not found.passed:
        return [f"replay over {scheme}: exit {found.exit_code}", *map(": ".join, found.divergences)]
    return []


def _mocked(place: Place, recording: Path, scheme: str, wanted: object) -> list[str]:
    """The client prints the same with a mock in the server's place, and the mock is content."""
    junit = place.stage.folder / f"mock-{scheme}.xml"
    stderr = junit.with_suffix(".stderr")
    argv = [*ACP_TRACE, "mock", str(recording), "--listen", "127.0.0.1:0", "--junit", str(junit)]
    with started(argv, env=place.stage.env, stderr=stderr, deadline=place.deadline) as mock:
        until(lambda: mock.poll() is not None or _MOCK_URL.search(stderr.read_text()), "its address")
        found = _MOCK_URL.search(stderr.read_text())
        if found is None:
            return [f"the mock did not listen: {stderr.read_text()}"]
        printed = place.drive(f"{scheme}://127.0.0.1:{found[1]}/acp")
        code = mock.wait(place.deadline.left())
    mismatches = Mismatches()
    mismatches.same(f"the exit code of the mock over {scheme}", code, 0)
    mismatches.same(f"what the client of the mock printed, over {scheme}", printed, wanted)
    return mismatches.faults + failures(junit)


def _tls(folder: Path) -> TapTls:
    authority, (certificate, key) = certificates(folder)
    return TapTls(certificate, key, authority)


def what(pair: Pair) -> str:
    """A pair in a line of help."""
    how = {"http": "HTTP", "ws": "WebSocket"}[pair.scheme] + (" with TLS" if pair.with_tls else "")
    return f"{pair.client.name} with {pair.expected.agent} over {how}: directly, recorded, replayed, mocked"
