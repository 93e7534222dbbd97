"""One session of a client with a server: directly, or through the proxy, with a tap on each side of it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.real.network import wire
from tests.real.network.programs import Pair, listening
from tests.real.network.tap import Tap, TapTls
from tests.real.processes import Deadline, Fault, run
from tests.real.stage import NOTES, Stage
from tests.support import ACP_TRACE

_SESSION = re.compile(r'"sessionId": ?"([^"]+)"')
_MADE_UP = re.compile(
    r"call_[0-9a-f]{8}|(?<![0-9a-f])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])|(?<![0-9a-f])[0-9a-f]{32}\b"
)
_MEASURED = re.compile(r'("(?:durationMs|elapsedMs|serverTimestamp|cancelledAt)": ?)\d+')


@dataclass(frozen=True, slots=True)
class Session:
    """What came of one."""

    printed: list[Any]  #: by the client, of each ACP session
    near: list[wire.Exchange]  #: what the client sent and received
    far: list[wire.Exchange]  #: what the server received and sent: the same if nothing was between
    traces: list[Path]  #: in the spool, afterwards


@dataclass(frozen=True, slots=True)
class Place:
    """Where sessions are held. `server`: its port."""

    pair: Pair
    stage: Stage
    server: int
    deadline: Deadline
    tls: TapTls | None = None

    @property
    def environment(self) -> dict[str, str]:
        """With TLS, all programs trust the authority of the test."""
        trusted = {} if self.tls is None else {"SSL_CERT_FILE": self.tls.authority}
        return {**self.stage.env, **trusted}

    def url(self, address: str, scheme: str = "") -> str:
        """Where a client finds ACP. `scheme`: http or ws, without the s of TLS."""
        secure = "" if self.tls is None else "s"
        return f"{scheme or self.pair.scheme}{secure}://{address}/acp"

    def directly(self) -> Session:
        """Without the proxy."""
        with Tap(self.server, self.tls, namesake=self.pair.knows_its_names) as tap:
            printed = self.drive(self.url(tap.address))
        found = wire.exchanges(tap.connections)
        return Session(printed, found, found, [])

    def recorded(self, name: str, sessions: int = 1) -> Session:
        """Through the proxy, which leaves its trace in the spool."""
        spool = self.stage.home / "traces" / "spool"
        before = set(spool.glob("*.capture"))
        with ExitStack() as stack:
            far = stack.enter_context(Tap(self.server, self.tls, namesake=self.pair.knows_its_names))
            words = ["record", "--listen", "127.0.0.1:0", "--upstream", self.url(far.address, "http")]
            words += ["--no-load", "--label", f"scenario={name}"]
            if self.tls is not None:
                words += ["--tls-cert", self.tls.certificate, "--tls-key", self.tls.key]
                words += ["--upstream-ca", self.tls.authority]
            stderr = self.stage.folder / f"{name}.stderr"
            proxy = listening(self.stage, [*ACP_TRACE, *words], stderr, self.deadline, is_ours=True)
            near = stack.enter_context(Tap(stack.enter_context(proxy), self.tls))
            printed = self.drive(self.url(near.address), sessions)
        traces = sorted(set(spool.glob("*.capture")) - before)
        return Session(printed, wire.exchanges(near.connections), wire.exchanges(far.connections), traces)

    def drive(self, url: str, sessions: int = 1) -> list[Any]:
        """Has the client work with what is at a URL; what it prints, without what is new in each run."""
        folders = [self.clean(number) for number in range(1, sessions + 1)]
        stderr = self.stage.folder / "client.stderr"
        argv = self.pair.client.argv([*map(str, folders)], self.pair.more, url)
        code, output = run(argv, env=self.environment, stderr=stderr, deadline=self.deadline)
        if code or stderr.stat().st_size:
            raise Fault(f"the client ended with {code} and said {stderr.read_text()[-500:]!r}")
        printed = json.loads(output)["sessions"]
        pairs = zip(printed, folders, strict=True)
        plain = [json.loads(self.plain(json.dumps(one), folder)) for one, folder in pairs]
        # The SDKs give an answer to who waits for it, and an update to a task of its own: which of them the
        # client sees first is chance. So each kind is in its order, and no kind before another.
        return [
            sorted((each for each in one if not self._by_chance(each)), key=lambda each: str(each[0]))
            for one in plain
        ]

    def clean(self, number: int = 1) -> Path:
        """The directory of a session, as it is when the session begins; the first is the project."""
        folder = self.stage.project if number == 1 else self.stage.folder / f"project-{number}"
        folder.mkdir(exist_ok=True)
        (folder / "notes.txt").write_text(NOTES)
        (folder / "list.txt").unlink(missing_ok=True)
        return folder

    def plain(self, text: str, folder: Path | None = None) -> str:
        """Text with names in place of what is new in each run."""
        text = text.replace(str(folder or self.stage.project), "<project>")
        for number, session in enumerate(dict.fromkeys(_SESSION.findall(text)), 1):
            text = text.replace(session, f"<session {number}>")
        return _MADE_UP.sub("<made up>", _MEASURED.sub(r"\g<1>0", text))

    def conversation(self, exchanges: Sequence[wire.Exchange]) -> tuple[list[str], list[str]]:
        """What each side said, by stream: first all of the connection, then all of the session.

        Requests of several connections of TCP have no order.
        """
        by_stream = sorted(exchanges, key=lambda one: bool(one.asked_for("acp-session-id")))
        sides: tuple[list[str], list[str]] = [], []
        for one in by_stream:
            for side, messages in zip(sides, one.messages(), strict=True):
                side += [message.decode() for message in messages]
        for side in sides:
            lines = self.plain("\n".join(side)).split("\n") if side else []
            side[:] = [line for line in lines if not self._by_chance(line)]
        if len(exchanges) > 1:
            sides[0].sort()
        return sides

    def _by_chance(self, said: Any) -> bool:
        text = said if isinstance(said, str) else json.dumps(said)
        return any(each.search(text) for each in self.pair.by_chance)
