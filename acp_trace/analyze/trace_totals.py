"""A trace as a whole: how its sides were started, what was counted, what was lost, how it ended.

`Analyzer` hands it each such entry, and the frames to count; it ignores what the frames contain.
"""

from __future__ import annotations

import msgspec

from acp_trace.analyze.facts import Trace
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.handshake import Handshake
from acp_trace.trace.entries import End, Entry, Gap, Header, Imported
from acp_trace.trace.jsontext import value_or_none

_LARGE = 64 * 1024  #: bytes of a line that every reader accepts
_MOST = 2**62  #: the largest value of a column, however often a hostile trace adds to it


class TraceTotals:
    """Counts and ends of one trace. The reader that reaches the end of the file sets `torn_bytes`."""

    def __init__(self) -> None:
        self.header = Header("")
        self.end: End | None = None
        self.has_times = True
        self.latest = 0  #: the time of the last entry, ns
        self.frames = {"client": 0, "agent": 0}
        self.bytes = {"client": 0, "agent": 0}
        self.odd = {"client": 0, "agent": 0}  #: frames that are not messages
        self.torn_bytes = 0
        self._number = 0
        self._large = (-1, "", 0)  #: the last frame of more than 64 KiB: number, sender, bytes
        self._frame_t = _MOST  #: when the last frame came, ns; before the first one, later than any
        #: The longest time between two frames: ns, its end, the frame that ended it.
        self._silence = (0, 0, 0)
        self._logs = 0
        self._last_log: str | None = None
        self._lost_frames = self._lost_bytes = 0
        self._damaged = 0

    @property
    def is_log(self) -> bool:
        """Whether it was read from the log of another tool."""
        return self.header.imported is not None

    @property
    def spoken(self) -> int:
        """The number of frames of both sides, including lost ones."""
        return sum(self.frames.values()) + self._lost_frames + self._damaged

    def begin(self, entry: Entry) -> Imported | None:
        """Process the header; return what it says about the log that was imported, or None."""
        self.header = Header.of(value_or_none(entry.data))
        if self.header.imported is not None:
            self.has_times = self.header.imported.has_times
        return self.header.imported

    def count(self, number: int, sender: str, size: int, t: int) -> None:
        """Count a frame: its number, its bytes and when it came (ns)."""
        self._number = number
        if t - self._frame_t > self._silence[0]:
            self._silence = t - self._frame_t, t, number
        self._frame_t = t
        self.frames[sender] += 1
        self.bytes[sender] += size
        if size > _LARGE:
            self._large = number, sender, size

    def moment(self, frame: int) -> int | None:
        """Return when a frame came (ns) if it is the latest one; None for others, which are not kept."""
        return self._frame_t if int(frame) == self._number > 0 else None

    def log(self, entry: Entry) -> None:
        """Count a line of stderr."""
        self._logs += 1
        self._last_log = entry.data[:800].decode("utf-8", "replace")[:200]

    def gap(self, entry: Entry) -> None:
        """Process a gap: frames that were not recorded."""
        gap = Gap.of(value_or_none(entry.data))
        self._lost_frames = min(self._lost_frames + gap.frames, _MOST)
        self._lost_bytes = min(self._lost_bytes + gap.bytes, _MOST)
        self._damaged += gap.is_damage

    def damage(self) -> None:
        """Count a line that cannot be read."""
        self._damaged += 1

    def finish(self, entry: Entry) -> None:
        """Process the footer."""
        self.end = End.of(value_or_none(entry.data))

    def report_large(self, findings: Findings) -> None:
        """Report that the last frame before a side left is larger than some readers accept."""
        number, sender, size = self._large
        if number != self._number or self.end is None or self.end.client_left is (sender == "client"):
            return
        left = "client" if self.end.client_left else "agent"
        text = f"the last frame before the {left} left has {size / 1000:,.1f} kB"
        text += "; some receivers accept at most 64 KiB a line"
        findings.say("large-last-frame", left, number, None, text)

    def fact(
        self, handshake: Handshake, meta_merge: str, model_requests: int | None, model_refused: int | None
    ) -> Trace:
        """Return the trace's fact, as far as it is known. `model_requests`: None if no model was recorded."""
        header, end = self.header, self.end or End()
        imported = header.imported or Imported()
        agent, client = handshake.name("agent"), handshake.name("client")
        silence, until, ended_by = self._silence if self._silence[2] else (None, 0, None)
        return Trace(
            id=header.id,
            started_at=header.started_at or None,
            duration_ns=self.latest if self.has_times else None,
            protocol_version=handshake.protocol_version,
            complete=self.end is not None,
            lost_frames=self._lost_frames,
            lost_bytes=self._lost_bytes,
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
            frames_client=self.frames["client"],
            frames_agent=self.frames["agent"],
            bytes_client=self.bytes["client"],
            bytes_agent=self.bytes["agent"],
            odd_client=self.odd["client"],
            odd_agent=self.odd["agent"],
            logs=self._logs,
            last_log=self._last_log,
            exit_code=end.exit_code,
            signal=end.signal,
            meta_merge=meta_merge,
            error=end.error,
            labels=msgspec.json.encode(header.labels).decode(),
            faults=msgspec.json.encode(header.faults).decode() if header.faults else None,
            origin=header.origin,
            replay_of=header.replay_of,
            aborted=end.aborted,
            imported_from=imported.format or None,
            has_times=self.has_times,
            senders_inferred=imported.senders_inferred,
            unused=imported.unused,
            transport=header.transport or None,
            client_left=end.client_left,
            model_requests=model_requests,
            model_refused=model_refused,
            last_frame_ns=self._frame_t if self._number else None,
            silence_from_ns=None if silence is None else until - silence,
            silence_ns=silence,
            silence_frame=ended_by,
        )
