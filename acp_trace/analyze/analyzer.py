"""Takes in the entries of one trace, in any pieces, and knows at any time what they say.

It numbers the frames, reads each message once, hands it to the parts that keep state, and tells
where each frame stands among the others. Never raises, whatever the entries hold.
"""

from __future__ import annotations

from typing import Any

import msgspec

from acp_trace.analyze.exchanges import Exchanges
from acp_trace.analyze.facts import Exchange, Facts, Permission, Session, ToolCall, Trace, Turn, UpdateCount
from acp_trace.analyze.sessions import Sessions
from acp_trace.protocol import methods
from acp_trace.protocol.message import Kind, Message, read
from acp_trace.trace.entries import End, Entry, Gap, Header
from acp_trace.trace.entries import Kind as EntryKind
from acp_trace.trace.jsontext import value_or_none

# Bound once: looking a member up on its enum costs more than the comparison, for every frame.
_FRAME, _REQUEST, _RESPONSE, _NOTIFICATION = (
    EntryKind.FRAME,
    Kind.REQUEST,
    Kind.RESPONSE,
    Kind.NOTIFICATION,
)

_MOST = 2**62  #: what a column holds, however often a hostile trace adds to it

#: Raised with every change of a rule: what older versions stored is derived again from the frames.
VERSION = 1


class Frame(msgspec.Struct, gc=False):
    """One frame and its place: a row of `acp-trace frames` and of the store's `frames` table."""

    frame: int  #: its number, from 1
    t_ns: int
    sender: str
    kind: Kind
    method: str | None  #: of a response, the method of the request that it answers
    id: str | None  #: the id's JSON text
    answers: int | None  #: of a response, the frame of the request
    session_id: str | None
    update: str | None  #: the kind of a session/update
    size: int  #: bytes, without the newline
    data: bytes  #: the frame verbatim
    partial: bool  #: the sender ended without a newline


class Analyzer:
    """Feed it entries, ask for `facts()`."""

    def __init__(self) -> None:
        self._header = Header("")
        self._frames = {"client": 0, "agent": 0}
        self._bytes = {"client": 0, "agent": 0}
        self._number = 0
        self._latest = 0
        self._odd = {"client": 0, "agent": 0}
        self._logs = 0
        self._last_log: str | None = None
        self._lost = [0, 0]
        self._damaged = 0
        self.torn_bytes = 0  #: to be set by whoever read the file to its end
        self._end: End | None = None
        self._initialize: dict[str, Any] = {}
        self._initialized: dict[str, Any] = {}
        self._exchanges = Exchanges()
        self._sessions = Sessions()

    def feed(self, entry: Entry) -> Frame | None:
        """Takes in the next entry; the frame, where the entry is one."""
        kind = entry.kind
        self._latest = max(self._latest, entry.t)
        if kind is _FRAME:
            return self._message(entry, read(entry.data))
        if kind is EntryKind.TEXT:
            return self._message(entry, Message(Kind.TEXT, entry.data))
        if kind is EntryKind.BASE64:
            return self._message(entry, Message(Kind.BYTES, entry.data))
        if kind is EntryKind.LOG:
            self._logs += 1
            self._last_log = entry.data[:800].decode("utf-8", "replace")[:200]
        elif kind is EntryKind.GAP:
            gap = Gap.of(value_or_none(entry.data))
            self._lost[0] = min(self._lost[0] + gap.frames, _MOST)
            self._lost[1] = min(self._lost[1] + gap.bytes, _MOST)
        elif kind is EntryKind.END:
            self._end = End.of(value_or_none(entry.data))
        elif kind is EntryKind.DAMAGED:
            self._damaged += 1
        elif kind is EntryKind.HEADER:
            self._header = Header.of(value_or_none(entry.data) or {})
        return None

    def _frame(self, entry: Entry, message: Message) -> Frame:
        sender = entry.sender or "client"
        size = len(entry.data)
        self._number += 1
        self._frames[sender] += 1
        self._bytes[sender] += size
        return Frame(
            self._number,
            entry.t,
            sender,
            message.kind,
            message.method,
            message.id,
            None,
            message.session_id,
            message.update,
            size,
            entry.data,
            entry.partial,
        )

    def _message(self, entry: Entry, message: Message) -> Frame:
        frame = self._frame(entry, message)
        number, t = frame.frame, frame.t_ns
        if message.kind is _NOTIFICATION:
            self._sessions.notification(number, t, message)
        elif message.kind is _REQUEST:
            asked = self._exchanges.request(number, t, frame.sender, message)
            if message.method == methods.INITIALIZE:
                self._initialize = message.part("params")
            self._sessions.request(number, t, message, asked)
        elif message.kind is _RESPONSE:
            answered = self._exchanges.response(number, t, frame.sender, message)
            if answered is not None:
                if answered.method == methods.INITIALIZE:
                    self._agreed(message.part("result"))
                self._sessions.response(number, t, message, answered)
                frame.method, frame.answers = answered.method, answered.frame
                frame.session_id = answered.session_id
        else:
            self._odd[frame.sender] += 1
        return frame

    def _agreed(self, result: dict[str, Any]) -> None:
        self._initialized = result
        version = result.get("protocolVersion")
        if isinstance(version, int) and not isinstance(version, bool) and abs(version) < 2**31:
            self._sessions.protocol_version = version

    def facts(self) -> Facts:
        """What the entries so far say."""
        found = Facts(self._trace(), [], [], [], [], self._pairs(), [])
        into: dict[type, list[Any]] = {
            Session: found.sessions,
            Turn: found.turns,
            ToolCall: found.tool_calls,
            Permission: found.permissions,
            UpdateCount: found.updates,
        }
        for fact in self._sessions.facts():
            into[type(fact)].append(fact)
        return found

    def _pairs(self) -> list[Exchange]:
        return [one.fact() for one in self._exchanges.all]

    def _trace(self) -> Trace:
        header, end = self._header, self._end or End()
        agent, client = _who(self._initialized, "agentInfo"), _who(self._initialize, "clientInfo")
        return Trace(
            id=header.id,
            started_at=header.started_at or None,
            duration_ns=self._latest,
            protocol_version=self._sessions.protocol_version,
            complete=self._end is not None,
            lost_frames=self._lost[0],
            lost_bytes=self._lost[1],
            damaged=self._damaged,
            torn_bytes=self.torn_bytes,
            agent_name=agent.get("name"),
            agent_title=agent.get("title"),
            agent_version=agent.get("version"),
            agent_argv=msgspec.json.encode(header.argv).decode(),
            agent_cwd=header.cwd,
            client_name=client.get("name"),
            client_title=client.get("title"),
            client_version=client.get("version"),
            frames_client=self._frames["client"],
            frames_agent=self._frames["agent"],
            bytes_client=self._bytes["client"],
            bytes_agent=self._bytes["agent"],
            odd_client=self._odd["client"],
            odd_agent=self._odd["agent"],
            logs=self._logs,
            last_log=self._last_log,
            exit_code=end.exit_code,
            signal=end.signal,
            error=end.error,
            labels=msgspec.json.encode(header.labels).decode(),
        )


def _who(message: dict[str, Any], key: str) -> dict[str, str]:
    """Name, title and version of one side: `key` in protocol 1, `info` in draft 2."""
    found = message.get(key, message.get("info"))
    found = found if isinstance(found, dict) else {}
    return {name: text for name, text in found.items() if isinstance(text, str)}
