"""Which traces of a push a place has: asked for one by one, or listed if that takes fewer requests.

What is there is looked at if it was asked for by itself: another trace may have the same id (bucket/same.py).
A list tells names alone. docs/team.md, "Push".
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from acp_trace.places.place import AccessDenied, SharedPlace
from acp_trace.team.bucket import same

#: Up to this many traces of one agent and one day are looked up one by one, if the place is a bucket: a list
#: request returns a thousand names, but includes all that others have pushed since. A directory is never
#: listed: a look-up takes no request there.
ONE_BY_ONE = 16


@dataclass(slots=True)
class _Folder:
    """What is known of the traces of one agent and one day."""

    asked: int = 0
    first: str = ""  #: names before this one were not listed
    names: frozenset[str] | None = None


class Presence:
    """Which traces a place has. Its methods can be called from several threads."""

    def __init__(self, place: SharedPlace) -> None:
        self._place = place
        self._is_directory = place.path_of("") is not None
        self._folders: defaultdict[str, _Folder] = defaultdict(_Folder)
        self._may_ask = True
        self._lock = threading.Lock()

    def has(self, key: str, lines: Iterable[bytes]) -> bool:
        """Whether the place has this trace, under this name; what was listed, as of the first time.

        Raises ValueError if it has another one of this name, and PlaceError.
        """
        prefix = key[: key.rindex("/") + 1]
        with self._lock:
            folder = self._folders[prefix]
            folder.asked += 1
            is_few = self._is_directory or (folder.names is None and folder.asked <= ONE_BY_ONE)
        if self._may_ask and (is_few or key < folder.first):
            try:
                is_there = self._place.has(key)
            except AccessDenied:  # who may put and list need not be able to read what others have put
                self._may_ask = False
            else:
                if is_there:
                    self.check(key, lines)
                return is_there
        return key in self._listed(folder, prefix, key)

    def check(self, key: str, lines: Iterable[bytes]) -> None:
        """Raise ValueError if the object with this name is not this trace."""
        if why := same.difference(self._place.beginning(key, same.LOOKED_AT), lines):
            raise ValueError(why)

    def _listed(self, folder: _Folder, prefix: str, key: str) -> frozenset[str]:
        """The names in a directory, from one on: traces come in the order of their names, except a few."""
        with self._lock:
            if folder.names is None or key < folder.first:
                folder.first = key if self._may_ask else ""
                found = self._place.names(prefix, after=folder.first[:-1])
                folder.names = frozenset(each.name for each in found)
            return folder.names
