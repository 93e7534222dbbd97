"""Where acp-trace keeps its files: the home directory, with the spool and the store inside."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from acp_trace.trace import names
from acp_trace.trace.names import make_private


@dataclass(frozen=True, slots=True)
class Home:
    """The directory that `ACP_TRACE_HOME` names, or the platform's directory for user data."""

    path: Path

    @classmethod
    def find(cls) -> Home:
        """Return the environment's home. Touches nothing on disk. Raises OSError if none is known."""
        return cls(Path(names.home_directory()))

    @property
    def spool(self) -> Path:
        """The directory of traces that are being written or are not yet imported."""
        return self.path / "spool"

    @property
    def store(self) -> Path:
        """The DuckDB database of all imported traces."""
        return self.path / "store.duckdb"

    def make(self) -> None:
        """Make the directories, readable by their owner only: traces contain private conversations."""
        make_private(str(self.spool))
