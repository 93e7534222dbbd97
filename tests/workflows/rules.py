"""Our own rules for the files that GitHub runs: what a schema cannot say. Text and parsed documents in, faults out.

They keep a job from running code or spending rights that nobody reviewed: actions are pinned by commit, because a
tag can be moved; no `${{ … }}` is pasted into a script, because its value may come from a stranger; rights are granted
to one job, not to all; and a job that hangs ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_USES = re.compile(r"^\s*(?:- )?uses: *(\S+)(?: +# *(\S+))?", re.MULTILINE)
_PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
_VERSION = re.compile(r"v\d+(\.\d+)*")


def faults(text: str, document: Mapping[str, Any], own: str) -> list[str]:
    """What is wrong in a workflow or a composite action, one line each.

    `own` is our `owner/name`: its action may be named by a tag, which is how users name it.
    """
    found = [*_unpinned(text, own), *_pasted(document)]
    if "jobs" in document:
        found += [*_rights(document), *_endless(document)]
    return found


def _unpinned(text: str, own: str) -> Iterator[str]:
    for action, version in _USES.findall(text):
        if action.startswith((f"{own}@", "./")):
            continue
        if not _PINNED.fullmatch(action):
            yield f"{action}: pin it by the full SHA of a commit"
        elif not _VERSION.fullmatch(version):
            yield f"{action}: say in a comment which version this commit is: # v1.2.3"


def _pasted(document: Mapping[str, Any]) -> Iterator[str]:
    for step in _steps(document):
        if "${{" in step.get("run", ""):
            yield f"{step['run'].strip()}: pass the value of ${{{{ … }}}} through `env`"
        if str(step.get("uses", "")).startswith("actions/checkout@"):
            credentials = step.get("with", {}).get("persist-credentials")
            if credentials is not False:
                yield "actions/checkout: set `persist-credentials: false`"


def _rights(workflow: Mapping[str, Any]) -> Iterator[str]:
    granted = workflow.get("permissions")
    if not isinstance(granted, Mapping):
        yield "permissions: name them at the top"
    elif {"write"} & set(granted.values()):
        yield "permissions: grant `write` to the one job that needs it"


def _endless(workflow: Mapping[str, Any]) -> Iterator[str]:
    for name, job in workflow["jobs"].items():
        if "steps" in job and "timeout-minutes" not in job:
            yield f"{name}: set timeout-minutes, because six hours are the default"


def _steps(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for part in [*document.get("jobs", {}).values(), document.get("runs", {})]:
        yield from part.get("steps", [])
