"""Inside the processes of a build: each writes down which phases it reaches, and one stands still in one of them.

So it can be killed from outside, where something can be lost, on a machine of any speed. `inside/sitecustomize.py`
brings this into every Python of a build, executors of Spark too; the package knows nothing of it. What is asked for
stands in a file that VARIABLE names (`kill_points.py`). Needs nothing but Python.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

VARIABLE = "ACP_TRACE_KILL_POINTS"
#: When it is imported, all is there that is wrapped.
_UNIT = "acp_trace.team.lake.unit"
_LOOK_S, _LONGEST_S = 0.001, 900.0


def begin() -> None:
    """Wraps what a build does, once a process imports it."""
    if VARIABLE in os.environ:
        sys.meta_path.insert(0, _WhenImported())


class _WhenImported(MetaPathFinder):
    """Finds the one module as the others would, and wraps what it uses when it is there."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname != _UNIT:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        loader: Any = spec and spec.loader
        run = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module  # a zip has one loader for all its modules
            run(module)
            wrap(module)

        loader.exec_module = exec_module
        return spec


def wrap(unit: Any) -> None:
    """Lets what a unit and a commit are made of say where they are."""
    from acp_trace.team.bucket.objects import ObjectStorage  # of a zip, if the unit is

    names, parquet = unit.names, unit.parquet
    place: Any = ObjectStorage
    put, pieces = place.put, place.pieces
    left = 0  # files of the group that is being put

    def counting(write: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(write)
        def writing(*args: Any) -> Any:
            nonlocal left
            made = write(*args)
            left = len(made)
            reached("deriving")
            return made

        return writing

    def reading(self: Any, name: str) -> Any:
        if name.startswith("traces/"):
            reached("deriving", name)
        return pieces(self, name)

    def putting(self: Any, name: str, data: Any) -> Any:
        nonlocal left
        is_commit = names.commit_number(name) is not None
        if not is_commit and names.group_of(name) is None:
            return put(self, name, data)
        if is_commit:
            reached("before the commit", name)
        reached("committing" if is_commit else "putting", name, lambda share: _half(self, name, data, share))
        done = put(self, name, data)
        left -= not is_commit
        reached(
            "after a commit" if is_commit else "between files" if left else "before the commit",
            name,
        )
        return done

    place.put, place.pieces = putting, reading
    parquet.write_tables, parquet.copy_tables = map(counting, (parquet.write_tables, parquet.copy_tables))


def reached(phase: str, name: str = "", prepare: Callable[[float], Path | None] = lambda _: None) -> None:
    """Writes that down; stands still, if it is the process that shall, until it may go on.

    `prepare` makes a file that is there meanwhile, and is told which share of it.
    """
    try:
        asked = json.loads(Path(os.environ[VARIABLE]).read_bytes())
    except FileNotFoundError:
        return
    directory = Path(asked["directory"])
    line = f"{os.getpid()} {time.monotonic()} {phase}\n".encode()
    with (directory / "log").open("ab", buffering=0) as log:
        log.write(line)
        end = log.tell()
    if asked["phase"] != phase or (directory / "halted").exists():
        return
    with (directory / "log").open("rb") as log:
        nth = sum(one.endswith(f" {phase}\n".encode()) for one in log.read(end).splitlines(keepends=True))
    if nth != asked["nth"]:
        return
    made = prepare(asked["share"])
    (directory / "halted.new").write_text(json.dumps({"pid": os.getpid(), "name": name}))
    (directory / "halted.new").rename(directory / "halted")
    deadline = time.monotonic() + _LONGEST_S
    while not (directory / "go").exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nobody killed what stands at {phase}")
        time.sleep(_LOOK_S)
    if made is not None:
        made.unlink()


def _half(place: Any, name: str, data: Any, share: float) -> Path | None:
    """The file that a put is writing in a directory, with this share of its bytes: as obstore calls it."""
    path: Path | None = place.path_of(f"{name}#1")
    if path is not None:
        whole = data if isinstance(data, bytes) else data.read()
        if whole is not data:
            data.seek(0)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(whole[: round(len(whole) * share)])
    return path
