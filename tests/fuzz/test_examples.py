"""The examples that Hypothesis makes: the same ones in each run, in any worker, whatever ran before."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from hypothesis.internal.conjecture import providers


def test_what_a_test_imports_changes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The constants of our modules are among the examples: of those that are there when tests are collected."""
    (tmp_path / "imported_late.py").write_text("LATE = 'imported late'\n")
    monkeypatch.syspath_prepend(tmp_path)
    late = importlib.import_module("imported_late")
    assert late.LATE not in providers._get_local_constants().strings
    assert providers._get_local_constants().strings, "without ours, examples would lack words of the protocol"
