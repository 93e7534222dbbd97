"""At which level what is told: what a case of the matrix demands, and what a verdict says, in the same words.

A case names the codes of its causes once. Each is told from its own level on, and below that nothing is. At
`exact`, frames are compared in place of values, so that `content-differs` is told as `frame-differs`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from acp_trace.compare.causes import causes
from acp_trace.compare.codes import CODES, MATCHES, Match
from acp_trace.compare.result import Divergence
from acp_trace.replay.incidents import RUN_CODES
from tests.replay.edits import Case


class Told(NamedTuple):
    """The codes of the causes, the heaviest first, and of what is told as a consequence of them."""

    causes: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()


def due(case: Case, match: Match) -> Told:
    """What a replay at a level must tell of a case."""
    if match in case.at:
        words = case.at[match].split()
        return Told(
            tuple(word for word in words if word[0] != ">"),
            tuple(sorted(word[1:] for word in words if word[0] == ">")),
        )
    return Told(_at(case.codes, match), tuple(sorted(_at(case.follows, match))))


def told(divergences: Iterable[Divergence]) -> Told:
    """What a verdict tells, without its notes."""
    found = causes(one for one in divergences if one.severity == "error")
    own = [cause for cause in found if not cause.first.follows]
    orphans = [cause.first for cause in found if cause.first.follows]
    below = [*orphans, *(one for cause in own for one in cause.consequences)]
    return Told(tuple(cause.first.code for cause in own), tuple(sorted(one.code for one in below)))


def _at(codes: Iterable[str], match: Match) -> tuple[str, ...]:
    known = {**CODES, **RUN_CODES}
    codes = [code for code in codes if MATCHES.index(known[code].since) <= MATCHES.index(match)]
    return tuple(
        "frame-differs" if match == "exact" and code == "content-differs" else code for code in codes
    )
