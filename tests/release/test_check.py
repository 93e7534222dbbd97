"""A tag releases the version that all files agree on, with the changelog's section as its notes, or nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acp_trace import __version__
from release import check
from release.check import changelog_faults, faults, main, notes
from release.repository import COPIES, REPOSITORY, ROOT

_TAG = f"v{__version__}"
_CHANGELOG = "# Changelog\n\nHow to read it.\n\n## [1.2.0] - 2026-11-28\n\n### Added\n\n- This.\n\n## [1.1.0]\n\n- That.\n"


def test_this_version_can_be_released_by_pushing_its_tag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The very check of the workflow, on the files as they are."""
    code = main([_TAG, "--notes", str(tmp_path / "notes.md")])
    assert (code, capsys.readouterr().err) == (0, "")
    written = (tmp_path / "notes.md").read_text("utf-8")
    assert written.startswith("The first version" if __version__ == "0.1.0" else "#")
    assert len(written) < 20_000


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in {*check._PINNED_IN, *COPIES, "release/repository.py"}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("tag", ["v9.9.9", __version__, f"{_TAG}rc1", f"V{__version__}"])
def test_another_tag_releases_nothing(tag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says which tag this version has, and no notes are written."""
    assert main([tag, "--notes", str(tmp_path / "notes.md")]) == 1
    said = f"the tag is {tag}, but acp_trace/__init__.py says {__version__}: {_TAG} is its tag\n"
    assert capsys.readouterr().err == said
    assert not (tmp_path / "notes.md").exists()


@pytest.mark.parametrize(
    ("file", "fault"),
    [("npm/package.json", "npm/package.json says 9.9.9"), ("docs/ci.md", "docs/ci.md pins acp-trace==9.9.9")],
)
def test_a_version_that_was_left_behind_is_named(checkout: Path, file: str, fault: str) -> None:
    """In the npm package, and in what users copy from the docs."""
    assert list(faults(checkout, _TAG, REPOSITORY)) == []
    path = checkout / file
    path.write_text(path.read_text("utf-8").replace(__version__, "9.9.9"), "utf-8")
    (found,) = faults(checkout, _TAG, REPOSITORY)
    assert found.startswith(fault)


def test_the_placeholder_is_not_released(checkout: Path) -> None:
    """GitHub says whose repository this is, and the line says how to fill it in."""
    (found,) = faults(checkout, _TAG, "ada/acp-trace")
    assert found.endswith("run python release/repository.py ada/acp-trace")


def test_the_section_is_the_notes() -> None:
    """Without its heading, and without what stands before and after it."""
    assert notes(_CHANGELOG, "1.2.0") == "### Added\n\n- This.\n"
    assert notes(_CHANGELOG, "1.1.0") == "- That.\n"
    assert notes(_CHANGELOG, "1.1") == ""


def test_links_of_the_notes_lead_to_the_files_of_the_tag() -> None:
    """The notes are read on a page of their own, and next year."""
    text = "## [1.2.0]\n\n[A](docs/a.md#b), [c](https://example.org/), [d](#e)\n"
    files = f"https://github.com/{REPOSITORY}/blob/v1.2.0"
    assert notes(text, "1.2.0") == f"[A]({files}/docs/a.md#b), [c](https://example.org/), [d](#e)\n"


@pytest.mark.parametrize(
    ("changelog", "fault"),
    [
        (_CHANGELOG, ""),
        (
            _CHANGELOG.replace("## [1.2.0]", "## [Unreleased]\n\n- New.\n\n## [1.2.0]"),
            "begins with [Unreleased]",
        ),
        (_CHANGELOG.replace("[1.2.0]", "[1.2.01]"), "begins with [1.2.01]"),
        (_CHANGELOG.replace("### Added\n\n- This.\n", ""), "says nothing about 1.2.0"),
        ("", "begins with no heading"),
    ],
)
def test_what_the_section_must_be(changelog: str, fault: str) -> None:
    """The first one, and with a text."""
    found = "".join(changelog_faults(changelog, "1.2.0"))
    assert fault in found
    assert bool(found) == bool(fault)
