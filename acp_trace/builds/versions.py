"""Which published versions are meant, in which order: for npm and for PyPI alike.

A range is what the registry's own tools read (`semver`, `packaging`), or `A..B`: from A to B, both included,
in the registry's order. Pre-releases are left out unless they are asked for, or A or B is one. No I/O.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from acp_trace.builds import semver
from acp_trace.builds.semver import BadVersion

#: Where packages come from.
Registry = Literal["npm", "pypi"]
_BETWEEN = re.compile(r"(?P<low>[^\s.]\S*?)?\s*\.\.\s*(?P<high>[^\s.]\S*)?")
_NPM_NAME = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*")
_PYPI_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


class Scheme(NamedTuple):
    """How a registry's versions are read. Each raises BadVersion for a text that is not one."""

    key: Callable[[str], Any]  #: a version -> what it is sorted by
    is_pre: Callable[[str], bool]
    matcher: Callable[[str, bool], Callable[[str], bool]]  #: a range, and whether pre-releases are meant


def package(registry: Registry, text: str) -> tuple[str, str]:
    """The name and the range of `NAME@RANGE`; without a range, all releases. Raises BadVersion."""
    name, _, wanted = text.partition("@") if not text.startswith("@") else _scoped(text)
    if registry == "pypi" and not wanted:  # as pip has it: NAME>=1.2
        match = re.fullmatch(r"([A-Za-z0-9._-]+)\s*([<>=!~].*)?", name)
        name, wanted = (match[1], match[2] or "") if match else (name, "")
    pattern = _NPM_NAME if registry == "npm" else _PYPI_NAME
    if name.startswith("-") or not pattern.fullmatch(name):
        raise BadVersion(f"{name!r} is not the name of a package of {registry}")
    return name, wanted.strip()


def _scoped(text: str) -> tuple[str, str, str]:
    name, at, wanted = text[1:].partition("@")
    return f"@{name}", at, wanted


def ordered(registry: Registry, published: Iterable[str]) -> list[str]:
    """The versions, oldest first, each once; what the registry has that is not a version is left out."""
    scheme, keys = SCHEMES[registry], {}
    for text in published:
        try:
            keys[text] = scheme.key(text)
        except BadVersion:
            continue
    return sorted(keys, key=lambda text: (keys[text], text))


def chosen(
    registry: Registry, wanted: str, published: Iterable[str], *, pre: bool = False, newest: int | None = None
) -> list[str]:
    """The published versions in a range, oldest first. `newest`: at most this many.

    Raises BadVersion, also if the range names a single version that is not published.
    """
    every = ordered(registry, published)
    for text in _singles(registry, wanted):
        published_as(registry, text, every)
    match = _BETWEEN.fullmatch(wanted.strip())
    if match is not None:
        found = between(registry, every, match["low"], match["high"], pre=pre)
    else:
        is_in = SCHEMES[registry].matcher(wanted, pre)
        found = [text for text in every if is_in(text)]
    return found if newest is None else found[-newest:]


def _singles(registry: Registry, wanted: str) -> Iterator[str]:
    """Yield the alternatives of a range that are versions: both of `1.2.0 || 1.4.0`."""
    for alternative in wanted.split("||"):
        text = alternative.strip().removeprefix("==").removeprefix("=").strip()
        with suppress(BadVersion):
            SCHEMES[registry].key(text)
            yield text


def between(
    registry: Registry, published: Sequence[str], low: str | None, high: str | None, *, pre: bool = False
) -> list[str]:
    """From one version to another, both included; None means no limit. Raises BadVersion."""
    scheme = SCHEMES[registry]
    ends = [scheme.key(each) for each in (low, high) if each is not None]
    if len(ends) == 2 and ends[0] > ends[1]:
        raise BadVersion(f"{low} is newer than {high}: a range begins with the older one")
    pre = pre or any(each is not None and scheme.is_pre(each) for each in (low, high))
    return [
        text
        for text in ordered(registry, published)
        if (low is None or scheme.key(text) >= scheme.key(low))
        and (high is None or scheme.key(text) <= scheme.key(high))
        and (pre or not scheme.is_pre(text))
    ]


def published_as(registry: Registry, text: str, published: Sequence[str]) -> str:
    """A version as the registry spells it: `v1.2.0` is `1.2.0`. Raises BadVersion if it lacks it."""
    key = SCHEMES[registry].key(text)
    found = next((each for each in published if each == text or SCHEMES[registry].key(each) == key), None)
    if found is None:
        raise BadVersion(f"there is no version {text}{_neighbours(registry, key, published)}")
    return found


def _neighbours(registry: Registry, key: Any, published: Sequence[str]) -> str:
    """The published versions before and after one that does not exist, as the end of a message."""
    every = ordered(registry, published)
    older = [each for each in every if SCHEMES[registry].key(each) < key][-1:]
    newer = [each for each in every if SCHEMES[registry].key(each) > key][:1]
    near = [*older, *newer]
    return f"; the nearest {'is' if len(near) == 1 else 'are'} {' and '.join(near)}" if near else ""


def _npm_matcher(wanted: str, pre: bool) -> Callable[[str], bool]:
    in_range = semver.range_of(wanted)
    return lambda text: semver.is_in(semver.version(text), in_range, pre=pre)


def _pypi_key(text: str) -> Any:
    from packaging.version import InvalidVersion, Version

    try:
        return Version(text)
    except InvalidVersion:
        raise BadVersion(f"{text!r} is not a version such as 1.2.3") from None


def _pypi_matcher(wanted: str, pre: bool) -> Callable[[str], bool]:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    text = f"=={wanted}" if re.match(r"v?\d", wanted) else wanted
    try:
        specifiers = SpecifierSet("" if text == "*" else text)
    except InvalidSpecifier:
        raise BadVersion(f"{wanted!r} is not a range such as >=1.2,<2") from None
    means_pre = pre or bool(specifiers.prereleases)
    return lambda version: specifiers.contains(version, prereleases=means_pre)


SCHEMES: dict[Registry, Scheme] = {
    "npm": Scheme(
        lambda text: semver.version(text).key, lambda text: bool(semver.version(text).pre), _npm_matcher
    ),
    "pypi": Scheme(_pypi_key, lambda text: bool(_pypi_key(text).is_prerelease), _pypi_matcher),
}
