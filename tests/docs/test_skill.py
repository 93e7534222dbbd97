"""The skill for coding agents: its form, and every command line of it, run on the sample traces."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.commands import Commands
from tests.docs.pages import DOCS, blocks, inline, text_of
from tests.support import SAMPLES

SKILL = DOCS / "skills" / "acp-trace" / "SKILL.md"
#: Of the output of one command, in bytes: about 5,000 tokens. The schema lists every column.
_MOST, _MOST_OF_SCHEMA = 16_000, 28_000
_LINES = sorted(
    {
        *(line for block in blocks(SKILL, "sh") for line in block.splitlines()),
        *(code for code in inline(SKILL) if code.startswith("acp-trace ") and " last" in code),
    }
)


def test_its_form_is_that_of_agent_skills() -> None:
    """A name that is the directory's, and a description, each as long as the specification allows."""
    match = re.match(
        r"---\nname: ([a-z0-9-]{1,64})\ndescription: ([^\n:]{1,1024})\n---\n\n# ", text_of(SKILL)
    )
    assert match is not None
    assert match[1] == SKILL.parent.name
    assert len(text_of(SKILL)) < 5000, "it is read whole whenever it is used"


def test_there_is_a_line_for_each_question() -> None:
    """Those of the table and those of the blocks."""
    assert len(_LINES) >= 15


@pytest.mark.slow
def test_every_line_runs(commands: Commands) -> None:
    """It ends well, or says that something differs; it says little enough for a model."""
    commands.passes("load", *SAMPLES)
    for line in _LINES:
        program, *words = shlex.split(line)
        assert program == "acp-trace"
        said = commands(*words)
        assert said.code == int(words[0] == "diff"), (line, said)
        assert said.err == "", line
        assert len(said.out.encode()) < (_MOST_OF_SCHEMA if "--schema" in words else _MOST), line
