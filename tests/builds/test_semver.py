"""Versions and ranges of npm. The expected answers are those of npm's own `semver` package."""

from __future__ import annotations

import pytest

from acp_trace.builds import semver
from acp_trace.builds.semver import BadVersion

#: Oldest first.
ORDER = (
    "0.0.0-0", "0.0.1", "0.1.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
    "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.2.0-nightly.20250101", "1.2.0", "1.2.10", "1.10.0", "2.0.0-0", "2.0.0",
)  # fmt: skip

#: Range, versions that are in it, versions that are not.
RANGES = (
    ("", ("0.0.1", "9.9.9"), ("1.0.0-rc.1",)),
    ("*", ("1.0.0",), ("1.0.0-rc.1",)),
    ("1.2.3", ("1.2.3", "1.2.3+build"), ("1.2.4", "1.2.3-rc.1")),
    ("v1.2.3", ("1.2.3",), ("1.2.4",)),
    ("^1.2", ("1.2.0", "1.9.9"), ("1.1.9", "2.0.0", "2.0.0-rc.1")),
    ("^0.2.3", ("0.2.3", "0.2.9"), ("0.3.0", "0.2.2")),
    ("^0.0.3", ("0.0.3",), ("0.0.4",)),
    ("^0.0", ("0.0.0", "0.0.9"), ("0.1.0",)),
    ("^0.x", ("0.0.0", "0.9.0"), ("1.0.0",)),
    ("^0", ("0.9.0",), ("1.0.0",)),
    ("~1.2", ("1.2.0", "1.2.9"), ("1.3.0",)),
    ("~1.2.3", ("1.2.3", "1.2.9"), ("1.2.2", "1.3.0")),
    ("~1", ("1.0.0", "1.9.0"), ("2.0.0",)),
    ("1.x", ("1.0.0", "1.9.0"), ("2.0.0", "0.9.0")),
    ("1.2.x", ("1.2.9",), ("1.3.0",)),
    ("1.2", ("1.2.9",), ("1.3.0",)),
    (">=1.2 <2", ("1.2.0", "1.9.9"), ("1.1.9", "2.0.0", "2.0.0-rc.1")),
    (">= 1.2  < 2", ("1.2.0",), ("2.0.0",)),
    (">1.2", ("1.3.0",), ("1.2.9", "1.2.0")),
    (">1.2.3", ("1.2.4",), ("1.2.3",)),
    ("<=1.2", ("1.2.9",), ("1.3.0",)),
    ("<1.2", ("1.1.9",), ("1.2.0",)),
    ("<=1.2.3", ("1.2.3",), ("1.2.4",)),
    ("1.2.3 - 2.3", ("1.2.3", "2.3.9"), ("2.4.0",)),
    ("1.0.0 || >=2.1.0 <2.2", ("1.0.0", "2.1.5"), ("1.0.1", "2.2.0")),
    (">=1.0.0-beta.2", ("1.0.0-beta.11", "1.0.0", "1.2.0"), ("1.0.0-beta.1", "1.2.0-rc.1")),
    ("^1.0.0-rc.1", ("1.0.0-rc.2", "1.5.0"), ("1.5.0-rc.1", "2.0.0")),
    (">*", (), ("1.0.0",)),
    ("<*", (), ("1.0.0",)),
    (">=*", ("1.0.0",), ()),
)  # fmt: skip


def test_versions_are_in_order() -> None:
    """Pre-releases before their release, numbers as numbers."""
    assert sorted({*ORDER}, key=lambda text: semver.version(text).key) == list(ORDER)


@pytest.mark.parametrize(("text", "inside", "outside"), RANGES)
def test_a_range(text: str, inside: tuple[str, ...], outside: tuple[str, ...]) -> None:
    """What is in it and what is not."""
    wanted = semver.range_of(text)
    assert [one for one in inside if not semver.is_in(semver.version(one), wanted)] == []
    assert [one for one in outside if semver.is_in(semver.version(one), wanted)] == []


def test_pre_releases_can_be_meant() -> None:
    """Then they are versions as all others."""
    wanted = semver.range_of("^1.2")
    assert semver.is_in(semver.version("1.3.0-rc.1"), wanted, pre=True)
    assert not semver.is_in(semver.version("2.0.0-rc.1"), wanted, pre=True)


@pytest.mark.parametrize("text", ["", "1", "1.2", "01.2.3", "1.2.3-", "1.2.3-a..b", "latest", "1.2.3/../x"])
def test_what_is_not_a_version(text: str) -> None:
    """It is refused, so that no directory is named after it."""
    with pytest.raises(BadVersion):
        semver.version(text)


@pytest.mark.parametrize("text", ["latest", ">=a", "1.2.3.4", "1..2", "=>1", "1.2.3 -", "^"])
def test_what_is_not_a_range(text: str) -> None:
    """The message names it."""
    with pytest.raises(BadVersion, match="is not a version"):
        semver.range_of(text)
