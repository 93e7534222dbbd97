"""docs/quickstart.md is walked as it stands: every command runs, every screen is what is printed.

Numbers, ids and paths of a run are its own, so screens are compared without them.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, text_of
from tests.support import ACP_TRACE, REPOSITORY, Home

PAGE = DOCS / "quickstart.md"
_BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: What is not run: it installs, or waits for a client.
_ELSEWHERE = ("acp-trace frames --follow",)


def _blocks() -> list[tuple[str, str]]:
    found = _BLOCK.findall(text_of(PAGE))
    return [one for one in found if not one[1].startswith(_ELSEWHERE)]


def _like(screen: str) -> list[str]:
    """A screen without what is another each time; requests of the latency table in any order.

    The parts of a turn's time count as one: those of 0 are left out, and long ones go on in another line.
    """
    for pattern, stands in (
        (r"\d{8}T\d{6}Z-[0-9a-f]{6}", "ID"),
        (r"\S*python\S*", "PYTHON"),
        (r"\d+ \w{3} \d{4} \d\d:\d\d:\d\d", "DATE"),
        (r"\d[\d.]* ?(ns|µs|ms|s)\b", "TIME"),
        (
            r"(?:(?:first output|tools|permission|other requests|writing|rest) TIME(?: \(\d+ chunks?\))?(?: ·)?\s+)+",
            "PARTS\n",
        ),
        (r"\d[\d.]*", "N"),
        (r"[ \t]+", " "),
    ):
        screen = re.sub(pattern, stands, screen)
    lines = [line.strip() for line in screen.splitlines()]
    return [line for line in lines if "TIME TIME TIME TIME" not in line] + sorted(
        line for line in lines if "TIME TIME TIME TIME" in line
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout as far as the page needs one, and `acp-trace` on the path."""
    (tmp_path / "sample_traces").symlink_to(REPOSITORY / "sample_traces")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, argv in (("acp-trace", ACP_TRACE), ("python", [sys.executable])):
        file = programs / name
        file.write_text(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n', "utf-8")
        file.chmod(0o755)
    return tmp_path


def test_every_command_does_what_the_page_says(home: Home, folder: Path) -> None:
    """From the top to the end, in one folder; a screen is that of the last command before it."""
    env = {
        **home.environment,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
    }
    env.pop("CI", None)
    printed, screens = "", 0
    for language, body in _blocks():
        if language == "sh":
            script = body.replace("pip install acp-trace && ", "")
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                check=False,
            )  # fmt: skip
            assert done.returncode == (1 if "--stubborn" in script else 0), (script, done.stdout, done.stderr)
            printed = done.stdout + done.stderr
        elif not body.startswith("acp-trace record"):
            told, seen = _like(body), _like(printed)
            missing = [line for line in told if line not in seen]
            assert missing == [], (body, printed)
            screens += 1
    assert screens == 6
