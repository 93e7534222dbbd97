"""Our owner and name stand in one constant, and every copy of them is known."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from release import repository
from release.repository import COPIES, REPOSITORY, ROOT, fill_in, strangers, wrong_copies

_SELF = "release/repository.py"
#: Where files are that somebody wrote; and files in the root.
_DIRECTORIES = (".ci", ".github", "acp_trace", "docs", "npm", "release", "sample_traces", "tests")
#: Tests with owners of their own.
_EXAMPLES = ("tests/release/test_repository.py", "tests/workflows/test_workflows.py")
_KINDS = {".py", ".md", ".toml", ".json", ".yml", ".yaml", ".js", ".ts", ".txt", ""}


def _texts() -> dict[str, str]:
    """Every text file of the checkout that could name us."""
    paths = [*ROOT.glob("*"), *(path for name in _DIRECTORIES for path in (ROOT / name).rglob("*"))]
    texts = [path for path in paths if path.suffix in _KINDS and path.is_file()]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8", "replace") for path in texts}


def test_every_copy_is_known_and_right() -> None:
    """A new file that names our repository needs an entry in `COPIES`: else `fill_in` would forget it."""
    assert list(wrong_copies()) == []
    texts = _texts()
    assert {name for name, text in texts.items() if REPOSITORY in text} == {_SELF, *COPIES}
    others = {name: found for name, text in texts.items() if (found := strangers(text))}
    assert {name: found for name, found in others.items() if name not in _EXAMPLES} == {}


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/else/acp-trace/issues",
        "git@github.com:else/acp-trace.git",
        "uses: else/acp-trace@v0",
        "git+https://github.com/else/acp-trace",
    ],
)
def test_another_owner_is_noticed(text: str) -> None:
    """In each form in which a file names a repository; a longer name is another one."""
    assert strangers(text, "own/acp-trace") == ["else/acp-trace"]
    assert strangers(text.replace("else/", "own/"), "own/acp-trace") == []
    assert strangers(text.replace("acp-trace", "acp-trace-demo"), "own/acp-trace") == []


def test_the_site_of_another_owner_is_noticed() -> None:
    """Its address has the owner in another place."""
    assert strangers("https://else.github.io/acp-trace/0.1/", "own/acp-trace") == [
        "https://else.github.io/acp-trace/"
    ]
    assert strangers("https://own.github.io/acp-trace/", "own/acp-trace") == []


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in (_SELF, *COPIES):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_owner_fills_it_in_with_one_command(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The constant and all copies, which then agree."""
    fill_in("ada-l/acp-trace", checkout)
    assert 'REPOSITORY = "ada-l/acp-trace"' in (checkout / _SELF).read_text("utf-8")
    assert [name for name in COPIES if REPOSITORY in (checkout / name).read_text("utf-8")] == []
    assert '"https://ada-l.github.io/acp-trace/"' in (checkout / "pyproject.toml").read_text("utf-8")
    monkeypatch.setattr(repository, "REPOSITORY", "ada-l/acp-trace")
    assert [line for line in wrong_copies(checkout) if "does not name" in line] == []


def test_a_copy_that_was_changed_alone_is_noticed(checkout: Path) -> None:
    """One line says which file, and what it names."""
    page = checkout / COPIES[0]
    page.write_text(page.read_text("utf-8").replace(REPOSITORY, "else/acp-trace"), "utf-8")
    assert list(wrong_copies(checkout)) == [
        f"{COPIES[0]} does not name {REPOSITORY}",
        f"{COPIES[0]} names else/acp-trace, not {REPOSITORY}",
    ]


@pytest.mark.parametrize("name", ["", "acp-trace", "a/b/c", 'x"/acp-trace', "a b/acp-trace"])
def test_something_else_than_a_name_changes_nothing(checkout: Path, name: str) -> None:
    """What is written into TOML, JSON and Python needs no escapes."""
    with pytest.raises(ValueError, match="OWNER/NAME"):
        fill_in(name, checkout)
    assert (checkout / _SELF).read_bytes() == (ROOT / _SELF).read_bytes()
