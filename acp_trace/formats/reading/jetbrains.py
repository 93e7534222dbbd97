"""JetBrains IDEs' `acp-transport.log`: a line for each message.

    2025-11-14 19:57:12,975 [     34]   FINE - AcpTransport - OUT: {"type":"…JsonRpcRequest","id":1,…}

- `OUT` is from the client. The member `type` of such messages, `com.agentclientprotocol.rpc.…`, goes over the
  wire (the Kotlin SDK writes it, and agents have complained of it), so it stays.
- The clock is local time, of an unknown zone: it is kept as the label `logged_at`. Times are taken from the
  number in brackets, ms since the IDE was started.
- A new start of the IDE and a new `initialize` begin another connection. Agents that run at the same time
share one log, and a line does not show whose it is: see `connections`.

Learned from logs that users have published (2025-11, 2025-12) and the Kotlin SDK 0.30; the IDEs are closed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from acp_trace.formats.reading import connections, text_lines
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Sender

NAME = "jetbrains"

_LINE = re.compile(
    rb"(?P<clock>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) \[ *(?P<ms>\d{1,15})\] +\w+"
    rb" - [\w.#$]*AcpTransport[\w.$]* - (?P<way>OUT|IN): ?(?P<message>.*)",
    re.DOTALL,
)
_SENDERS: dict[bytes, Sender] = {b"OUT": "client", b"IN": "agent"}
_NS = 1_000_000
#: Threads may write their lines in another order than they made them; if it falls by more, it is a new count.
_JITTER_MS = 1000


def recognises(files: Sequence[File]) -> bool:
    """Lines with a clock, `AcpTransport`, and `IN:` or `OUT:`."""
    return text_lines.mostly(files, lambda line: _LINE.match(line) is not None)


def read(files: Sequence[File]) -> list[Log]:
    """A log for each connection."""
    logs: list[Log] = []
    unused: list[Unused] = []
    for file in files:
        log, last = None, 0
        for number, line in text_lines.numbered(file.data):
            found = _LINE.match(line)
            if found is None or not jsontext.is_json(found["message"]):
                why = "is not a line of AcpTransport with a message" if found is None else "is not JSON"
                unused.append(Unused(text_lines.where(files, file, number), why))
                continue
            ms = int(found["ms"])
            if log is None or ms < last - _JITTER_MS:
                log, last, first = Log(labels={"logged_at": found["clock"].decode()}), ms, ms
                logs.append(log)
            last = max(last, ms)
            log.messages.append(Sent(found["message"], _SENDERS[found["way"]], (last - first) * _NS))
    if not logs:
        raise NotThisFormat("looked for lines with `AcpTransport - IN:` or `OUT:`: a log of a JetBrains IDE")
    logs[0].unused = unused
    return [one for log in logs for one in connections.split(log)]
