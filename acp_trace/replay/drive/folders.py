"""Where a live run goes on: a folder that was named, a fresh one, or a copy of a workspace.

Fresh folders are removed when the run is over. What a recording calls a folder is any text: whatever it
says, nothing is made outside of these folders (issue 5, Security).
"""

from __future__ import annotations

import errno
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
    lie there again, every other one is fresh and empty. So is one that would lead out of there.
    """
    made: list[Path] = []
    found: dict[str, str] = {}
    try:
        for folder in recorded:
            above = next((one for one in found if _within(folder, one)), None)
            inner = None if above is None else _made(found[above], folder[len(above.rstrip("/\\")) :])
            if inner is not None:
                found[folder] = inner
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


def _made(root: str, more: str) -> str | None:
    """The folder of this name below a root; None where it would lie elsewhere, or is no name at all."""
    try:
        inner = Path(os.path.realpath(root + more))
        if not inner.is_relative_to(os.path.realpath(root)):
            return None
        inner.mkdir(parents=True, exist_ok=True)
    except ValueError:  # a NUL
        return None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            return None
        raise
    return str(inner)
