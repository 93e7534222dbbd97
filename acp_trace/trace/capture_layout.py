"""The capture: what a trace is while it is recorded. Blocks of bytes, appended as they were read.

The layout alone, for the side that writes and the side that reads; `capture_blocks` reads it,
`capture_lines` makes lines of format 1 of it. Every number is little-endian.
docs/trace-format.md, "While it is recorded: the capture".

    preamble   magic (8), version (4), zeros (4), mark (8)
    block      mark (8), t in ns (8), length (4), stream (4), connection (4), then `length` bytes

The mark is the byte FF, which no UTF-8 holds, and seven other random ones; the same in all heads of one file,
and nowhere else in it: when what was read holds it, because an agent prints its own capture, that is written
as two blocks, cut inside of the mark. So a mark always says where a block begins, also behind the beginning
of a block that a failed write left. For the same reason no number of a stream or a connection has a byte FF:
what an agent says could make a mark of it. A mark has no newline either: a message that was cut inside of it
would seem to end there.
"""

from __future__ import annotations

import os
import struct

#: No JSON line begins so, and no text: one byte tells a capture from a file of lines.
MAGIC = b"\x89ACPTRC\n"
VERSION = 1
MARK_SIZE = 8
#: The first byte of every mark.
FIRST = b"\xff"

#: Streams of a connection. What the recorder has to say is JSON: the header first, gaps, the footer last. The
#: others hold what was read, as it was read; an empty block is the end of its stream.
RECORDER, CLIENT, AGENT, STDERR = range(4)

#: The connection between client and agent.
MAIN = 0

#: Streams of the agent's traffic with its language model: documents, bytes of requests, bytes of responses.
#: The number of the connection is that of the exchange, from 1; a document of connection 0 is about none of
#: them.
MODEL_HEAD, MODEL_REQUEST, MODEL_RESPONSE = MODEL = range(4, 7)

#: Streams of ACP over HTTP and WebSocket: documents, messages of the client, messages of the agent. A message
#: is one block, with a newline behind it; the number of the connection is that of its HTTP stream, from 1.
HTTP_HEAD, HTTP_CLIENT, HTTP_AGENT = HTTP = range(7, 10)
LAST_STREAM = HTTP_AGENT

_PREAMBLE = struct.Struct("<8sI4x8s")
_HEAD = struct.Struct("<8sQIII")
_BESIDE = struct.Struct("<QIII")
PREAMBLE_SIZE = _PREAMBLE.size
HEAD_SIZE = _HEAD.size

#: mark, t, length, stream, connection -> the head of a block.
head = _HEAD.pack
#: A buffer and an offset -> the same five.
read_head = _HEAD.unpack_from


#: What is recorded beside comes to the recorder through a pipe: t, length, stream, connection, then the
#: bytes.
BESIDE_SIZE = _BESIDE.size
read_beside = _BESIDE.unpack


#: Comes through that pipe too, and is not written: places of secrets (`late_places`).
CUTS = LAST_STREAM + 1


#: What the process that records beside is told: something of that was lost; the client has sent a cancel.
LOST, CANCELLED = b"!", b"c"
#: Begins a line for people, which that process sends with the agent's environment.
WARNING = "?"


def beside(t: int, stream: int, connection: int, data: bytes) -> bytes:
    """A block on its way to the recorder."""
    return _BESIDE.pack(t, len(data), stream, connection) + data


def new_mark() -> bytes:
    """The mark of a new file: it begins with the one FF in it, so no two overlap, and has no newline."""
    rest = os.urandom(4 * MARK_SIZE).translate(None, FIRST + b"\n")
    return FIRST + rest[: MARK_SIZE - 1]


def preamble(mark: bytes) -> bytes:
    """The first bytes of a capture."""
    return _PREAMBLE.pack(MAGIC, VERSION, mark)


def read_preamble(data: bytes | bytearray) -> tuple[int, bytes]:
    """Version and mark of a file that begins with MAGIC and has `PREAMBLE_SIZE` bytes."""
    _, version, mark = _PREAMBLE.unpack_from(data)
    return version, mark


def block(mark: bytes, t: int, stream: int, data: bytes | memoryview, connection: int = MAIN) -> bytes:
    """A whole block, in one piece."""
    return head(mark, t, len(data), stream, connection) + data
