"""A prompt's text: compared from `content` on, and noted below that."""

from __future__ import annotations

import pytest

from acp_trace.compare.codes import Match
from tests.compare.conversation import base, compared, file, instead, prompts


@pytest.mark.parametrize(
    ("match", "code", "severity"),
    [
        ("outcome", "prompt-differs", "note"),
        ("semantic", "prompt-differs", "note"),
        ("content", "content-differs", "error"),
        ("exact", "frame-differs", "error"),
    ],
)
def test_another_prompt(match: Match, code: str, severity: str) -> None:
    """Both texts are shown. The level at which they count tells nothing twice."""
    expected, actual = file(base()), file(instead("prompt 2", prompts(4, "be quick"))(base()))
    (found,) = compared(expected, actual, match).divergences
    assert (found.code, found.severity) == (code, severity)
    assert found.expected is not None
    assert found.got is not None
    assert "be slow" in found.expected
    assert "be quick" in found.got


def test_the_same_prompt_in_another_directory() -> None:
    """Where a replay goes on is no other text."""
    files = []
    for directory in ("/w", "/tmp/9"):
        text = file(instead("prompt 2", prompts(4, f"look at {directory}/a.txt"))(base())).decode()
        files.append(text.replace('"cwd":"/w"', f'"cwd":"{directory}"').encode())
    assert "prompt-differs" not in [each.code for each in compared(files[0], files[1]).divergences]
