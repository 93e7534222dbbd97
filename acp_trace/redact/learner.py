"""The first pass over a line: learns the secrets, and the home directories, in its strings."""

from __future__ import annotations

import base64
from collections.abc import Container, Sequence

from acp_trace.protocol.methods import OPENERS
from acp_trace.redact import arguments, scan, shapes, urls
from acp_trace.redact.homes import Homes
from acp_trace.redact.places import StringPlace
from acp_trace.redact.rules import ARGUMENTS, SERVERS
from acp_trace.redact.spots import Spot, Spotted
from acp_trace.redact.values import Values

#: Lines with one of these need more than a look at their strings.
_ODD = ("base64", "\\u", "\\/", SERVERS, '"environment":{')
#: Directories named by the agent's variables.
_DIRECTORIES = ("model", "environment", "directories")


def is_plain(line: str, places: Sequence[StringPlace]) -> bool:
    """Whether only the content of a line's strings matters: no rule applies, no escape hides anything."""
    usual = line.startswith('{"t":') and not any(odd in line for odd in _ODD)
    return usual and not any(one.rules for one in places)


def may_teach(line: str, places: Sequence[StringPlace]) -> bool:
    """Whether a line must be read: most URLs hold no secret. Without escapes that is quickly decided."""
    if "\\" in line or not is_plain(line, places) or "<secret:" in line or scan.is_escaped(line):
        return True
    return bool(shapes.spans(line)) or any(True for _ in urls.spans(line))


class Learner:
    """Visits the strings of one line (`splice`), and changes none."""

    def __init__(
        self,
        values: Values,
        homes: Homes,
        places: Sequence[StringPlace],
        line: str,
        elsewhere: Container[tuple[str | int | None, ...]] = (),
    ) -> None:
        self._values, self._homes = values, homes
        self._elsewhere = elsewhere  #: paths of the strings that are read joined with others
        self._is_plain = is_plain(line, places)
        self._before: tuple[tuple[str | int | None, ...], str] = ((), "")

    def __call__(self, scalar: Spotted, text: str) -> str | None:
        """See `splice.Visit`."""
        if "<secret:" in text:
            self._values.taken(text)
        place = scalar.spot
        if place is None or scalar.kind == "number" or scalar.path in self._elsewhere:
            return None
        if self._is_plain and not scan.may_hold(text):
            return None
        if place.path == ("base64",):
            text = decoded(text) or text
        self._folders(place, text)
        ruled = place.rule is not None and self._ruled(place, text)
        for hit in scan.secrets(text):
            self._values.learn(hit.secret or "", hit.rule, here_only=hit.here_only, inner=ruled)
        return None

    def _ruled(self, place: Spot, text: str) -> bool:
        """Learn by a rule; return whether it takes the whole text, so that all of it is part of a secret."""
        rule = place.rule
        assert rule is not None
        if rule.how == "arguments":
            for start, end in arguments.spans(text, before(self._before, place)):
                self._values.learn(text[start:end], ARGUMENTS)
            self._before = (place.path, text)
            return False
        start = arguments.header_start(text) if rule.how == "header" else 0
        self._values.learn(text[start:], rule.name)
        return True

    def _folders(self, place: Spot, text: str) -> None:
        path = place.path
        if path == ("agent", "cwd") or path[:3] == _DIRECTORIES:
            self._homes.folder(text)
        elif path[:2] == ("agent", "argv"):
            self._homes.argument(text)
        elif place.method in OPENERS and (
            path == ("params", "cwd") or path[:2] == ("params", "additionalDirectories")
        ):
            self._homes.folder(text)


def before(last: tuple[tuple[str | int | None, ...], str], place: Spot) -> str | None:
    """Return the argument before the one at `place`, if `last` is that."""
    path, text = last
    at = place.path[-1]
    if at == "command":  # a whole command line, as for `sh -c`
        return "-c"
    is_next = isinstance(at, int) and path == (*place.path[:-1], at - 1)
    return text if is_next else None


def decoded(text: str) -> str | None:
    """Return the line of a `base64` entry; invalid UTF-8 becomes surrogates.

    None for invalid base64: other lines may have a key of that name, too, and one line may have two.
    """
    try:
        return base64.b64decode(text, validate=True).decode("utf-8", "surrogateescape")
    except ValueError:
        return None


def encoded(line: str) -> str:
    """Encode what `decoded` reads."""
    return base64.b64encode(line.encode("utf-8", "surrogateescape")).decode()
