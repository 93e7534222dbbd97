"""Every row of the table names code that is there once: a rename that misses the table is noticed at once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import acp_trace
from tests.mutation.run import FAULTS
from tests.support import REPOSITORY


@cache
def _text(file: str) -> str:
    return (Path(acp_trace.__file__).parent / file).read_text("utf-8")


def test_each_line_is_there_once() -> None:
    """Otherwise a fault cannot be put in, and the long run ends with STALE."""
    assert [fault.name for fault in FAULTS if _text(fault.file).count(fault.was) != 1] == []


def test_each_test_is_there() -> None:
    """Otherwise pytest ends with an error of its own, which says nothing about the fault."""
    files = {test.partition("::")[0] for fault in FAULTS for test in fault.tests.split()}
    assert [file for file in sorted(files) if not (REPOSITORY / file).exists()] == []
