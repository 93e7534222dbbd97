"""The Dockerfile's own promises: small, without rights, and built of files that are there. hadolint does the rest."""

from __future__ import annotations

import re

import pytest

from release.repository import ROOT

_TEXT = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
_LINES = [line.split() for line in _TEXT.splitlines() if line and not line.startswith("#")]


def _of(instruction: str) -> list[list[str]]:
    return [words[1:] for words in _LINES if words[0] == instruction]


def test_it_is_debian_slim_with_a_python_that_we_support() -> None:
    """Both stages are the same, so that what the first one builds runs in the second one."""
    images = {words[0] for words in _of("FROM")}
    (image,) = images
    python = re.fullmatch(r"python:(3\.\d+)-slim-\w+", image)
    assert python
    assert f'"Programming Language :: Python :: {python[1]}"' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_it_runs_without_rights() -> None:
    """The last user is a number, which Kubernetes can check, and is not root."""
    (user,) = _of("USER")[-1]
    assert user.isdigit()
    assert int(user) > 0
    assert f"--uid {user} " in _TEXT


@pytest.mark.parametrize("name", [name for words in _of("COPY") if words[0][0] != "-" for name in words[:-1]])
def test_what_it_copies_is_there(name: str) -> None:
    """And `.dockerignore`, which lets in nothing else, lets it in."""
    assert (ROOT / name).exists()
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert lines.index("*") < lines.index(f"!{name}")


def test_nothing_else_is_let_in() -> None:
    """No `.git`, no traces, no keys."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    let_in = {line[1:] for line in lines if line.startswith("!")}
    assert let_in == {name for words in _of("COPY") if words[0][0] != "-" for name in words[:-1]}
