"""Which files tools keep for themselves, by their names: caches, logs, locks, databases. A table. Pure.

These files differ from run to run, so they do not show the agent's work.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import PurePosixPath

#: Directories that tools make for themselves. Names that begin with a dot are skipped as well.
_CACHES = frozenset(
    {"node_modules", "__pycache__", "venv", "target", "build", "dist", "logs", "log", "tmp", "temp", "cache",
     "coverage", "htmlcov"}
)  # fmt: skip
#: Files that tools keep for themselves.
_STATE = (
    "*.log", "*.lock", "*-lock.json", "*-lock.yaml", "*.tmp", "*.temp", "*.bak", "*.swp", "*~", "*.pid",
    "*.pyc", "*.db", "*.db-*", "*.sqlite*", "*.tsbuildinfo", "nohup.out",
)  # fmt: skip


def is_plain(name: str) -> bool:
    """Whether a file's name is for people, and not one that a tool keeps for itself: `.x/a`, `a.log`."""
    *above, last = PurePosixPath(name.lower()).parts
    return not (
        any(part.startswith(".") for part in (*above, last))
        or not _CACHES.isdisjoint(above)
        or any(fnmatchcase(last, pattern) for pattern in _STATE)
    )
