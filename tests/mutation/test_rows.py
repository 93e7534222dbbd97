"""Every row of the table names code that is there once: a rename that misses the table is noticed at once."""

from __future__ import annotations

from pathlib import Path

import pytest

import acp_trace
from tests.mutation.run import FAULTS, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_line_is_there_once(fault: Fault) -> None:
    """Otherwise the fault cannot be put in, and the long run ends with STALE."""
    text = (Path(acp_trace.__file__).parent / fault.file).read_text("utf-8")
    assert text.count(fault.was) == 1
