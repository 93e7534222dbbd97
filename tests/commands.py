"""Commands, run in this process: a hundred of them would take a minute as processes of their own.

What is about processes, streams or the start itself is for `Home.run`, which starts one.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, NamedTuple

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
        """Runs a command to its end. An exception fails the test."""
        self._capfd.readouterr()
        self._patch.setattr(sys, "argv", ["acp-trace", *(os.fspath(one) for one in args)])
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        out, err = self._capfd.readouterr()
        return Said(out, err, code)

    def passes(self, *args: str | os.PathLike[str]) -> str:
        """What a command printed that has to end well."""
        said = self(*args)
        assert said.code == 0, said
        return said.out

    def json(self, *args: str | os.PathLike[str]) -> Any:
        """What a command says with `--json`, that has to end well."""
        return json.loads(self.passes(*args, "--json"))
