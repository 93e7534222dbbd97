"""Pushes after each recording, if that was switched on: the background loader runs this.

What is to be done, and what was done, is a small file in the home directory. A trace that was pushed or
refused is not looked at again; one whose place could not be reached is, after the next recording.
docs/team.md, "After each recording".
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial

import msgspec

from acp_trace.places.opening import open_place
from acp_trace.places.place import PlaceError
from acp_trace.store.connect import reading
from acp_trace.store.sources import StoredSource
from acp_trace.team.bucket.push import Push, Pushed, Secrets
from acp_trace.trace import lock
from acp_trace.trace.entries import ORIGINAL
from acp_trace.trace.home import Home
from acp_trace.trace.names import PUSHES

_LOCK = "push.lock"
#: Traces that began longer ago are no longer looked for.
_DAYS = 30
_RECENT = f"SELECT trace_id FROM traces WHERE origin IN {ORIGINAL} AND started_at >= ? ORDER BY started_at"


class Standing(msgspec.Struct, omit_defaults=True):
    """What is to be done after each recording, and what was done last."""

    place: str
    secrets: Secrets
    since: str  #: RFC 3339: traces that began earlier are not pushed
    done: list[str] = []  #: ids of the last days, of what is in the store, that were pushed or refused
    refused: int = 0  #: how many of them contain secrets
    last: str | None = None  #: when it was last tried, RFC 3339
    pushed: int = 0  #: how many it has pushed in all
    problem: str | None = None  #: why the last time failed


def standing(home: Home) -> Standing | None:
    """What was switched on; None if nothing was, or the file is not what this module writes."""
    try:
        return msgspec.json.decode((home.path / PUSHES).read_bytes(), type=Standing)
    except (OSError, msgspec.DecodeError):
        return None


def switch_on(home: Home, place: str, secrets: Secrets) -> Standing:
    """From now on, recordings are pushed to this place. Raises OSError.

    If they were before, what could not be pushed yet still will be: unless it could go with its secrets now.
    """
    home.make()
    made, before = Standing(place, secrets, _now()), standing(home)
    if before is not None and before.place == place and secrets in {before.secrets, "refuse", "redact"}:
        made = msgspec.structs.replace(before, secrets=secrets, problem=None)
    _write(home, made)
    return made


def switch_off(home: Home) -> bool:
    """Whether it had been switched on. Raises OSError."""
    try:
        (home.path / PUSHES).unlink()
    except FileNotFoundError:
        return False
    return True


def run(home: Home) -> None:
    """Push what is new, if that is switched on and no other process does so. A place that fails is noted.

    Raises OSError and StoreError, for what is on this machine.
    """
    if standing(home) is None:
        return
    with _alone(home) as is_alone:
        wanted = standing(home)
        while is_alone and wanted is not None:
            recent = _recent(home, wanted)
            wanted.done = [id_ for id_ in wanted.done if id_ in recent]
            done = set(wanted.done)
            if not (new := [id_ for id_ in recent if id_ not in done]):
                return
            _push(home, wanted, new)
            if wanted.problem is not None:
                return
            wanted = standing(home)  # it may have been switched off, and there may be more by now


def _recent(home: Home, wanted: Standing) -> dict[str, None]:
    """The ids of the traces that are pushed, or were, the oldest first."""
    earliest = max(wanted.since, _text(datetime.now(UTC) - timedelta(days=_DAYS)))
    with reading(home.store) as connection:
        rows = connection.execute(_RECENT, [earliest]).fetchall()
    return dict.fromkeys(id_ for (id_,) in rows)


def _push(home: Home, wanted: Standing, ids: list[str]) -> None:
    """Push these, and save the results."""
    wanted.last, wanted.problem = _now(), None
    try:
        # Not made: a directory without the share that belongs there is not the place that was meant.
        push = Push(open_place(wanted.place), wanted.secrets)
        for one in push.all([partial(StoredSource, home.store, id_) for id_ in ids]):
            if one.state == "failed":  # it is tried again, as what a place did not take
                wanted.problem = f"{one.id}: {one.why}"
            else:
                _note(wanted, one)
    except PlaceError as error:
        wanted.problem = str(error)
    current = standing(home)
    if current is not None and (current.place, current.since) == (wanted.place, wanted.since):
        _write(home, wanted)


def _note(wanted: Standing, one: Pushed) -> None:
    wanted.done.append(one.id)
    wanted.pushed += one.state == "pushed"
    wanted.refused += one.state == "refused"


def _now() -> str:
    return _text(datetime.now(UTC))


def _text(moment: datetime) -> str:
    """As traces say when they began, so that the texts can be compared."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _write(home: Home, what: Standing) -> None:
    hidden = home.path / f".{PUSHES}.{os.getpid()}"
    fd = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(msgspec.json.encode(what))
    os.replace(hidden, home.path / PUSHES)


@contextmanager
def _alone(home: Home) -> Iterator[bool]:
    """Whether this process may push during the block, because no other process does."""
    fd = os.open(home.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            lock.hold(fd)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(fd)
