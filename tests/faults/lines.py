"""What both sides say: numbered lines, the same in every process, so that a loss is told by its number.

Most are JSON-RPC of a few hundred bytes; some are larger than one read, some are no JSON, some no UTF-8.
Imports nothing of the package: the peers load it in a bare interpreter.
"""

from __future__ import annotations

import re
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LETTERS = b"the parser reads on; \\n \xe6\x97\xa5\xe6\x9c\xac "
_NUMBER = re.compile(rb"\d+")

#: By style, the lengths of what is said, one after the other.
_LENGTHS = {
    "mixed": [*(40 + 11 * n for n in range(60)), 3_000, 5_000, 9_000, 70_000],
    "small": [80 + 7 * n for n in range(16)],
    "large": [36_000],
    "giant": [64_000_000],
}
_HEADS = {
    "client": b'{"id":%d,"jsonrpc":"2.0","method":"session/prompt","params":{"prompt":[{"type":"text","text":"',
    "agent": b'{"params":{"_meta":{"n":%d},"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk",'
    b'"content":{"type":"text","text":"',
}
_TAILS = {
    "client": b'"}],"sessionId":"s"}}\n',
    "agent": b'"}}},"method":"session/update","jsonrpc":"2.0"}\n',
}


def lines(side: str, style: str = "mixed", start: int = 0) -> Iterator[bytes]:
    """All that `side` ever says, line by line, from line `start` on; without end."""
    pads = [_pad(length) for length in _LENGTHS[style]]
    head, tail, count = _HEADS[side], _TAILS[side], len(pads)
    odd = style == "mixed"
    number = start
    while True:
        if odd and number % 31 == 7:
            yield b"noise %d on stdout\n" % number
        elif odd and number % 37 == 11:
            yield b"\xff\xfe %d \x00\r\n" % number
        else:
            yield b"%b%b%b" % (head % number, pads[number * 7 % count], tail)
        number += 1


def said(side: str, count: int, style: str = "mixed") -> list[bytes]:
    """The first `count` lines."""
    return list(islice(lines(side, style), count))


def number_of(line: bytes) -> int:
    """Which line this is."""
    found = _NUMBER.search(line)
    assert found, line[:80]
    return int(found[0])


def _pad(length: int) -> bytes:
    whole = _LETTERS * (length // len(_LETTERS))
    return whole or b"."
