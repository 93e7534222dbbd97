"""Another process that does a part of the work: whether there can be one, and messages between the two."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acp_trace.trace import helper


def test_messages_that_were_cut_are_none(tmp_path: Path) -> None:
    """Nothing is made of a part of one; what follows a whole one stays."""
    path = tmp_path / "messages"
    with path.open("wb") as out:
        helper.send(out, b"one")
        helper.send(out, b"two")
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        with path.open("rb") as source:
            read = [helper.received(source) for _ in range(3)]
        assert read == [b"one" * (length >= len(whole) / 2), b"two" * (length == len(whole)), b""]


def test_one_processor_or_no_python_has_no_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that has Python inside of it may not know one that it can start."""
    monkeypatch.setattr(helper, "cores", lambda: 2)
    assert helper.can_help()
    for nothing in ("", None):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", nothing)
            assert not helper.can_help()
    monkeypatch.setattr(helper, "cores", lambda: 1)
    assert not helper.can_help()
