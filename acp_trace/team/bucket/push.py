"""Traces to a place: each once, under the name that its day, its agent and its id give, without secrets.

Nothing that is there already is sent again, and nothing is replaced: a push that was broken off goes on where
it was. docs/team.md, "Push".
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Literal, NamedTuple

from acp_trace.analyze import facts
from acp_trace.analyze.listing import command_name
from acp_trace.places import layout, packing
from acp_trace.places.place import SharedPlace
from acp_trace.redact import scan
from acp_trace.redact.redactor import Redactor
from acp_trace.store.errors import StoreError
from acp_trace.store.ids import id_for
from acp_trace.store.read import decoded
from acp_trace.store.sources import Source
from acp_trace.team.bucket.presence import Presence
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.os_errors import file_and_reason
from acp_trace.trace.parse import NewerFormat
from acp_trace.trace.scratch import naming_directory

#: What is done with a trace that contains secrets.
Secrets = Literal["refuse", "redact", "keep"]
State = Literal["pushed", "there", "refused", "live", "failed"]
_IN_MEMORY = 8 << 20
_ALL = tuple(facts.ROWS)


class Pushed(NamedTuple):
    """The result for one trace."""

    id: str
    state: State
    key: str | None = None
    bytes: int = 0  #: of the lines
    packed_bytes: int = 0  #: of the object
    secrets: int = 0  #: how many different ones it contains
    rules: tuple[str, ...] = ()  #: that found them
    why: str | None = None


class Push:
    """Pushes traces to a place. Its methods can be called from several threads."""

    def __init__(self, place: SharedPlace, secrets: Secrets = "refuse") -> None:
        self._place = place
        self._secrets = secrets
        self._presence = Presence(place)

    def all(
        self, sources: Iterable[Callable[[], Source]], jobs: int = 4, tick: Callable[[], None] = lambda: None
    ) -> Iterator[Pushed]:
        """Push each of them; return the results in their order. `tick` is called for each that is done.

        If this is interrupted, requests without an answer are left to their threads, without waiting.
        """

        def one(opened: Callable[[], Source]) -> Pushed:
            try:
                with closing(opened()) as source:
                    return self.push(source)
            finally:
                tick()

        workers, is_over = ThreadPoolExecutor(jobs), False
        try:
            yield from workers.map(one, sources)
            is_over = True
        except Exception:
            is_over = True
            raise
        finally:
            workers.shutdown(wait=is_over, cancel_futures=True)

    def push(self, source: Source) -> Pushed:
        """Pushes one trace, unless it is there; tells of one that cannot be read. Raises PlaceError."""
        if source.live:
            return Pushed(source.name, "live")
        try:
            return self._push(source)
        except (OSError, Unreadable, NewerFormat, StoreError, ValueError) as error:
            why = file_and_reason(error) if isinstance(error, OSError) else str(error)
            return Pushed(source.name, "failed", why=why)

    def _push(self, source: Source) -> Pushed:
        trace = source.facts(without=_ALL).trace
        id_ = id_for(trace.id, lambda: _sha256(source))
        key = layout.key(id_, agent_of(trace))
        if self._presence.has(key, source.file()):
            return Pushed(id_, "there", key)
        pieces, searched = source.file(), ""
        if self._secrets != "keep":
            searched = _sha256(source)
            redactor = Redactor()
            for entry in source.entries():
                redactor.learn(entry)
            redactor.learn_lost(_end_of(source, trace.torn_bytes))
            secrets, rules, _ = redactor.found()
            if secrets and self._secrets == "refuse":
                return Pushed(id_, "refused", key, secrets=secrets, rules=tuple(rules))
            if secrets or (self._secrets == "redact" and redactor.lost):
                pieces = redactor.lines(source.entries())
        size = 0

        def counted() -> Iterator[bytes]:
            nonlocal size
            for piece in pieces:
                size += len(piece)
                yield piece
            if searched and _sha256(source) != searched:
                raise ValueError("the file was changed while it was searched for secrets: push it again")

        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
            for piece in packing.packed(counted()):
                with naming_directory():
                    file.write(piece)
            packed = file.tell()
            file.seek(0)
            is_new = self._place.put(key, file if packed > _IN_MEMORY else file.read())
        if not is_new:  # another process was faster
            self._presence.check(key, source.file())
        return Pushed(id_, "pushed" if is_new else "there", key, size, packed)


def _sha256(source: Source) -> str:
    """The digest of a trace's lines."""
    digest = hashlib.sha256()
    for piece in source.file():
        digest.update(piece)
    return digest.hexdigest()


def _end_of(source: Source, size: int) -> bytes:
    """The last bytes of a trace's lines."""
    end = b""
    for piece in source.file() if size else ():
        end = (end + piece)[-size:]
    return end


def agent_of(trace: facts.Trace) -> str:
    """What its agent is called: the name that it gave, or its command. Nothing if a secret is in that."""
    name = trace.agent_name or command_name(decoded(trace.agent_argv, list[str]) or ())
    return "" if scan.secrets(name) else name
