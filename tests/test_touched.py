"""The tests that a change touches are nearly always those that notice its fault."""

from __future__ import annotations

import pytest

from tests.mutation.run import FAULTS
from tests.touched import imports, touched


@pytest.mark.slow
def test_nine_of_ten_planted_faults_touch_the_test_that_notices() -> None:
    """And a change touches a tenth of all files of tests, in the middle."""
    graph = imports()
    sizes, missed = [], []
    for fault in FAULTS:
        files = touched([f"acp_trace/{fault.file}"], graph)
        sizes.append(len(files))
        named = [word.partition("::")[0] for word in fault.tests.split() if word.startswith("tests/")]
        if not any(file.startswith(name) for name in named for file in files):
            missed.append(fault.name)
    assert len(missed) <= len(FAULTS) // 10, missed
    assert sorted(sizes)[len(sizes) // 2] <= 65


@pytest.mark.slow
def test_a_page_a_helper_and_a_test() -> None:
    """A page touches the docs' tests, a helper touches its importers, a test touches itself; other files touch nothing."""
    graph = imports()
    assert "tests/docs/test_recipes.py" in touched(["docs/replay.md"], graph)
    assert "tests/compare/test_same.py" in touched(["tests/compare/conversation.py"], graph)
    assert touched(["tests/compare/test_same.py"], graph) == {"tests/compare/test_same.py"}
    assert touched(["README.md", ".gitignore", "tests/gone/test_it.py"], graph) == set()
