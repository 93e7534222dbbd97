"""Toad's log of an agent (its environment variable `TOAD_LOG` names the file): a line for each message.

    [client] {'jsonrpc': '2.0', 'method': 'initialize', 'params': {…}, 'id': 1}
    [agent] {"jsonrpc":"2.0","id":1,"result":{…}}
    [error] failed to decode JSON from agent: …

- The agent's lines are as they came. The client's are Python's `repr` of the message; Toad sends `json.dumps`
of the same object, so this reader does the same and gets the bytes that were sent.
- What Toad answers to the agent's requests is not logged (`client_responses`), and there are no times.

Learned from batrachianai/toad, src/toad/acp/agent.py and jsonrpc.py (0.6.20, 2026-05).
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Sequence
from itertools import accumulate

from acp_trace.formats.reading import connections, text_lines
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.trace import jsontext

NAME = "toad"

_AGENT, _CLIENT, _ERROR = b"[agent] ", b"[client] ", b"[error] "
_HEAD = 200_000  #: bytes in which another tool's spelling would appear
#: A literal of small parts takes hundreds of times its length in memory.
_MOST_BYTES, _MOST_PARTS, _DEEPEST = 32_000_000, 200_000, 80
_STRING = re.compile(rb"'(?:[^'\\]|\\.)*+'?|\"(?:[^\"\\]|\\.)*+\"?", re.DOTALL)
#: What may occur between the strings of a dict or a list of JSON's values: no name, no operator.
_STRUCTURE = re.compile(rb"(?:[][{},:\s]|(?:True|False|None|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?=[]},:\s]))*+")
_STEP = {**dict.fromkeys(b"[{", 1), **dict.fromkeys(b"]}", -1)}


def recognises(files: Sequence[File]) -> bool:
    """Lines that begin with `[agent]` and a message, or `[client]` and an object of Python."""
    if any(_CLIENT + b'{"' in file.data[:_HEAD] for file in files):
        return False  # another tool's: Toad shows what the client sends as Python does
    return text_lines.mostly(files, lambda line: line.startswith((_AGENT + b"{", _CLIENT + b"{'", _ERROR)))


def read(files: Sequence[File]) -> list[Log]:
    """A log for each connection of each file."""
    logs = [log for file in files for log in connections.split(_read(files, file))]
    if not logs:
        raise NotThisFormat("looked for lines with `[agent]` and `[client]`: a log of Toad")
    return logs


def _read(files: Sequence[File], file: File) -> Log:
    log = Log(transport="stdio", verbatim=True, lacks=("client_responses",))
    for number, line in text_lines.numbered(file.data):
        found = _message(line)
        if isinstance(found, str):
            log.unused.append(Unused(text_lines.where(files, file, number), found))
        else:
            log.messages.append(found)
    return log


def _message(line: bytes) -> Sent | str:
    """The message of a line, or why the line has none."""
    if line.startswith(_AGENT):
        # Also what is not JSON: the agent wrote it.
        return Sent(line.removeprefix(_AGENT), "agent")
    if line.startswith(_CLIENT):
        text = _sent_by_toad(line.removeprefix(_CLIENT))
        return "is not an object of Python that Toad can send" if text is None else Sent(text, "client")
    if line.startswith(_ERROR):
        return "is an error that Toad logged"
    return "begins with neither `[agent]` nor `[client]`"


def _sent_by_toad(shown: bytes) -> bytes | None:
    """The JSON that Toad made of the object that Python shows so; None if it is none, or too large."""
    if not shown.startswith((b"{", b"[")) or not _is_readable(shown):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not have
            value = ast.literal_eval(shown.decode())
        text = json.dumps(value, allow_nan=False).encode()
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return text if jsontext.is_json(text) else None


def _is_readable(shown: bytes) -> bool:
    """Whether this is a literal that can be read in little memory, and without filling the parser's stack."""
    if len(shown) > _MOST_BYTES:
        return False
    structure = _STRING.sub(b"", shown)
    if not _STRUCTURE.fullmatch(structure) or structure.count(b",") + structure.count(b":") > _MOST_PARTS:
        return False
    return max(accumulate(_STEP.get(byte, 0) for byte in structure), default=0) <= _DEEPEST
