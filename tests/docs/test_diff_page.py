"""docs/diff.md says what `diff` takes and prints."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from acp_trace.compare.codes import MATCHES
from acp_trace.compare.result import ModelOutcome, PlacedChange
from acp_trace.model.changes import ModelChange
from acp_trace.normalize.masks import TYPES, parse
from acp_trace.report.json.diff import document
from acp_trace.report.json.diff import model as model_object
from tests.compare.conversation import base, chunk, compared, file, instead
from tests.docs.pages import DOCS, blocks, inline, text_of
from tests.support import ACP_TRACE, DEADLINE_S, REPOSITORY, Home

PAGE = DOCS / "diff.md"
MASKS = [
    *re.findall(r"--mask '?(/[^\s']+)", text_of(PAGE)),
    *re.findall(r"POINTER\[:TYPE\] +(\S+)", text_of(PAGE)),
]


def test_the_page_shows_what_diff_prints(home: Home) -> None:
    """The report is the real one, at 100 columns, as seen from the repository."""
    command, *shown = blocks(PAGE, "text")[0].splitlines()
    words = command.removeprefix("$ acp-trace ").split()
    done = subprocess.run(
        [*ACP_TRACE, *words],
        cwd=REPOSITORY, env=home.environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert (words[0], done.returncode) == ("diff", 1)
    assert shown == [line.rstrip() for line in done.stdout.splitlines()]


def test_every_level_is_explained() -> None:
    """Each has its row."""
    assert [one for one in MATCHES if f"\n| `{one}` | " not in text_of(PAGE)] == []


def test_the_grammar_of_masks_is_whole() -> None:
    """Every type."""
    (grammar,) = [block for block in blocks(PAGE, "text") if block.startswith("POINTER[:TYPE]")]
    assert set(TYPES) <= set(re.split(r"[\s,()]+", grammar))


@pytest.mark.parametrize("mask", MASKS)
def test_every_mask_can_be_typed(mask: str) -> None:
    """What the page tells people to copy is a mask."""
    assert parse(mask).text == mask


def test_there_are_masks() -> None:
    """A pattern that finds nothing would pass everything."""
    assert len(MASKS) > 1


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def test_every_key_of_the_json_is_explained() -> None:
    """In the table of `--json`."""
    other = instead("bye", chunk("Finished"))(base())
    mask = "/params/update/content/text:number"
    told = document(compared(file(base()), file(other, agent={"argv": ["x"]}), "exact", [mask]), ["a", "b"])
    assert {"acp_trace_diff", "last_common", "refused", "uses", "lost_frames"} <= set(_keys(told))
    change = ModelChange(code="model-call-extra", message="", expected_calls=(), actual_calls=(1,), diff=None)
    model = model_object(ModelOutcome("live", 1, {"raw": 1}, placed=[PlacedChange(change)]))
    assert (set(_keys(told)) | set(_keys(model))) - inline(PAGE) == {"raw"}
