"""Where acp-trace keeps things: the home folder, with the spool and the store inside."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "ACP_TRACE_HOME"


@dataclass(frozen=True, slots=True)
class Home:
    """The folder that `ACP_TRACE_HOME` names, or the platform's folder for user data."""

    path: Path

    @classmethod
    def find(cls) -> Home:
        """From the environment. Touches nothing on disk. Raises OSError where no home is known."""
        named = os.environ.get(VARIABLE)
        try:
            if named:
                return cls(Path(named).expanduser().absolute())
            from platformdirs import user_data_path  # only where it is needed: it costs start-up time

            return cls(user_data_path("acp-trace", appauthor=False))
        except RuntimeError:  # what pathlib raises where the system knows no such user
            raise OSError(2, f"no home folder is known; set {VARIABLE}", named or "~") from None

    @property
    def spool(self) -> Path:
        """The folder of traces that are being written or wait to be loaded."""
        return self.path / "spool"

    @property
    def store(self) -> Path:
        """The DuckDB database of all loaded traces."""
        return self.path / "store.duckdb"

    def make(self) -> None:
        """Makes the folders, readable by their owner only: traces hold what people talk about."""
        make_private(self.spool)


def make_private(folder: Path) -> None:
    """Makes a folder and the one around it, readable by their owner only. Raises OSError.

    Those further up are made as the system makes them; what is there already stays as it is.
    """
    for path in (folder.parent, folder):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
