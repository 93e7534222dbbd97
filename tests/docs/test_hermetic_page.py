"""What the README and docs/evidence/hermetic.md say of replays without a model, as far as it can be seen without npm."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence

from acp_trace.model.calls import model_calls
from acp_trace.model.exchange import exchanges_in
from acp_trace.trace.parse import Parser
from tests.commands import Commands
from tests.docs.pages import DOCS, README, blocks, text_of
from tests.real.hermetic_table import ERRORS_HEAD, TABLE_HEAD
from tests.real.provider_errors import TRIED
from tests.real.providers import HOSTED
from tests.support import REPOSITORY

_INSTALLS, _REPLAYS = (shlex.split(line) for line in blocks(README, "sh")[1].splitlines()[1:])
_SAMPLE = REPOSITORY / _REPLAYS[2]
_SCREEN = next(block for block in blocks(README, "text") if "model: recorded" in block)
_PAGE = text_of(DOCS / "evidence" / "hermetic.md")


def test_the_readme_installs_the_agent_that_was_recorded() -> None:
    """The same version, and its program is where the second command has it."""
    (said,) = re.findall(rb'"agentInfo":\{[^}]*\}', _SAMPLE.read_bytes())
    version = json.loads(said.partition(b":")[2])["version"]
    assert _INSTALLS[-1] == f"@google/gemini-cli@{version}"
    program, *arguments = _REPLAYS[_REPLAYS.index("--") + 1 :]
    recorded = json.loads(_SAMPLE.read_bytes().partition(b"\n")[0])["agent"]["argv"]
    assert program == f"{_INSTALLS[3]}/node_modules/.bin/gemini"
    assert [recorded[0].rpartition("/")[2], *recorded[1:]] == [program.rpartition("/")[2], *arguments]


def test_the_readme_counts_what_the_sample_has(commands: Commands) -> None:
    """Steps, frames and calls of the model on its screen."""
    explained = commands("replay", str(_SAMPLE), "--home", "fresh", "--explain", "--json", "--", "agent").out
    steps = sum(step["frame"] is not None for step in json.loads(explained)[0]["steps"])
    entries = list(Parser().feed(_SAMPLE.read_bytes()))
    frames = sum(entry.kind == "frame" for entry in entries)
    calls = len(model_calls(exchanges_in(entries)))
    assert f"  {steps} of {steps} steps in " in _SCREEN
    assert f"\n {frames} frames recorded · {frames} compared · 0 values masked · 0 unmatched\n" in _SCREEN
    assert f"\n model: recorded, {calls} calls, {calls} matched ({calls} environment)\n" in _SCREEN


def test_the_page_has_every_agent() -> None:
    """A row for each, in its version. Each passed every time, or the page says what failed."""
    rows = _rows("hermetic", TABLE_HEAD)
    assert list(rows) == [hosted.name for hosted in HOSTED]
    replays = 0
    for hosted in HOSTED:
        assert rows[hosted.name][1] == hosted.line.versions[0]
        passed, total = map(int, rows[hosted.name][-2].split(" of "))
        assert passed == total or f"- **{hosted.name}** failed" in _PAGE
        replays += total
    assert replays >= 200
    assert f"{replays} replays" in _PAGE


def test_the_page_has_every_agent_whose_provider_failed() -> None:
    """And each passed every time."""
    rows = _rows("errors", ERRORS_HEAD)
    assert sorted(rows) == sorted(TRIED)
    assert {row[-1] for row in rows.values()} == {"20 of 20"}


def _rows(name: str, head: Sequence[str]) -> dict[str, list[str]]:
    """Those of a measured table of the page, by the agent."""
    part = _PAGE.partition(f"<!-- {name} -->")[2].partition("<!-- end -->")[0]
    first, _, *table = [
        [cell.strip() for cell in line.strip("| ").split(" | ")] for line in part.splitlines() if "|" in line
    ]
    assert first == list(head)
    return {row[0]: row for row in table}
