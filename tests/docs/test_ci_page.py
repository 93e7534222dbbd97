"""The recipes of docs/ci.md work as they are written: their script lines, run by a shell in a clean folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from acp_trace.cli import errors
from tests.docs.pages import DOCS, blocks, text_of
from tests.plugin.project import AGENT, RECORDED
from tests.support import ACP_TRACE, DEADLINE_S

PAGE = DOCS / "ci.md"
GITHUB, GITLAB = blocks(PAGE, "yaml")


def _lines(recipe: str) -> list[str]:
    """What the job's shell runs."""
    if recipe == GITHUB:
        return re.findall(r"^ +- run: (.+)$", recipe, re.MULTILINE)
    script = recipe.partition("  script:\n")[2].partition("\n  artifacts:")[0]
    return re.findall(r"^    - (.+)$", script, re.MULTILINE)


class Checkout:
    """A clean folder as the page expects it, and a shell in it."""

    def __init__(self, path: Path) -> None:
        self.path = path / "checkout"
        self._bin = path / "bin"
        program = f"#!{sys.executable} -IS\n{AGENT}"
        self._write(self.path / "build.sh", f"mkdir build && cat > build/my-agent <<'END'\n{program}\nEND\n")
        self._write(self.path / "build.sh", "chmod +x build/my-agent\n")
        for name in ("one", "two"):
            self._write(self.path / f"traces/{name}.jsonl", RECORDED.decode())
        self._write(self.path / "ci/requirements.txt", "acp-trace==0.1.0\n")
        self._write(self._bin / "pip", '#!/bin/sh\n[ "$1 $2" = "install -r" ] && cat "$3"\n')
        self._write(self._bin / "acp-trace", f'#!/bin/sh\nexec {" ".join(ACP_TRACE)} "$@"\n')
        home = {"ACP_TRACE_HOME": str(path / "home")}
        paths = f"{self._bin}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**os.environ, **home, "CI": "true", "PATH": paths}

    def break_it(self) -> None:
        """A change after which the agent ends its turns otherwise."""
        build = self.path / "build.sh"
        build.write_text(build.read_text("utf-8").replace('"end_turn"', '"refusal"'), "utf-8")

    def run(self, recipe: str) -> tuple[int, str]:
        """The job's exit code, and what it printed."""
        script = "\n".join(_lines(recipe))
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=self.path,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S * 4,
            check=False,
        )
        assert done.stderr == ""
        return done.returncode, done.stdout

    def failures(self) -> list[str]:
        """The suites of replay.xml in which something failed."""
        suites = ET.parse(self.path / "replay.xml").getroot()
        return [suite.get("name", "") for suite in suites if suite.get("failures") != "0"]

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text if path.stat().st_size or text.startswith("#!") else _shebang(path) + text)
        path.chmod(0o755)


def _shebang(path: Path) -> str:
    return "#!/bin/sh\n" if path.suffix == ".sh" else ""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


RECIPES = pytest.mark.parametrize("recipe", [GITHUB, GITLAB], ids=["github", "gitlab"])


@RECIPES
def test_the_same_agent_passes(checkout: Checkout, recipe: str) -> None:
    """Both recordings, and the report says so."""
    code, out = checkout.run(recipe)
    assert (code, checkout.failures()) == (0, [])
    assert out.endswith("2 passed\n")
    assert "::" not in out


@RECIPES
def test_a_change_fails_the_job(checkout: Checkout, recipe: str) -> None:
    """With a case for what differs, and on GitHub an annotation at each trace file."""
    checkout.break_it()
    code, out = checkout.run(recipe)
    assert (code, checkout.failures()) == (1, ["traces/one", "traces/two"])
    told = [line.partition("::")[2].partition("::")[0] for line in out.splitlines() if line[:2] == "::"]
    there = [f"error file=traces/{name}.jsonl,line=8,title=stop-reason" for name in ("one", "two")]
    assert told == (there if recipe == GITHUB else [])
    assert sorted(path.name for path in (checkout.path / "traces").iterdir()) == ["one.jsonl", "two.jsonl"]


@RECIPES
def test_nothing_is_written_that_the_page_does_not_name(checkout: Checkout, recipe: str) -> None:
    """The checkout has the report and what was built, and nothing of what was said."""
    checkout.run(recipe)
    there = {path.name for path in checkout.path.iterdir()}
    assert there == {"build", "build.sh", "ci", "replay.html", "replay.xml", "traces"}


def test_every_exit_code_is_explained() -> None:
    """With what to do."""
    codes = [errors.DIFFERS, errors.USAGE, errors.UNREADABLE, errors.NOTHING, errors.DIED]
    rows = re.findall(r"^\| (\d) \|", text_of(PAGE), re.MULTILINE)
    assert rows == [str(code) for code in (0, *codes)]


def test_the_recipes_have_lines() -> None:
    """A pattern that finds nothing would pass everything."""
    assert [len(_lines(recipe)) for recipe in (GITHUB, GITLAB)] == [3, 3]
