"""One side's values in the form in which they are compared: the only module that applies the rules.

The level, a row of a table here, decides how much is put into one form. `directories`, `forms`, `ids`,
`times` and `figures` find the differences, and `masks` hides values on demand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from acp_trace.normalize import figures, forms, ids, times
from acp_trace.normalize.directories import Directories
from acp_trace.normalize.forms import Found
from acp_trace.normalize.masks import Masks, Side
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.trace import jsontext


class Level(NamedTuple):
    """How much is put into one form.

    - `directories`: in strings that are paths, or wherever a text names one
    - `forms`: recognisable forms in a text: only ids, or moments and figures too (`forms`)
    - `members`: whose members are known by name: those of a tool's input and output, or of a request to
      a model, in which most are settings: a limit of tokens is not a figure of a run
    - `keys`: whether all keys of objects are texts as well; two that become equal are one. In a tool's input
      and output, keys that are not plain names are texts too, and all keys stay apart
    """

    directories: Literal["paths", "texts"] | None
    forms: Literal["ids", "all"] | None = None
    members: Literal["tool", "request"] | None = None
    keys: bool = False


#: For values that are compared one by one, such as parameters.
PATHS = Level("paths")
#: For command lines, and whole frames: agents quote directories in them.
COMMANDS = Level("texts")
#: For what people see.
CONTENT = Level("texts", "all", "tool")
#: For a request to a model, some of whose ids the recording made again.
REQUEST_IDS = Level(None, "ids", "request", keys=True)
#: For a request to a model, on another day and in another directory.
REQUEST = Level("texts", "all", "request", keys=True)

#: Members of terminal/create that are command lines.
_COMMANDS = (("params", "command"), ("params", "args"))
_WORD = re.compile(r"[\w-]{8,}")
#: A key that is the same in every run.
_NAME = re.compile(r"[A-Za-z_$-]*\d{0,5}")
_SHORT = 4096  #: characters of a text that may come again: a title, a name, a command
_REMEMBERED = 1024  #: number of such texts
_DEEPEST = 100  #: levels of nested objects that are examined


class Normalizer:
    """The values of one side, as they are compared.

    `ids`: ids that the sides of a trace made up, and that texts may quote. `counts`: whether a value that a
    mask hides here counts as a use of the mask.
    """

    def __init__(
        self,
        side: Side,
        directories: Directories,
        masks: Masks | None = None,
        ids: Collection[str] = (),
        *,
        counts: bool = True,
    ) -> None:
        self.side = side
        self._directories = directories
        self._masks = Masks() if masks is None else masks
        self._ids = frozenset(id_ for id_ in ids if _WORD.fullmatch(id_))
        self._counts = counts
        self._remembered = lru_cache(_REMEMBERED)(self._put)

    # -- values of frames, under their masks

    def seen(self, value: Any, path: Path = ()) -> Any:
        """Return a value of a frame as it is compared; `path`: its place in the frame."""
        return self._compared(value, path, COMMANDS if path in _COMMANDS else PATHS)

    def shown(self, value: Any, path: Path = ()) -> Any:
        """Return a value for people, as `content` compares it: without ids, times, directories in texts."""
        return value if value is NOTHING else self._compared(value, path, CONTENT)

    def text(self, value: Any, path: Path = ()) -> str:
        """Return `seen` as JSON text: equal for equal values, in any order of keys."""
        return jsontext.canonical(self.seen(value, path))

    def frame(self, message: Any, text: bytes) -> str:
        """Return a whole message as JSON text; `text` is its original text."""
        if self._masks or self._directories.touch(text):
            message = self._compared(message, (), COMMANDS)
        return jsontext.canonical(message)

    def _compared(self, value: Any, path: Path, level: Level) -> Any:
        try:
            if self._masks:
                value = self._masks.hide(self.side, value, path, counts=self._counts)
            return self.value(value, level)
        except RecursionError:  # nested deeper than anything that has a path or a mask
            return value

    # -- values and texts at a level

    def path(self, text: str) -> str:
        """Return a path of this trace as it is compared; another string unchanged."""
        return self._directories.path(text)

    def words(self, text: str, level: Level) -> str:
        """Return a text at a level: `took 3.1s in /tmp/x` is `took ‹duration› in ‹cwd›`."""
        return self._remembered(text, level) if len(text) <= _SHORT else self._put(text, level)

    def value(
        self, value: Any, level: Level, field: str = "", found: Found | None = None, depth: int = 0
    ) -> Any:
        """Return a value with its texts at a level. `field`: its member; `found` collects masked texts."""
        if isinstance(value, str):
            if level is PATHS:  # most values
                return self._directories.path(value)
            if level.members == "request" and field and ids.is_named(field, value):
                if found is not None:
                    found.ids.append(value)
                return ids.MASK
            if level.forms is None or found is not None:
                return self._put(value, level, found)
            return self.words(value, level)
        if isinstance(value, (int, float)) and level.forms == "all" and not isinstance(value, bool):
            return times.TIME if times.is_moment(value) else value
        if depth > _DEEPEST:
            return value
        depth += 1
        if isinstance(value, list):
            return [self.value(inner, level, field, found, depth) for inner in value]
        if not isinstance(value, dict):
            return value
        if level.members == "tool":
            members = {key: self._of_tool(key, inner, level, found, depth) for key, inner in value.items()}
            return self._with_keys(members, level)
        if level.keys:
            return {
                self._put(key, level, found): self.value(inner, level, key, found, depth)
                for key, inner in value.items()
            }
        return {key: self.value(inner, level, key, found, depth) for key, inner in value.items()}

    def _with_keys(self, members: dict[str, Any], level: Level) -> dict[str, Any]:
        """Return members in the same order, under the words of keys that are ids, paths or times.

        Keys that become equal are numbered: none is lost, and `pointers.resolved` finds each.
        """
        if all(map(_NAME.fullmatch, members)):  # of nearly every object
            return members
        put: dict[str, Any] = {}
        numbers = Counter[str]()  # a hostile object has a million such keys
        for key, value in members.items():
            name = words = key if _NAME.fullmatch(key) else self.words(key, level)
            while name in put:
                numbers[words] += 1
                name = f"{words} {numbers[words] + 1}"
            put[name] = value
        return put

    def _of_tool(self, key: str, value: Any, level: Level, found: Found | None, depth: int) -> Any:
        """Return a member of a tool's input or output, also without figures of times and usage."""
        if isinstance(value, (str, int)) and ids.is_made_up(key, value):
            return ids.MASK
        if figures.is_measured(key):
            return self._figure(value, level, found, depth)
        return self.value(value, level, key, found, depth)

    def _figure(self, value: Any, level: Level, found: Found | None, depth: int) -> Any:
        """Return a figure, or an object of figures: `{"duration": {"secs": 0, "nanos": 17347982}}`."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return times.TIME if times.is_moment(value) else figures.FIGURE
        if isinstance(value, dict) and depth <= _DEEPEST:
            return {key: self._figure(inner, level, found, depth + 1) for key, inner in value.items()}
        return self.value(value, level, "", found, depth)

    def _put(self, text: str, level: Level, found: Found | None = None) -> str:
        """Return a text with one form for everything that the level names."""
        if level.directories is not None:
            text = self._directories.path(text)
            if level.directories == "texts":
                text = self._directories.named(text)
        if level.forms is None:
            return text
        found = Found([], []) if found is None else found
        if level.forms == "ids":
            return forms.without_ids(text, found)
        if self._ids and not self._ids.isdisjoint(_WORD.findall(text)):
            text = _WORD.sub(self._id, text)
        return forms.neutral(text, found)

    def _id(self, match: re.Match[str]) -> str:
        return ids.MASK if match[0] in self._ids else match[0]
