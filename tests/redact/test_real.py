"""Real traces: redacted they load, and the analysis says the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.redact.redacting import assert_same_facts, redacted
from tests.support import TRACES, analyzed

_HOME = re.compile(rb"/home/dev\b")


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_real_traces_say_the_same(path: Path) -> None:
    """Findings, turns, cancels, settings; and no home folder is left."""
    file = path.read_bytes()
    out, redactor = redacted(file)
    assert _HOME.search(out) is None
    assert_same_facts(file, out)
    assert [(one.code, one.severity, one.blame, one.frame) for one in analyzed(file)[0].findings] == [
        (one.code, one.severity, one.blame, one.frame) for one in analyzed(out)[0].findings
    ]
    pairs = zip(file.splitlines()[1:], out.splitlines()[1:], strict=False)
    assert redactor.report.frames == sum(old != new and b'"from"' in old for old, new in pairs)
    assert redacted(out)[0] == out
