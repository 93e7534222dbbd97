"""The file that executors import the package from."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from acp_trace.team.lake.spark import shipped

#: In a Python without any package: what an executor can say then; with them: all that a unit needs.
_BARE = """
import sys
sys.path.insert(0, sys.argv[1])
from acp_trace.team.lake.spark import task
print(task.__file__.startswith(sys.argv[1]), task.door.lacking(task.NEEDED)[0], task.look("file:///none").lacking[0])
"""
_WHOLE = """
import sys
sys.path.insert(0, sys.argv[1])
from acp_trace.team.lake import unit
from acp_trace.team.lake.spark import wire
print(unit.__file__.startswith(sys.argv[1]))
"""


def said(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.slow
def test_it_is_the_whole_package(tmp_path: Path) -> None:
    """The same package gives the same file; all of it is imported from there, and little without packages."""
    made = shipped.zipped(tmp_path)
    bytes_ = made.read_bytes()
    assert shipped.zipped(tmp_path).read_bytes() == bytes_
    assert {"acp_trace/__init__.py", "acp_trace/team/lake/unit.py"} <= set(zipfile.ZipFile(made).namelist())
    assert said("-S", "-I", "-c", _BARE, str(made)) == "True duckdb duckdb"
    assert said("-I", "-c", _WHOLE, str(made)) == "True"
