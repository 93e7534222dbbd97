"""Secrets that were written before they were known: a key in a body, and then in a later header. Pure.

The proxy keeps what it has sent to the recorder, up to a limit, and searches it again at its end, when all
secrets are known. It sends the recorder their places in the capture, never the secrets. The recorder
overwrites those bytes (`acp_trace.record.late_cuts`), so nothing else in the capture moves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from acp_trace.model.records import Record, document
from acp_trace.model.secrets import Secrets
from acp_trace.trace.capture_layout import CUTS, MODEL, MODEL_HEAD
from acp_trace.trace.late_places import LatePlace, check, packed

#: Bytes that are kept. A search through them takes well under the time that a proxy has to end.
_MOST = 16 << 20


class LateSecrets:
    """Feed it all records on their way, then ask for the `places`. Create it before anything is written.

    `dropped`: bytes that were not looked through, because they were too many.
    """

    def __init__(self, secrets: Secrets, most: int = _MOST) -> None:
        self._secrets, self._most = secrets, most
        self._known = secrets.forms()
        self._kept: deque[tuple[tuple[int, int], int, bytes]] = deque()
        self._sizes: dict[tuple[int, int], int] = {}
        self._size = self.dropped = 0

    def through(self, records: Iterable[Record]) -> Iterator[Record]:
        """Pass the records on, and keep them."""
        for record in records:
            if record.stream in MODEL and record.exchange:
                key = (record.stream, record.exchange)
                at = self._sizes.get(key, 0)
                self._sizes[key] = at + len(record.data)
                self._kept.append((key, at, record.data))
                self._size += len(record.data)
                while self._size > self._most:
                    lost = len(self._kept.popleft()[2])
                    self._size, self.dropped = self._size - lost, self.dropped + lost
            yield record

    def records(self) -> Iterator[Record]:
        """Return what to send at the end: where late secrets are, and how much was not searched for them."""
        if places := self.places():
            yield Record(CUTS, 0, packed(places))
        if self.dropped and self._secrets.forms() - self._known:
            yield document(0, late_secrets={"unchecked_bytes": self.dropped})

    def places(self) -> list[LatePlace]:
        """Return the places of secrets that became known after they were written."""
        late = self._secrets.forms() - self._known
        if not late:
            return []
        pieces: dict[tuple[int, int], list[tuple[int, bytes]]] = {}
        for key, at, data in self._kept:
            pieces.setdefault(key, []).append((at, data))
        found = []
        for key, parts in pieces.items():
            whole = b"".join(data for _, data in parts)
            for start, end in self._secrets.late_spans(whole, late):
                if key[0] == MODEL_HEAD and whole[end : end + 2] == b'":':
                    continue  # a JSON key of the trace itself, which is the same word
                found.append(LatePlace(*key, parts[0][0] + start, end - start, check(whole[start:end])))
        return found
