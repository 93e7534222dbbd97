"""The capture: the form of a trace while it is recorded. Blocks of bytes, appended as they were read.

This is the layout alone, for the writer and the reader; `capture_blocks` reads it, `capture_lines` turns it
into lines of format 1. Every number is little-endian. docs/evidence/capture.md describes it for readers.

    preamble   magic (8), version (4), zeros (4), mark (8)
    block      mark (8), t in ns (8), length (4), stream (4), connection (4), then `length` bytes

The mark is the byte FF, which UTF-8 never contains, and seven other random bytes. It is the same in all heads
of one file, and appears nowhere else in it: bytes that contain the mark, because an agent prints its own
capture, are written as two blocks, cut inside the mark. So a mark always shows where a block begins, even
behind the partial block of a failed write. For the same reason no number of a stream or a connection has a
byte FF: with an agent's output it could form a mark. A mark has no newline either: a message that was cut
inside it would seem to end there.
"""

from __future__ import annotations

import os
import struct

#: No JSON line and no text begins like this: one byte distinguishes a capture from a file of lines.
MAGIC = b"\x89ACPTRC\n"
VERSION = 1
MARK_SIZE = 8
#: The first byte of every mark.
FIRST = b"\xff"

#: Streams of a connection. The recorder's own stream is JSON: the header first, gaps, the footer last. The
#: others hold the bytes as they were read; an empty block is the end of its stream.
RECORDER, CLIENT, AGENT, STDERR = range(4)

#: The connection between client and agent.
MAIN = 0

#: Streams of the agent's traffic with its language model: documents, bytes of requests, bytes of responses.
#: The connection number is the number of the exchange, from 1; a document of connection 0 belongs to no
#: exchange.
MODEL_HEAD, MODEL_REQUEST, MODEL_RESPONSE = MODEL = range(4, 7)

#: Streams of ACP over HTTP and WebSocket: documents, messages of the client, messages of the agent. A message
#: is one block, with a newline behind it; the connection number is that of its HTTP stream, from 1.
HTTP_HEAD, HTTP_CLIENT, HTTP_AGENT = HTTP = range(7, 10)
LAST_STREAM = HTTP_AGENT

_PREAMBLE = struct.Struct("<8sI4x8s")
_HEAD = struct.Struct("<8sQIII")
_BESIDE = struct.Struct("<QIII")
PREAMBLE_SIZE = _PREAMBLE.size
HEAD_SIZE = _HEAD.size

#: mark, t, length, stream, connection -> the head of a block.
head = _HEAD.pack
#: A buffer and an offset -> the same five fields.
read_head = _HEAD.unpack_from


#: What is recorded beside the frames reaches the recorder through a pipe: t, length, stream, connection, then
#: the bytes.
BESIDE_SIZE = _BESIDE.size
read_beside = _BESIDE.unpack


#: Uses that pipe too, and is not written: places of secrets (`late_places`).
CUTS = LAST_STREAM + 1


#: Signals to the process that records beside: some of its records were lost; the client has sent a cancel.
LOST, CANCELLED = b"!", b"c"
#: The prefix of a line for people, which that process sends with the agent's environment.
WARNING = "?"


def beside(t: int, stream: int, connection: int, data: bytes) -> bytes:
    """Return a block for the pipe to the recorder."""
    return _BESIDE.pack(t, len(data), stream, connection) + data


def new_mark() -> bytes:
    """Return the mark of a new file. Only its first byte is FF, so no two overlap, and it has no newline."""
    rest = os.urandom(4 * MARK_SIZE).translate(None, FIRST + b"\n")
    return FIRST + rest[: MARK_SIZE - 1]


def preamble(mark: bytes) -> bytes:
    """Return the first bytes of a capture."""
    return _PREAMBLE.pack(MAGIC, VERSION, mark)


def read_preamble(data: bytes | bytearray) -> tuple[int, bytes]:
    """Return version and mark of a file that begins with MAGIC and has `PREAMBLE_SIZE` bytes."""
    _, version, mark = _PREAMBLE.unpack_from(data)
    return version, mark


def block(mark: bytes, t: int, stream: int, data: bytes | memoryview, connection: int = MAIN) -> bytes:
    """Return a whole block, in one piece."""
    return head(mark, t, len(data), stream, connection) + data
