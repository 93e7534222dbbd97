"""docs/versioning.md: every number is right, no promised name is gone; and each test of its evidence is there."""

from __future__ import annotations

import re

from acp_trace import __version__
from tests.docs.pages import DOCS, inline, text_of
from tests.docs.promised import now, promised
from tests.support import REPOSITORY

PAGE = DOCS / "versioning.md"
EVIDENCE = DOCS / "evidence" / "versioning.md"


def test_every_named_test_is_there() -> None:
    """A promise is held by a test that exists."""
    named = [one for one in inline(EVIDENCE) if one.startswith("tests/")]
    assert len(named) > 15
    for one in named:
        file, _, name = one.partition("::")
        path = REPOSITORY / file
        assert path.exists(), one
        assert not name or f"def {name}(" in path.read_text("utf-8"), one


def test_no_promised_name_is_gone() -> None:
    """Names are only added; new ones are written down by `python -m tests.docs.promised`."""
    was, is_ = promised(), now()
    assert was.keys() == is_.keys()
    for kind, names in was.items():
        assert set(names) - set(is_[kind]) == set(), f"{kind}: gone"
        assert set(is_[kind]) - set(names) == set(), f"{kind}: new, run `python -m tests.docs.promised`"


def test_the_numbers_are_those_of_the_code() -> None:
    """Of the trace format, the store and each document."""
    page = text_of(PAGE)
    for one in now()["versions"]:
        name, number = one.split()
        told = {
            "trace": f"## The trace format: {number}\n",
            "capture": f"### Captures: {number}\n",
            "store": f"## The store: layout {number}\n",
        }.get(name)
        assert (told or f"| `{name}` |") in page
        assert told or re.search(rf"^\| `{name}` \|.*\| {number} \|$", page, re.MULTILINE), one


def test_the_changelog_begins_with_this_version() -> None:
    """Keep-a-Changelog: a heading for each version, the newest first, and what kind of change each is."""
    text = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## \[([^\]]+)\]", text, re.MULTILINE)[0] in (__version__, "Unreleased")
    assert f"## [{__version__}]" in text
    kinds = set(re.findall(r"^### (\w+)", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def _too_long(changelog: str) -> list[str]:
    """Entries of all versions but the first that are more than a sentence of 40 words; the first, as a page."""
    *later, first = re.split(r"^## \[", changelog, flags=re.MULTILINE)[1:]
    entries = [entry for section in later for entry in re.split(r"^- ", section, flags=re.MULTILINE)[1:]]
    found = []
    for entry in entries:
        text = re.sub(r"`[^`]*`|\]\([^)]*\)", "x", entry.partition("\n#")[0]).strip()
        if len(text.split()) > 40 or re.search(r"[.!?]\s+\S", text):
            found.append(entry)
    return found + ([first] if len(first.split()) > 600 else [])


def test_the_changelog_is_short() -> None:
    """The first version has one page, by area; a later change has one sentence."""
    assert _too_long((REPOSITORY / "CHANGELOG.md").read_text("utf-8")) == []
    one = "## [0.2.0]\n\n### Fixed\n\n- `a.b! c` is read again, [which](docs/a.md) it was not.\n- Two. Sentences.\n"
    assert _too_long(f"{one}## [0.1.0]\n\n{'word ' * 700}")[0] == "Two. Sentences.\n"
    assert len(_too_long(f"{one}## [0.1.0]\n\n{'word ' * 700}")) == 2
