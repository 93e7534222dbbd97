"""One side's values as they are compared: under its masks, and with its paths made comparable."""

from __future__ import annotations

from typing import Any

from acp_trace.normalize.directories import Directories
from acp_trace.normalize.masks import Masks, Side
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.normalize.wording import Wording
from acp_trace.trace import jsontext

#: Members of terminal/create that are command lines.
_COMMANDS = (("params", "command"), ("params", "args"))


class Normalizer:
    """How one side is looked at. `counts`: whether what a mask hides here is counted as a use of it."""

    def __init__(
        self,
        side: Side,
        directories: Directories,
        masks: Masks,
        wording: Wording | None = None,
        *,
        counts: bool = True,
    ) -> None:
        self.side = side
        self._wording = Wording(directories) if wording is None else wording
        self._counts = counts
        self._directories = directories
        self._masks = masks

    def seen(self, value: Any, path: Path = ()) -> Any:
        """A value of a frame as it is compared; `path`: where it stands there."""
        try:
            hidden = self._masks.hide(self.side, value, path, counts=self._counts)
            return (
                self._directories.quoted(hidden) if path in _COMMANDS else self._directories.neutral(hidden)
            )
        except RecursionError:  # nested deeper than anything that has a path or a mask
            return value

    def frame(self, message: Any, text: bytes) -> str:
        """A whole message as JSON text; `text` is how it came. Agents quote directories in texts, too."""
        if not (self._masks or self._directories.touch(text)):
            return jsontext.canonical(message)
        try:
            return jsontext.canonical(
                self._directories.quoted(self._masks.hide(self.side, message, counts=self._counts))
            )
        except RecursionError:  # nested deeper than anything that has a path or a mask
            return jsontext.canonical(message)

    def text(self, value: Any, path: Path = ()) -> str:
        """What `seen` gives, as JSON text: equal for equal values, whatever the order of their keys."""
        return jsontext.canonical(self.seen(value, path))

    def shown(self, value: Any, path: Path = ()) -> Any:
        """A value that people see, as `content` compares it: without ids, times and directories in texts."""
        if value is NOTHING:
            return value
        try:
            return self._wording.neutral(self._masks.hide(self.side, value, path, counts=self._counts))
        except RecursionError:  # nested deeper than anything that has a path or a mask
            return value

    def path(self, text: str) -> str:
        """A path of this trace as it is compared; another string as it is."""
        return self._directories.path(text)
