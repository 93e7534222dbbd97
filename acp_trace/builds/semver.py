"""Versions of npm packages, and npm's ranges of them: `>=1.2 <2`, `^1.2`, `~1.2`, `1.x`, `1 - 2`, `||`.

Text in, an order or a yes or no out. What a registry has published, and which of it is wanted, is decided in
`versions`. A range is read as npm reads it: each alternative is a list of bounds that must all hold, and a
pre-release is only in a range that names a pre-release of the same version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_NUMBER = r"(0|[1-9][0-9]{0,15})"
_PRE = r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?"
_VERSION = re.compile(rf"v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}{_PRE}")
_PART = rf"(?:{_NUMBER}|[xX*])"
_PARTIAL = re.compile(rf"v?{_PART}(?:\.{_PART}(?:\.{_PART}{_PRE})?)?")
_OPERATOR = re.compile(r"(>=|<=|>|<|=|\^|~>?)?\s*(\S+)")
_HYPHEN = re.compile(r"(\S+)\s+-\s+(\S+)")
#: Blanks after an operator belong to it: `>= 1.2`.
_LOOSE = re.compile(r"(>=|<=|>|<|=|\^|~>?)\s+")


class BadVersion(ValueError):
    """A text that is not a version or not a range. The message is one line."""


class Version(NamedTuple):
    """A version. `pre`: the identifiers of a pre-release, each as it is ordered; empty for a release."""

    major: int
    minor: int
    patch: int
    pre: tuple[tuple[int, int, str], ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """The sort key of a version: a pre-release before its release, numbers before words."""
        return (self.major, self.minor, self.patch, not self.pre, self.pre)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Without the pre-release."""
        return self[:3]


class _Bound(NamedTuple):
    """One comparison. `operator`: `>=`, `<`, `>`, `<=` or `=`."""

    operator: str
    version: Version

    def holds(self, version: Version) -> bool:
        key, bound = version.key, self.version.key
        match self.operator:
            case ">=":
                return key >= bound
            case "<":
                return key < bound
            case ">":
                return key > bound
            case "<=":
                return key <= bound
            case _:
                return key == bound


#: Alternatives, each a list of bounds.
Range = tuple[tuple[_Bound, ...], ...]
#: The lowest version of a number, lower than all its pre-releases: `<2.0.0-0` leaves 2.0.0-rc out.
_LOWEST = ((0, 0, ""),)


def version(text: str) -> Version:
    """The version that a text is, such as `1.2.3-rc.1`. Raises BadVersion."""
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        raise BadVersion(f"{text!r} is not a version such as 1.2.3")
    return Version(int(match[1]), int(match[2]), int(match[3]), _pre(match[4]))


def range_of(text: str) -> Range:
    """The range that a text is; an empty one, or `*`, is all releases. Raises BadVersion."""
    return tuple(tuple(_bounds(part.strip(), text)) for part in text.split("||"))


def is_in(version: Version, wanted: Range, *, pre: bool = False) -> bool:
    """Whether a version is in a range. `pre`: pre-releases are versions as all others."""
    return any(
        all(bound.holds(version) for bound in bounds) and (pre or not version.pre or _names(bounds, version))
        for bounds in wanted
    )


def _names(bounds: tuple[_Bound, ...], version: Version) -> bool:
    """Whether the author of these bounds meant pre-releases of this version."""
    return any(bound.version.pre and bound.version.numbers == version.numbers for bound in bounds)


def _pre(text: str | None) -> tuple[tuple[int, int, str], ...]:
    if text is None:
        return ()
    return tuple((0, int(word), "") if word.isdecimal() else (1, 0, word) for word in text.split("."))


def _bounds(text: str, whole: str) -> Iterator[_Bound]:
    """The bounds of one alternative."""
    if (hyphen := _HYPHEN.fullmatch(text)) is not None:
        yield from _of_operator(">=", hyphen[1], whole)
        yield from _of_operator("<=", hyphen[2], whole)
        return
    for word in _LOOSE.sub(r"\1", text).split():
        match = _OPERATOR.fullmatch(word)
        assert match is not None  # any word is an operator, which may be missing, and something
        yield from _of_operator(match[1] or "", match[2], whole)


def _of_operator(operator: str, text: str, whole: str) -> Iterator[_Bound]:
    """The plain bounds that an operator and a version, which may be cut short, mean."""
    match = _PARTIAL.fullmatch(text)
    if match is None:
        raise BadVersion(f"{text!r} in the range {whole!r} is not a version such as 1.2.3, 1.2 or 1.x")
    words = match.groups()[:3]
    given = next((at for at, word in enumerate(words) if word is None), 3)
    if any(words[given:]):
        raise BadVersion(f"{text!r} in the range {whole!r} has a number after an x")
    parts = [int(word) for word in words[:given] if word is not None]
    pre = _pre(match[4]) if given == 3 else ()
    major, minor, patch = [*parts, 0, 0, 0][:3]
    low = Version(major, minor, patch, pre)
    if operator in ("<", ">="):
        if given or operator == "<":
            yield _Bound(operator, low if given == 3 or operator == ">=" else low._replace(pre=_LOWEST))
        return
    if operator in (">", "<="):
        if given == 3:
            yield _Bound(operator, low)
        elif given:
            above = _next(parts, given - 1)
            yield _Bound(">=" if operator == ">" else "<", above if operator == ">" else _before(above))
        elif operator == ">":
            yield _Bound("<", Version(0, 0, 0, _LOWEST))
        return
    if operator in ("", "=") and given == 3:
        yield _Bound("=", low)
        return
    if given == 0:
        return
    yield _Bound(">=", low)
    yield _Bound("<", _before(_next(parts, _kept(operator, parts))))


def _kept(operator: str, parts: list[int]) -> int:
    """Which number of a version goes up at the end of a range: `^` keeps up to the first that is not 0."""
    if operator.startswith("~"):
        return min(1, len(parts) - 1)
    if operator == "^":
        return next((at for at, part in enumerate(parts) if part), len(parts) - 1)
    return len(parts) - 1


def _next(parts: list[int], at: int) -> Version:
    """The version in which the number at this place is one higher."""
    numbers = [*parts[:at], parts[at] + 1, 0, 0][:3]
    return Version(numbers[0], numbers[1], numbers[2])


def _before(version: Version) -> Version:
    return version._replace(pre=_LOWEST)
