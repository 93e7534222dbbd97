"""A trace that is being written: a file in the spool with the lock of a recorder, which gets more when a test says so."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playwright.sync_api import Page

from acp_trace.trace import lock
from tests.support import END, header, line, request, result, update

ID = "20261120T130501Z-7f3a9c"


class Growing:
    """Writes the trace, and leads a page to it."""

    def __init__(self, spool: Path) -> None:
        spool.mkdir(parents=True, exist_ok=True)
        self._fd = os.open(spool / f"{ID}.jsonl", os.O_WRONLY | os.O_CREAT)
        lock.hold(self._fd)
        self.frames = 0
        self.t = 0
        os.write(self._fd, header(id=ID))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        os.close(self._fd)

    def add(self, *frames: tuple[str, dict[str, Any]], log: str | None = None) -> None:
        """More of it, 10 ms apart; `log`: a line of stderr behind the frames."""
        lines = []
        for sender, frame in frames:
            self.frames += 1
            self.t += 10_000_000
            lines.append(line(t=self.t, **{"from": sender}, frame=frame))
        if log is not None:
            lines.append(line(t=self.t, log=log))
        os.write(self._fd, b"".join(lines))

    def open_session(self) -> None:
        """Four frames: the agent is asked what it can do, and for a session with an option."""
        option = {"id": "mode", "name": "Mode", "type": "select", "currentValue": "ask", "options": []}
        self.add(
            ("client", request(0, "initialize", protocolVersion=1)),
            ("agent", result(0, protocolVersion=1)),
            ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
            ("agent", result(1, sessionId="s", configOptions=[option])),
        )

    def prompt(self, number: int, text: str) -> None:
        """A frame with which a turn begins. `number`: from 2 on."""
        content = [{"type": "text", "text": text}]
        self.add(("client", request(number, "session/prompt", sessionId="s", prompt=content)))

    def chunks(self, count: int, text: str = "hay") -> None:
        """Frames of the agent, each a message of its own."""
        self.add(*(("agent", chunk(f"{text} {self.frames + 1 + number}")) for number in range(count)))

    def end(self) -> None:
        """The recorder has ended."""
        os.write(self._fd, line(t=self.t + 1, end=END))
        self.add = self._ended  # type: ignore[method-assign]

    def _ended(self, *_: Any, **__: Any) -> None:
        raise AssertionError("it has ended")

    def open(self, page: Page, view: str) -> None:
        """Opens it in a view, once the list of traces has it."""
        page.locator("tbody tr").get_by_role("link").click()
        page.wait_for_selector("body[data-ready]")
        page.get_by_role("link", name=view, exact=True).click()


def chunk(text: str) -> dict[str, Any]:
    """A piece of what the agent says."""
    return update("s", "agent_message_chunk", content={"type": "text", "text": text})
