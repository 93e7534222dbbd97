"""`replay --learn`: what it prints to be copied into NAME.replay.toml."""

from __future__ import annotations

import tomllib

import pytest

from acp_trace.cli.learning import _quoted


@pytest.mark.parametrize(
    "text",
    [
        "/params/a",
        'a"b\\',
        'x"]\nagent = ["sh"]\n#',
        "\x00\x1b\x7f\x85\u2028\u202e",
        "é\U0001f600\U000e0041",
        "",
    ],
)
def test_a_proposal_is_a_string_of_toml(text: str) -> None:
    """Whatever a trace has as a key: it is read as it was, adds no setting, and a terminal obeys nothing in it."""
    line = _quoted(text)
    assert line.isascii()
    assert line.isprintable()
    assert tomllib.loads(f"mask = [\n  {line},\n]") == {"mask": [text]}
