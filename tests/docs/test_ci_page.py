"""The recipes of docs/ci.md: three are those of an example, whose tests run them; the last runs here as it is written."""

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
from tests.support import ACP_TRACE, DEADLINE_S, REPOSITORY
from tests.workflows.runner import parsed

PAGE = DOCS / "ci.md"
EXAMPLE = DOCS / "examples" / "agent-in-ci"
_, ELSEWHERE = blocks(PAGE, "sh")


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
        self._write(self._bin / "pip", '#!/bin/sh\necho "$@"\n')
        self._write(self._bin / "acp-trace", f'#!/bin/sh\nexec {" ".join(ACP_TRACE)} "$@"\n')
        home = {"ACP_TRACE_HOME": str(path / "home")}
        paths = f"{self._bin}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**os.environ, **home, "CI": "true", "PATH": paths}

    def break_it(self) -> None:
        """A change after which the agent ends its turns otherwise."""
        build = self.path / "build.sh"
        build.write_text(build.read_text("utf-8").replace('"end_turn"', '"refusal"'), "utf-8")

    def run(self) -> tuple[int, str]:
        """The job's exit code, and what it printed."""
        done = subprocess.run(
            ["bash", "-e", "-c", ELSEWHERE],
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


def test_the_page_shows_the_files_of_the_example() -> None:
    """Whole, so that a copy of either is the same."""
    files = (".github/workflows/agent.yml", ".gitlab-ci.yml")
    assert blocks(PAGE, "yaml") == [text_of(EXAMPLE / name) for name in files]


def test_the_page_names_each_input_of_the_action() -> None:
    """In the order of the file, with its default."""
    inputs = parsed(REPOSITORY / "action.yml")["inputs"]
    rows = re.findall(r"^\| `([a-z]+)` \|.*\| (.*) \|$", text_of(PAGE), re.MULTILINE)
    assert [name for name, _ in rows] == list(inputs)
    assert all(f"`{its['default']}`" in dict(rows)[name] for name, its in inputs.items() if its["default"])


def test_the_same_agent_passes(checkout: Checkout) -> None:
    """Both recordings, and the report says so."""
    code, out = checkout.run()
    assert (code, checkout.failures()) == (0, [])
    assert out.endswith("2 passed\n")


def test_a_change_fails_the_job(checkout: Checkout) -> None:
    """With a case for what differs. The checkout has the report and what was built, and nothing of what was said."""
    checkout.break_it()
    code, _ = checkout.run()
    assert (code, checkout.failures()) == (1, ["traces/one", "traces/two"])
    there = {path.name for path in checkout.path.iterdir()}
    assert there == {"build", "build.sh", "replay.html", "replay.xml", "traces"}
    assert sorted(path.name for path in (checkout.path / "traces").iterdir()) == ["one.jsonl", "two.jsonl"]


def test_every_exit_code_is_explained() -> None:
    """With what to do."""
    codes = [errors.DIFFERS, errors.USAGE, errors.UNREADABLE, errors.NOTHING, errors.DIED]
    rows = re.findall(r"^\| (\d) \|", text_of(PAGE), re.MULTILINE)
    assert rows == [str(code) for code in (0, *codes)]
