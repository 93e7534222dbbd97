"""Whether a trace holds what a redactor would replace, judged by the bytes of a whole export in passing.

Only lines with a sign are read, and those of the first block, in which sessions begin; each line by itself.
So this is a hint: it counts what is visible in one line. It misses, unless something else reveals them: an
answer to a login, lines that are not JSON, and directories after the first block; and any secret that comes
in pieces. A redactor, which reads everything twice, removes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_trace.redact import signs
from acp_trace.redact.redactor import Redactor
from acp_trace.trace.counts import counted
from acp_trace.trace.parse import NewerFormat, Parser

_BLOCK = 1 << 20
#: The methods that rules are about, by what comes after their slash.
_METHODS = ("new", "load", "resume", "fork", "create", "login", "status", "status_update", "set", "successor")
_SIGNS = (*(f'/{name}"'.encode() for name in _METHODS), b'"authenticate"')


class Watch:
    """Feed it the pieces of a trace file, then ask for `words`."""

    def __init__(self) -> None:
        self._redactor = Redactor(joined=False)
        self._parser = Parser()
        self._pieces: list[bytes] = []
        self._size = 0
        self._first = True

    def feed(self, piece: bytes) -> None:
        """Process the next bytes."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size >= _BLOCK and b"\n" in piece:
            self._look(end=False)

    def through(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the same pieces, and process them in passing."""
        for piece in pieces:
            self.feed(piece)
            yield piece

    def words(self) -> str | None:
        """Return what the trace holds, for people; None if a redactor would replace nothing."""
        self._look(end=True)
        secrets, rules, homes = self._redactor.found()
        parts = []
        if secrets:
            parts.append(f"{counted(secrets, 'secret')} ({', '.join(rules)})")
        if homes:
            parts.append("a home folder" if homes == 1 else f"{homes} home folders")
        return " and ".join(parts) or None

    def _look(self, *, end: bool) -> None:
        block = b"".join(self._pieces)
        cut = len(block) if end else block.rfind(b"\n") + 1
        self._pieces = [block[cut:]]
        self._size = len(block) - cut
        block = block[:cut]
        lines = block if self._first else _signed(block)
        self._first = False
        try:
            for entry in self._parser.feed(lines):
                self._redactor.learn(entry)
        except NewerFormat:
            pass  # not ours to read, and harmless in an export


def _signed(block: bytes) -> bytes:
    """Return the lines of a block that have a sign."""
    return b"".join(
        line for line in _lines(block) if any(sign in line for sign in _SIGNS) or signs.in_line(line)
    )


def _lines(block: bytes) -> list[bytes]:
    """Return the lines of a block of whole lines, each with its newline."""
    return [line + b"\n" for line in block.removesuffix(b"\n").split(b"\n")] if block else []
