"""Commands, run in this process: a hundred of them would take a minute as processes of their own."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

import pytest

from acp_trace.cli import main
from tests.support import Home


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    out: str
    err: str
    code: int


class Commands:
    """Runs commands in a home of their own."""

    def __init__(self, home: Home, capfd: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.home = home
        self._capfd = capfd
        self._patch = patch

    def __call__(self, *args: str | os.PathLike[str]) -> Said:
        """Runs a command to its end. A traceback fails the test."""
        self._capfd.readouterr()
        self._patch.setattr(sys, "argv", ["acp-trace", *(os.fspath(one) for one in args)])
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        out, err = self._capfd.readouterr()
        return Said(out, err, code)


@pytest.fixture
def commands(home: Home, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Commands in this process; the loader in the background is left out, and CI is not meant."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr("acp_trace.cli.playing.start_loader", lambda: None)
    return Commands(home, capfd, monkeypatch)
