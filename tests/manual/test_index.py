"""What the index lists becomes topics, in its order."""

from __future__ import annotations

from acp_trace.manual import files
from acp_trace.manual.index import Topic, topics

_INDEX = """# Documentation

- [Not here](no.md)

## Pages

### Use

- [Replay](replay.md#start): play `a` recording, see
  [an example](examples/one/README.md)
- [Again](replay.md): listed twice

### How it is built

- **Evidence** for each promise: [real agents](evidence/real.md), [a skill](skills/x/SKILL.md)
- [Contributing](../CONTRIBUTING.md)

## More

- [Not here either](no.md)
"""


def test_sections_groups_and_lines() -> None:
    """The first page of an item has its text; later links are called as they are, and no page comes twice."""
    assert topics(_INDEX) == [
        Topic("Replay", "Use", "", "play a recording, see an example", "replay.md"),
        Topic("An example", "Use", "", "", "examples/one/README.md"),
        Topic("Real agents", "How it is built", "Evidence", "", "evidence/real.md"),
        Topic("A skill", "How it is built", "Evidence", "", "skills/x/SKILL.md"),
        Topic("Contributing", "How it is built", "", "", "../CONTRIBUTING.md"),
    ]


def test_a_name_is_what_a_user_types() -> None:
    """No endings, and no README."""
    assert [topic.name for topic in topics(_INDEX)] == [
        "replay",
        "examples/one",
        "evidence/real",
        "skills/x",
        "../CONTRIBUTING",
    ]


def test_an_index_without_pages_is_empty() -> None:
    """Whatever the text is."""
    assert topics("") == topics("# A\n\n- [b](b.md)\n") == []


def test_a_checkout_has_the_pages() -> None:
    """All that the index lists, in docs/."""
    place = files.directory()
    assert place is not None
    assert len(topics(files.text(place, files.INDEX))) > 40
