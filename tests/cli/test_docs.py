"""`acp-trace docs`: every page is found by its name, by words, or by a near miss, and nothing else is printed."""

from __future__ import annotations

import importlib.metadata
import webbrowser
from pathlib import Path

import pytest

from acp_trace.cli import completion
from acp_trace.manual import files, index
from tests.cli.terminals import on_a_terminal
from tests.commands import Commands
from tests.docs.pages import DOCS, PAGES, README, text_of
from tests.rows import each
from tests.support import Home


def test_each_page_is_a_topic() -> None:
    """By its path in docs/."""

    def check(page: Path) -> None:
        path = page.relative_to(DOCS).as_posix()
        topics = index.of_docs(text_of(DOCS / "README.md"))
        found = index.named(path, topics)
        assert found
        assert index.named(found.name, topics) == found

    each([page for page in PAGES if page not in (README, DOCS / "README.md")], check, str)


@pytest.mark.parametrize("name", ["replay", "Replay", "replay.md", "docs/replay.md"])
def test_a_page_in_a_pipe_is_its_markdown(commands: Commands, name: str) -> None:
    """However it is named."""
    assert commands.passes("docs", name) == text_of(DOCS / "replay.md")


def test_a_page_in_a_directory(commands: Commands) -> None:
    """Its own name is enough if no other page is called like it."""
    assert commands.passes("docs", "hermetic") == text_of(DOCS / "evidence" / "hermetic.md")
    assert commands.passes("docs", "install") == text_of(DOCS / "install.md")


def test_all_topics(commands: Commands) -> None:
    """Under their sections, with a line each; as JSON, a row each."""
    rows = commands.json("docs")
    assert {"name", "title", "section", "about", "path"} == set(rows[0])
    assert len(rows) == len({row["name"] for row in rows}) == len(PAGES) - 2
    lines = commands.passes("docs").splitlines()
    assert [line for line in lines if line in ("Use", "CI", "Reference", "How it is built")] == [
        *("Use", "CI", "Reference", "How it is built")
    ]
    assert {row["name"] for row in rows} <= {line.split()[0] for line in lines if line.startswith("  ")}


def test_words_list_the_pages_that_fit(commands: Commands) -> None:
    """With quotes or without, and how to read the first one."""
    words = "replay passes here and fails in CI"
    printed = commands.passes("docs", words)
    assert printed.split()[0] == "troubleshooting"
    anchor = "the-replay-passes-here-and-fails-in-ci"
    assert printed.endswith(f"acp-trace docs troubleshooting#{anchor}\n")
    assert commands.passes("docs", *words.split()) == printed
    assert (
        commands.passes("docs", "python", "-m", "my_agent").count("\n") > 2
    )  # `-m` is a word like the others
    best = commands.json("docs", words)[0]
    assert (best["name"], best["heading"]) == ("troubleshooting", "The replay passes here and fails in CI")
    assert best["anchor"] == anchor
    (row,) = commands.json("docs", "troubleshooting")
    assert row["text"] == text_of(DOCS / "troubleshooting.md")


def test_a_section_of_a_page(commands: Commands) -> None:
    """As links of the pages name it; with the sections below it, and without what follows."""
    printed = commands.passes("docs", "troubleshooting.md#a-turn-is-slow")
    assert printed.startswith("## A turn is slow\n")
    assert "### Which part of the turn was slow" in printed
    assert printed in text_of(DOCS / "troubleshooting.md")
    assert "\n## " not in printed
    assert commands.passes("docs", "troubleshooting#the-agent-does-not-start").count("#") == 2
    for web in ((), ("--web",)):
        said = commands("docs", "troubleshooting#a-turn-is-slo", *web)
        assert (said.code, said.out) == (2, "")
        assert "troubleshooting has no section `a-turn-is-slo`; did you mean a-turn-is-slow" in said.err


@pytest.mark.parametrize("web", [(), ("--web",)])
def test_an_unknown_topic_has_a_near_one(commands: Commands, web: tuple[str, ...]) -> None:
    """On stderr, with 2."""
    said = commands("docs", "repaly", *web)
    assert (said.code, said.out) == (2, "")
    assert "no page is named `repaly` or contains it; did you mean replay" in said.err


def test_names_are_completed(commands: Commands) -> None:
    """With their line beside them."""
    [(name, about)] = completion.topics("trouble")
    assert (name, about.partition(":")[0]) == ("troubleshooting", "find your symptom")
    assert len(completion.topics("")) == len(commands.json("docs"))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the browser was asked for, on a machine with a screen."""
    asked: list[str] = []
    monkeypatch.setenv("BROWSER", "x")

    def open_(url: str) -> bool:
        asked.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", open_)
    return asked


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ((), "index.html"),
        (("replay",), "replay.html"),
        (("replay#limitations",), "replay.html#limitations"),
        (("examples/agent-in-ci",), "examples/agent-in-ci/index.html"),
        (("a skill",), "skills/acp-trace/SKILL.html"),
    ],
)
def test_the_site_of_this_version_is_opened(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, opened: list[str], words: tuple[str, ...], page: str
) -> None:
    """The address comes from the installation, and is printed."""
    site = {"Project-URL": ["Homepage, https://example.org/", "Documentation, https://example.org/trace/"]}

    class Metadata:
        @staticmethod
        def get_all(name: str) -> list[str]:
            return site[name]

    monkeypatch.setattr(importlib.metadata, "metadata", lambda _: Metadata)
    monkeypatch.setattr("acp_trace.__version__", "0.3.7")
    url = f"https://example.org/trace/0.3/{page}"
    assert (commands.passes("docs", *words, "--web"), opened) == (f"{url}\n", [url])


def test_no_stranger_has_the_site_of_the_placeholder(commands: Commands, opened: list[str]) -> None:
    """Until the owner is filled in, nothing is opened."""
    site = dict(
        line.split(", ", 1) for line in importlib.metadata.metadata("acp-trace").get_all("Project-URL") or ()
    )
    if "//OWNER." in site.get("Documentation", "//OWNER."):
        said = commands("docs", "--web")
        assert (said.code, said.out, opened) == (2, "", [])


def test_without_pages_a_line_says_so(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation that somebody made without them."""
    monkeypatch.setattr(files, "_PLACES", ())
    said = commands("docs")
    assert (said.code, said.out, len(said.err.splitlines())) == (3, "", 1)
    assert completion.topics("") == []


def test_a_terminal_gets_a_formatted_page(home: Home) -> None:
    """Without the marks of Markdown, and through the pager if it is long."""
    printed = on_a_terminal(home, "docs", "concepts", lines=10).decode()
    assert "P:" in printed
    assert "# Concepts" not in printed
    assert "Concepts" in printed
    assert "P:" not in on_a_terminal(home, "docs", "concepts", lines=1000).decode()
