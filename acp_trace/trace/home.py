"""Where acp-trace keeps things: the home directory, with the spool and the store inside."""

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
        """The home that the environment names. Touches nothing on disk. Raises OSError if it names none."""
        return cls(Path(names.home_directory()))

    @property
    def spool(self) -> Path:
        """The directory of traces that are being written or wait to be loaded."""
        return self.path / "spool"

    @property
    def store(self) -> Path:
        """The DuckDB database of all loaded traces."""
        return self.path / "store.duckdb"

    def make(self) -> None:
        """Makes the directories, readable by their owner only: traces hold what people talk about."""
        make_private(str(self.spool))
