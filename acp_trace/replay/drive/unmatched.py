"""Requests of the agent without a recorded answer, served by the run itself (`--unmatched workspace`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_trace.replay.conversation.engine import Later
from acp_trace.replay.drive.workspace import Workspace
from acp_trace.replay.incidents import Incident

if TYPE_CHECKING:
    from acp_trace.replay.drive.terminals import Terminals


class Served:
    """The files of a run, and its terminals where they are allowed."""

    def __init__(self, directories: list[str], terminals: Terminals | None) -> None:
        self._files = Workspace(directories)
        self._terminals = terminals

    def serve(self, method: str, params: dict[str, Any]) -> dict[str, Any] | Later | None:
        """The result of a request, or where it will come from; None if it is not served."""
        if method.startswith("terminal/"):
            return None if self._terminals is None else self._terminals.serve(method, params)
        return self._files.serve(method, params)

    def finish(self) -> list[Incident]:
        """Ends what still runs; a note for each command that was run."""
        return [] if self._terminals is None else self._terminals.finish()
