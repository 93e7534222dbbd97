"""The pages as the tests see them: their code, their links, their headings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from tests.support import REPOSITORY

DOCS = REPOSITORY / "docs"
README = REPOSITORY / "README.md"
INDEX = DOCS / "README.md"
PAGES = [README, *(page for page in sorted(DOCS.rglob("*.md")) if "node_modules" not in page.parts)]

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_OPERATORS = frozenset("();<>|&")


def text_of(page: Path) -> str:
    return page.read_text("utf-8")


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of one language."""
    return [body for found, body in _BLOCK.findall(text_of(page)) if found == language]


def prose(page: Path) -> str:
    """A page without its code blocks."""
    return _BLOCK.sub("", text_of(page))


def inline(page: Path) -> set[str]:
    """What stands in backticks in a page's prose."""
    return set(_INLINE.findall(prose(page)))


def links(page: Path) -> list[str]:
    """The targets of a page's links."""
    return _LINK.findall(_INLINE.sub("", prose(page)))


def anchors(page: Path) -> set[str]:
    """What a link may name after `#`: the headings, as GitHub spells them."""
    return {
        re.sub(r"[^\w\- ]", "", found.lower()).replace(" ", "-") for found in _HEADING.findall(prose(page))
    }


def command_lines(page: Path) -> Iterator[str]:
    """The lines of a page's shell blocks; one with an open quote goes on in the next."""
    for block in blocks(page, "sh"):
        whole = ""
        for line in block.splitlines():
            whole += line
            try:
                shlex.split(whole, comments=True)
            except ValueError:
                whole += "\n"
                continue
            yield whole
            whole = ""
        assert not whole, whole


def told_commands(page: Path) -> Iterator[list[str]]:
    """Every command line of `acp-trace` on a page, without that word: in shell blocks and in the prose."""
    for line in [*command_lines(page), *(one for one in inline(page) if "acp-trace " in one)]:
        yield from _commands(line)


def _commands(line: str) -> Iterator[list[str]]:
    words: list[str] = []
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    for word in [*lexer, "|"]:
        if not set(word) <= _OPERATORS:
            words.append(word)
            for inner in re.findall(
                r"\$\((.*)\)|^(acp-trace .*)$", word
            ):  # in quotes: `$(…)`, another's argument
                yield from _commands("".join(inner))
            continue
        if words[:1] == ["acp-trace"]:
            yield words[1:]
        words = []
