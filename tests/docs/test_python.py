"""Every Python example of a page runs, on real traces."""

from __future__ import annotations

import inspect
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import acp_trace
from acp_trace import api
from tests.api import cancelled_turn
from tests.commands import Commands
from tests.docs.pages import DOCS, blocks, text_of
from tests.support import REPOSITORY

PAGE = DOCS / "python.md"


@pytest.mark.slow
@pytest.mark.parametrize("example", blocks(PAGE, "python"), ids=lambda example: example.split("\n")[2][:40])
def test_examples_of_the_page_run(
    example: str, commands: Commands, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    """Each as it is copied, and each prints something."""
    monkeypatch.chdir(tmp_path)
    for name in ("fast-agent-passthrough", "opencode-story"):
        commands.passes("load", REPOSITORY / "sample_traces" / f"{name}.jsonl")
    shutil.copy(REPOSITORY / "tests" / "formats" / "data" / "toad" / "toad.log", tmp_path)
    cancelled_turn.project(tmp_path, monkeypatch)
    capfd.readouterr()
    exec(compile(example, "example", "exec"), {})
    told = capfd.readouterr()
    assert told.out
    assert not told.err


def test_the_page_names_every_function_and_every_error() -> None:
    """Of `acp_trace` and of `acp_trace.api`."""
    told = set(re.findall(r"`(?:acp_trace\.)?(\w+)", text_of(PAGE)))
    assert {name for name in acp_trace.__all__ if not name.startswith("_")} <= told
    errors = {
        name
        for name in api.__all__
        if inspect.isclass(found := getattr(api, name)) and issubclass(found, Exception)
    }
    assert errors <= told
