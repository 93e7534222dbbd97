"""The reports that `acp-trace check` writes for CI systems."""

from __future__ import annotations

import json
import os
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.checking import CLEAN, noisy
from tests.support import ACP_TRACE, DEADLINE_S, Home


def _reports(
    home: Home, tmp_path: Path, *args: str, code: int
) -> tuple[dict[str, Any], ET.Element, dict[str, Any]]:
    """One run with all three reports."""
    junit, sarif = tmp_path / "check.xml", tmp_path / "check.sarif"
    told = home.json("check", *args, "--junit", str(junit), "--sarif", str(sarif), code=code)
    return told, ET.fromstring(junit.read_bytes()), json.loads(sarif.read_bytes())


def test_a_page_is_written_whatever_the_outcome(home: Home, tmp_path: Path) -> None:
    """It is beside the report, or in its place; what is read twice cannot be a pipe."""
    path, page = noisy(tmp_path / "x.jsonl", words=("oops",)), tmp_path / "check.html"
    assert home.run("check", str(path), "--html", str(page), code=1).startswith("FAILED: 1 error")
    assert home.run("check", str(path), "--html", "-", code=1) == page.read_text()
    refused = home.outcome("check", "-", "--html", str(page), stdin=path.read_bytes())
    assert (refused.returncode, b"standard input can be read only once" in refused.stderr) == (2, True)


def test_reports_are_written_together(home: Home, tmp_path: Path) -> None:
    """JUnit, SARIF and JSON of one run agree; the next run writes them anew."""
    path = noisy(tmp_path / "x.jsonl", words=("oops", "again"))
    told, junit, sarif = _reports(home, tmp_path, str(path), code=1)
    assert [one["frame"] for one in told["traces"][0]["findings"]] == [3, 4]
    assert (junit.get("tests"), junit.get("failures")) == (junit.get("tests"), "1")
    results = sarif["runs"][0]["results"]
    assert [(one["ruleId"], one["properties"]["frame"]) for one in results] == [
        ("not-json", 3),
        ("not-json", 4),
    ]
    lines = path.read_bytes().split(b"\n")
    for result, word in zip(results, (b"oops", b"again"), strict=True):
        physical = result["locations"][0]["physicalLocation"]
        assert physical["artifactLocation"]["uri"] == path.as_uri()
        assert word in lines[physical["region"]["startLine"] - 1]
    told, junit, sarif = _reports(home, tmp_path, str(CLEAN), code=0)
    assert (told["ok"], junit.get("failures"), sarif["runs"][0]["results"]) == (True, "0", [])


def test_github(home: Home, tmp_path: Path) -> None:
    """Annotations under the report; no line from the traffic is one."""
    path = noisy(tmp_path / "x.jsonl", words=("::error title=evil::100%", "##[error]evil"))
    lines = home.run("check", str(path), "--github", code=1).splitlines()
    assert lines[0] == "FAILED: 2 errors"
    (command,) = [one for one in lines if one.lstrip().startswith("::")]
    assert command.startswith(f"::error file={path},line=5,title=not-json::")
    assert not any("##[" in one for one in lines)


def test_paths_are_relative_to_the_working_folder(home: Home, tmp_path: Path) -> None:
    """So that a CI system finds the file in its checkout."""
    (tmp_path / "traces").mkdir()
    noisy(tmp_path / "traces" / "x.jsonl")
    done = subprocess.run(
        [*ACP_TRACE, "check", "./traces/x.jsonl", "--sarif", "-"],
        cwd=tmp_path, env=home.environment, capture_output=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    (result,) = json.loads(done.stdout)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "traces/x.jsonl"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a file that is always full")
def test_a_report_that_cannot_be_written(home: Home) -> None:
    """Exit 2 and one line: a report that is missing is not the trace's fault."""
    done = home.outcome("check", str(CLEAN), "--sarif", "/dev/full")
    assert done.returncode == 2
    assert b"/dev/full cannot be written: No space left" in done.stderr
    assert b"Traceback" not in done.stderr
