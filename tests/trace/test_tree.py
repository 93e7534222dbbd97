"""Trees that an agent may have made: of any depth, with links and what cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_trace.trace import tree
from tests.deep import deep_tree


def test_a_tree_is_walked_as_os_walk_does(tmp_path: Path) -> None:
    """A link to a directory is among the directories and is not followed; a caller may leave some out."""
    for name in ("a/b", "skipped/c"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a" / "file").write_text("x")
    (tmp_path / "a" / "link").symlink_to("..")
    (tmp_path / "a" / "circle").symlink_to("circle")
    seen = {}
    for here, below, files in tree.walk(str(tmp_path)):
        below[:] = sorted(name for name in below if name != "skipped")
        seen[os.path.relpath(here, tmp_path)] = (*below, "-", *sorted(files))
    assert seen == {".": ("a", "-"), "a": ("b", "link", "-", "circle", "file"), "a/b": ("-",)}


@pytest.mark.slow
def test_a_deep_tree(tmp_path: Path) -> None:
    """Deeper than Python's stack. What is below the longest path that a system takes is passed over."""
    with deep_tree(tmp_path):
        assert 1000 < sum(1 for _ in tree.walk(str(tmp_path))) <= 3001
