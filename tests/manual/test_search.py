"""A question in a user's words finds the page that answers it."""

from __future__ import annotations

import pytest

from acp_trace.manual import files
from acp_trace.manual.index import Topic, topics
from acp_trace.manual.search import search
from tests.docs.pages import DOCS, INDEX

#: A question -> a page that answers it, which must be among the first three.
QUESTIONS = {
    "editor hangs": "troubleshooting",
    "cancel ignored": "findings",
    "no key in CI": "ci",
    "set up CI": "ci",
    "continuous integration": "ci",
    "fail the build": "ci",
    "share a trace without secrets": "redact",
    "slow turn": "troubleshooting",
    "compare two versions": "builds",
    "which version broke": "builds",
    "windows": "systems",
    "sql p95": "queries",
    "record without an editor": "drive",
    "replay passes here and fails in CI": "troubleshooting",
    "no model calls were recorded": "troubleshooting",
    "install with uvx": "install",
    "no model calls": "troubleshooting",
    "without a model key": "a-bug-found",
    "replay fails in ci": "troubleshooting",
    "why is this turn slow": "troubleshooting",
    "remove secrets from a trace": "redact",
    "json of the report": "report",
    "replay ten times": "replay",
    "fail the build when a turn is slow": "check",
    "export to opentelemetry": "export",
}


@pytest.fixture(scope="module")
def pages() -> list[tuple[Topic, str]]:
    listed = topics(INDEX.read_text("utf-8"))
    return [(topic, files.text(DOCS, topic.path)) for topic in listed if not topic.path.startswith("../")]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_right_page_is_among_the_first_three(pages: list[tuple[Topic, str]], question: str) -> None:
    """If it is not, its title or a heading lacks the users' word."""
    assert QUESTIONS[question] in [match.topic.name for match in search(question, pages, most=3)]


def _topic(title: str) -> Topic:
    return Topic(title, "Use", "", "", f"{title}.md")


def test_a_title_is_worth_more_than_the_text_and_a_rare_word_more_than_a_common_one() -> None:
    """And endings make no difference."""
    made = [
        (_topic("cancels"), "# Cancels\n\nSomething.\n"),
        (_topic("other"), "# Other\n\nA cancelled turn, a turn.\n"),
        (_topic("third"), "# Third\n\nA turn.\n\n## Rare\n\nA zebra in a turn.\n"),
    ]
    assert [match.topic.title for match in search("cancelling", made)] == ["cancels", "other"]
    best = search("zebra turn", made)[0]
    assert (best.topic.title, best.heading) == ("third", "Rare")


def test_a_page_behind_the_scenes_comes_after_one_for_users() -> None:
    """Evidence has the words of all other pages, and more of them."""
    proof = Topic("Proof", "How it is built", "", "", "evidence/proof.md")
    pages = [
        (proof, "# Proof\n\nA zebra, a zebra.\n"),
        (_topic("use"), "# Use\n\nSome zebra, in a longer text.\n"),
    ]
    assert [match.topic.title for match in search("zebra", pages)] == ["use", "Proof"]


def test_words_that_are_neighbours_are_worth_more() -> None:
    """Than the same words apart, in a part that is no longer."""
    apart = (_topic("apart"), "# Apart\n\nA model takes calls.\n")
    together = (_topic("together"), "# Together\n\nThere are no model calls.\n")
    assert search("model calls", [apart, together])[0].topic.title == "together"


def test_a_comment_in_a_code_block_is_not_a_heading() -> None:
    """The match names the heading above it."""
    (match,) = search("zebra", [(_topic("a"), "# A `b`\n\n```sh\n# not a heading\nzebra\n```\n")])
    assert match.heading == "A b"


def test_words_that_are_nowhere_find_nothing() -> None:
    """Nor do words that every question has, or no words."""
    page = [(_topic("a"), "# A\n\nHow to do it.\n")]
    assert [search(query, page) for query in ("zebra", "how to", "", "…")] == [[], [], [], []]
    assert search("a", []) == []
