"""The shape of a part of a message, by version, method and part. A table is read when it is needed."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from acp_trace.protocol.shapes import both_versions, version_1, version_2
from acp_trace.protocol.shapes.grammar import table
from acp_trace.protocol.shapes.judge import Fault, Judge

MessagePart = Literal["request", "notification", "response"]
_TABLES = {1: version_1.TABLE, 2: version_2.TABLE}  #: in addition to the shapes of both
#: The sides that may handle a method, by its sender.
_HANDLERS = {"client": ("agent", "protocol", "proxy"), "agent": ("client", "protocol", "proxy")}


class VersionShapes:
    """The shapes of one version of the protocol."""

    def __init__(self, version: int) -> None:
        self.table = table(both_versions.TABLE, _TABLES[version])
        self._judge, self._methods = Judge(self.table), self.table.methods

    def name(self, method: str, sender: str, part: MessagePart) -> str | None:
        """Return the name of a part's shape, or None. `sender`: for a response, the sender of its request."""
        keys = ((method, handler, part) for handler in _HANDLERS[sender])
        return next((self._methods[key] for key in keys if key in self._methods), None)

    def faults(self, value: Any, name: str) -> list[Fault]:
        """Return what does not fit the shape of this name."""
        return self._judge.faults(value, name)


@cache
def shapes(version: int) -> VersionShapes:
    """Return the shapes of version 1 or 2."""
    return VersionShapes(version)
