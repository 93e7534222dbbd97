"""A playbook: a recording, and the conversation that one side of it must hold with a live side.

Said in the words of tests/reading/talk.py, line by line: what the live side says (`>>`) comes in, what own
side says (`<<`) must go out just there, compared as JSON with ids and texts. Time is a number. It fails
where something goes out that no line names, where a named line does not go out, and where the end comes
although steps are left, or where something was noticed that the playbook does not name.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from difflib import unified_diff
from types import TracebackType
from typing import Any, Self

from acp_trace.replay.conversation.engine import Conversation, Options
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.incidents import RUN_CODES, Incident
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.timeouts import QUIET_MOST_NS, SECOND, TIMEOUT_NS
from acp_trace.trace.entries import Sender
from tests.reading.talk import Said
from tests.replay.facing import recording
from tests.support import END, header, line, trace

#: Of the conversation, when a test fails: so many lines, of so many characters.
_SHOWN, _WIDTH = 12, 160


def recorded(*said: Said, **more: Any) -> Recording:
    """The recording of these messages, one every microsecond."""
    return recording(trace(*said, **more))


def timed(*said: tuple[float, Said], end: bool = True) -> Recording:
    """The recording of messages with their seconds."""
    lines = [line(t=round(t * SECOND), **{"from": sender}, frame=message) for t, (sender, message) in said]
    last = line(t=round(said[-1][0] * SECOND), end=END) if end else b""
    return recording(b"".join([header(), *lines, last]))


class Playbook:
    """One side of a recording, played against the lines of a test. Use it in a `with`."""

    def __init__(
        self,
        of: Recording,
        own: Sender = "client",
        *,
        folders: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT_NS / SECOND,
        **options: Any,
    ) -> None:
        self.own: Sender = own
        self.now = 10**15  # a clock that did not begin with the test
        self._start = self.now
        patience = Patience(round(timeout * SECOND), len(of.messages), of.size, of.duration_ns)
        self.conversation = Conversation(plan(of, own), Rewriter(), patience, Options(**options))
        self.conversation.move(folders or {})
        self._out: deque[bytes] = deque()
        self._said: list[str] = []  #: what both sides said so far, for whoever reads of a failure
        self._named: list[str] = []
        self._told = False
        self.conversation.begin(self.now)
        self._due()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if kind is None:
            self._nothing_left()
            self._quiet()
            self._nothing_left()
            assert self._told or self.conversation.is_over, f"it is not over: {self.conversation.waits()}"
            assert self.codes == self._named

    # -- what is said

    def __call__(self, *lines: Said | bytes) -> Self:
        """Lines of both sides in their order; bytes are a line of the live side, whatever they are."""
        for one in lines:
            if isinstance(one, bytes):
                self._comes(one)
            elif one[0] == self.own:
                self._goes_out(one[1])
            else:
                self._comes(json.dumps(one[1]).encode())
        return self

    def silent(self) -> Self:
        """Nothing more goes out now."""
        self._nothing_left()
        assert not self.conversation.is_over, "it is over"
        return self

    def at(self, seconds: float) -> Self:
        """So long after the start; nothing may have been left unsaid before."""
        return self.later(seconds - (self.now - self._start) / SECOND)

    def later(self, seconds: float) -> Self:
        """So much later; the driver looks whenever it is asked to."""
        self._nothing_left()
        until = self.now + round(seconds * SECOND)
        while self.now < until:
            wake = self.conversation.wake()
            self.now = until if wake is None else min(max(wake, self.now + 1), until)
            self._due()
        return self

    def take(self) -> bytes:
        """The next line that goes out, which no line of the test could name."""
        return self._out.popleft()

    # -- what became of it

    @property
    def codes(self) -> list[str]:
        """The codes of what was noticed."""
        return [one.code for one in self.conversation.incidents]

    def noticed(self, *codes: str) -> list[Incident]:
        """What was noticed has these codes, and no others."""
        assert self.codes == list(codes)
        assert set(codes) <= RUN_CODES.keys(), "a code that no report knows"
        self._named = list(codes)
        return self.conversation.incidents

    def stuck(self, *words: str) -> str:
        """It is not over, and says what it waits for."""
        self._nothing_left()
        assert not self.conversation.is_over
        self._told = True
        told = self.conversation.waits()
        for word in words:
            assert word in told, told
        return told

    # -- inside

    def _comes(self, line: bytes) -> None:
        self._nothing_left()
        self._said.append(f">> {line.decode('utf-8', 'replace')}")
        self._out += self.conversation.receive(line, self.now)
        self._due()

    def _due(self) -> None:
        self._out += self.conversation.due(self.now)

    def _quiet(self) -> None:
        """Lets the moment pass in which nothing is said after a turn; tests that are about it say so."""
        while not self._out and not self.conversation.is_over:
            wake = self.conversation.wake()
            if wake is None or wake - self.now > QUIET_MOST_NS:
                return
            self.now = wake
            self._due()

    def _goes_out(self, message: Any) -> None:
        self._quiet()
        assert self._out, self._failure(message, None)
        line = self._out.popleft()
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        found = line[:-1].decode() if isinstance(message, str) else json.loads(line)
        assert found == message, self._failure(message, line)
        self._said.append(f"<< {line[:-1].decode()}")

    def _nothing_left(self) -> None:
        assert not self._out, self._failure(None, self._out[0])

    def _failure(self, expected: Any, actual: bytes | None) -> str:
        """The conversation so far, and then what should have gone out (-) beside what did (+), key by key."""
        wanted = [] if expected is None else _pretty(expected)
        sent = [] if actual is None else _pretty(json.loads(actual))
        difference = [line.rstrip("\n") for line in unified_diff(wanted, sent, n=100)][3:]
        shown = [line if len(line) < _WIDTH else f"{line[:_WIDTH]}…" for line in self._said[-_SHOWN:]]
        return "\n".join(["", *shown, *difference, f"waits: {self.conversation.waits()}"])


def _pretty(message: Any) -> list[str]:
    return [f"{line}\n" for line in json.dumps(message, indent=2, sort_keys=True).split("\n")]
