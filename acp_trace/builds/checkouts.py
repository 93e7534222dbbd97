"""The builds of a git repository: its commits, and one of them checked out and built.

Each commit gets a worktree of its own. The repository's own files, branches and index stay as they are.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acp_trace.builds import tools
from acp_trace.builds.semver import BadVersion
from acp_trace.builds.tools import NotInstallable, Unavailable

#: Digits of a commit that people see.
SHORT = 12


def commits(repository: Path, good: str, bad: str, stop: threading.Event) -> list[str]:
    """The commits from one to another, both included, oldest first, by the first parent.

    Raises BadVersion if the older one is not before the newer one; Unavailable and Cancelled.
    """
    first, last = (_commit(repository, each, stop) for each in (good, bad))
    if first == last:
        raise BadVersion(f"{good} and {bad} are the same commit")
    before = _git(repository, stop, "merge-base", "--is-ancestor", first, last)
    if before.code:
        raise BadVersion(f"{good} is not a commit before {bad}")
    listed = _git(repository, stop, "rev-list", "--first-parent", "--reverse", f"{first}..{last}")
    if listed.code:
        raise Unavailable(f"git cannot list the commits: {listed.why}")
    return [first, *listed.out.split()]


def check_out(
    directory: Path, repository: Path, commit: str, command: str | None, stop: threading.Event
) -> Mapping[str, Any]:
    """Checks a commit out below the directory, and builds it. `command`: for the shell, in the checkout.

    Raises NotInstallable, Unavailable and Cancelled.
    """
    tree = directory / "tree"
    _git(repository, stop, "worktree", "prune")
    done = _git(repository, stop, "worktree", "add", "--detach", "--force", str(tree), commit)
    if done.code:
        done.check_reach()
        raise NotInstallable(f"git cannot check it out: {done.why}")
    if command is not None:
        built = tools.run(["sh", "-c", command], stop, cwd=tree)
        if built.code:
            with contextlib.suppress(Unavailable):
                _git(repository, stop, "worktree", "remove", "--force", str(tree))
            built.check_reach()
            raise NotInstallable(f"the build command ended with {built.code}: {built.why}")
    return {"programs": {}, "scripts": [], "tree": str(tree)}


def _commit(repository: Path, name: str, stop: threading.Event) -> str:
    words = "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
    done = _git(repository, stop, *words)
    if done.code:
        raise BadVersion(f"{name!r} is not a commit of {repository}")
    return done.out.split()[-1]


def _git(repository: Path, stop: threading.Event, *words: str) -> tools.Done:
    return tools.run(["git", "-C", str(repository), *words], stop, is_list=True)
