"""Where a live run goes on: a folder that was named, a fresh one, or a copy of a workspace.

Fresh folders are removed when the run is over.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def folders(
    recorded: Sequence[str], *, cwd: Path | None = None, workspace: Path | None = None
) -> Iterator[dict[str, str]]:
    """For each folder of a recording that of the live run. Raises OSError.

    The first one is `cwd`, else fresh, with the content of `workspace`; those that lie in another one
    lie there again, every other one is fresh and empty.
    """
    made: list[Path] = []
    found: dict[str, str] = {}
    try:
        for folder in recorded:
            above = next((one for one in found if _within(folder, one)), None)
            if above is not None:
                inner = Path(found[above] + folder[len(above.rstrip("/\\")) :])
                inner.mkdir(parents=True, exist_ok=True)
                found[folder] = str(inner)
            elif cwd is not None and not found:
                found[folder] = str(cwd.resolve())
            else:
                fresh = Path(os.path.realpath(tempfile.mkdtemp(prefix="acp-trace-")))
                made.append(fresh)
                if workspace is not None and not found:
                    shutil.copytree(workspace, fresh, symlinks=True, dirs_exist_ok=True)
                found[folder] = str(fresh)
        yield found
    finally:
        for one in made:
            shutil.rmtree(one, ignore_errors=True)


def _within(folder: str, above: str) -> bool:
    return folder.startswith(above.rstrip("/\\") + "/")
