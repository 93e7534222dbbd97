"""Builds that are given as commands."""

from __future__ import annotations

import pytest

from acp_trace.builds.command_lines import BadBuild, NamedCommand, distinct, in_file, in_place, named


def test_a_build_is_a_name_and_a_command() -> None:
    """Its words are those of a shell, which nobody starts."""
    assert named("new=node 'dist/a b.js' --x=1 $HOME;ls") == NamedCommand(
        "new", ("node", "dist/a b.js", "--x=1", "$HOME;ls")
    )


def test_a_file_has_one_a_line() -> None:
    """Oldest first; empty lines and comments do not count."""
    text = "# builds\n1.0\tagent acp\n\n1.1 rc\t'the agent' acp\n"
    assert in_file(text) == [
        NamedCommand("1.0", ("agent", "acp")),
        NamedCommand("1.1 rc", ("the agent", "acp")),
    ]


@pytest.mark.parametrize("text", ["agent", "=agent", "a=", "a='", " =x"])
def test_what_is_not_a_build(text: str) -> None:
    """It is refused."""
    with pytest.raises(BadBuild):
        named(text)


@pytest.mark.parametrize("text", ["1.0 agent", "\tagent", "1.0\t", "1.0\t'x"])
def test_what_is_not_a_line_of_builds(text: str) -> None:
    """The number of the line is named."""
    with pytest.raises(BadBuild, match="line 2"):
        in_file(f"# builds\n{text}\n")


def test_names_are_distinct() -> None:
    """Two builds of one name could not be told apart."""
    with pytest.raises(BadBuild, match="two builds named 'a'"):
        distinct([named("a=x"), named("a=y")])
    assert in_place(["node", "{build}/a.js"], "/b") == ("node", "/b/a.js")
