"""Pages whose blocks run one after the other, and whose screens are compared with what was printed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import text_of
from tests.support import ACP_TRACE, REPOSITORY, Home

_BLOCK = re.compile(r"^```(sh|python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TIMEOUT_S = 120
_SHELL = ("bash", "-euo", "pipefail", "-c")  #: stops at the first command that fails


def in_order(page: Path) -> list[tuple[str, str]]:
    """The language and the text of each block that runs or is a screen."""
    return _BLOCK.findall(text_of(page))


def missing(screen: str, printed: str) -> list[str]:
    """The lines of a page's screen that were not printed."""
    seen = comparable(printed)
    return [line for line in comparable(screen) if line not in seen]


def comparable(screen: str) -> list[str]:
    """A screen without what is another each time; requests of the latency table in any order.

    The parts of a turn's time count as one: those of 0 are left out, and long ones go on in another line.
    """
    for pattern, stands in (
        (r"\d{8}T\d{6}Z-[0-9a-f]{6}|^[0-9a-f]{6}\b", "ID"),
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
        screen = re.sub(pattern, stands, screen, flags=re.MULTILINE)
    lines = [line.strip() for line in screen.splitlines()]
    return [line for line in lines if "TIME TIME TIME TIME" not in line] + sorted(
        line for line in lines if "TIME TIME TIME TIME" in line
    )


class Checkout:
    """A directory as far as the pages need a checkout, with `acp-trace` and `python` on the path."""

    def __init__(self, home: Home, directory: Path) -> None:
        (directory / "sample_traces").symlink_to(REPOSITORY / "sample_traces")
        programs = directory / "bin"
        programs.mkdir()
        for name, argv in (("acp-trace", ACP_TRACE), ("python", [sys.executable])):
            file = programs / name
            file.write_text(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n', "utf-8")
            file.chmod(0o755)
        self.directory = directory
        self.environment = {
            **home.environment,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY),
        }
        self.environment.pop("CI", None)

    def run(self, language: str, block: str) -> subprocess.CompletedProcess[str]:
        """Runs a block of the page, `sh` or `python`, and waits for its end."""
        program = (sys.executable, "-c") if language == "python" else _SHELL
        return subprocess.run(
            [*program, block], cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=_TIMEOUT_S, check=False,
        )  # fmt: skip
