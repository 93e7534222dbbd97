"""The package as a file that executors import: so they derive by the rules by which the driver plans."""

from __future__ import annotations

import zipfile
from pathlib import Path

import acp_trace

NAME = "acp_trace.zip"
#: A fixed time, so that the same package gives the same file.
_TIME = (2020, 1, 1, 0, 0, 0)


def zipped(directory: Path) -> Path:
    """Writes the modules of this package into a file of a directory; its path. Raises OSError."""
    root = Path(acp_trace.__file__).parent
    made = directory / NAME
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(root.rglob("*.py")):
            name = path.relative_to(root.parent).as_posix()
            file.writestr(zipfile.ZipInfo(name, _TIME), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return made
