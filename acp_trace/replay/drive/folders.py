"""Where a live run goes on: a folder that was named, a fresh one, or a copy of a workspace.

Fresh folders are removed when the run is over. What a recording calls a folder is any text: whatever it
says, nothing is made outside of these folders (docs/security.md, "What a replay does").
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from acp_trace.replay.drive.copying import copy
from acp_trace.replay.drive.stop import Stop
from acp_trace.trace.scratch import scratch


@contextmanager
def folders(
    recorded: Sequence[str], *, cwd: Path | None = None, workspace: Path | None = None, stop: Stop
) -> Iterator[dict[str, str]]:
    """For each folder of a recording that of the live run. Raises OSError; `Stopped` in the middle of a copy.

    The first one is `cwd`, else fresh, with the content of `workspace`; those that lie in another one
    lie there again, every other one is fresh and empty. So is one that would lead out of there.
    """
    root: Path | None = None
    found: dict[str, str] = {}
    with ExitStack() as removed:
        for folder in recorded:
            above = next((one for one in found if _within(folder, one)), None)
            inner = None if above is None else _made(found[above], folder[len(above.rstrip("/\\")) :])
            if inner is not None:
                found[folder] = inner
            elif cwd is not None and not found:
                found[folder] = str(cwd.resolve())
            else:
                root = root or removed.enter_context(scratch())
                fresh = tempfile.mkdtemp(prefix="", dir=root)
                if workspace is not None and not found:
                    copy(workspace, Path(fresh), leave_out=root, stop=stop)
                found[folder] = fresh
        yield found


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
