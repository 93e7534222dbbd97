"""The door to `acp_trace.team`: the core names that package only here, and imports nothing of it early.

What is behind the door imports the core. Places of other packages come through entry points (`opening`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

#: What takes `SCHEMES`, as pyproject.toml registers it.
BUNDLED = "acp_trace.team.bucket.objects:ObjectStorage"
SCHEMES = ("file", "s3", "gs", "az")
PACKAGES = ("obstore", "fsspec", *(() if sys.version_info >= (3, 14) else ("backports.zstd",)))


def team(module: str) -> Any:
    """Import a module behind the door: `team("lake.tables")`."""
    return import_module(f"acp_trace.team.{module}")


def lacking(packages: Iterable[str] = PACKAGES) -> list[str]:
    """Return those of some packages that cannot be imported, by default of the extra `team`. Imports none."""
    return [name for name in packages if not _is_there(name)]


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ImportError:  # of `backports.zstd`, the first half may be missing, too
        return False
