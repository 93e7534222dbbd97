"""Every divergence's code: how bad it is, what it means, from which level on. A table and no logic.

Codes are stable: one is never renamed, and never gets another meaning. docs/diff.md is made from this
table. An `error` makes two traces differ, a `note` does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Severity = Literal["error", "note"]
#: How closely is compared. Each level looks for what those before it do, and for more.
Match = Literal["outcome", "semantic", "exact"]
MATCHES: tuple[Match, ...] = get_args(Match)


@dataclass(frozen=True, slots=True)
class DivergenceCode:
    """One code. `since`: the first level at which it is looked for."""

    code: str
    severity: Severity
    since: Match
    group: str
    meaning: str


def _rows(group: str, *rows: tuple[str, Match, str], severity: Severity = "error") -> list[DivergenceCode]:
    return [DivergenceCode(code, severity, since, group, meaning) for code, since, meaning in rows]


_ALL = [
    *_rows(
        "environment",
        ("protocol-version", "outcome", "Another version of the protocol was agreed on."),
        ("capability-lost", "outcome", "A capability, or a way to authenticate, is announced no more."),
        ("end", "outcome", "The agent ended otherwise: another exit code, or a crash."),
    ),
    *_rows(
        "environment",
        ("capability-new", "outcome", "A capability that was not announced before."),
        ("truncated", "outcome", "A trace has no end: the two are compared as far as it goes."),
        ("frames-lost", "outcome", "A trace lost frames: what is missing may only be missing from it."),
        severity="note",
    ),
    *_rows(
        "requests and their ends",
        ("session-missing", "outcome", "A session that is not there any more, with all that was in it."),
        ("session-extra", "outcome", "A session that was not there before, with all that is in it."),
        ("request-missing", "outcome", "A request that is sent no more; the agent's from `semantic` on."),
        ("request-extra", "outcome", "A request that was not sent before; likewise."),
        ("request-twice", "outcome", "A request that is sent once more, word for word; likewise."),
        ("response-missing", "outcome", "A request that is answered no more, or a turn that never ends."),
        ("response-extra", "outcome", "An answer where there was none, or one that answers nothing."),
        ("error-instead-of-result", "outcome", "A request that succeeded is answered with an error."),
        ("result-instead-of-error", "outcome", "A request that failed is answered with a result."),
        ("error-code", "outcome", "An error with another code."),
        ("stop-reason", "outcome", "A turn that ends for another reason."),
        ("cancel-outcome", "outcome", "A cancel that ends otherwise: ignored, too late, with an error …"),
        ("permission-answer", "outcome", "A permission that is answered otherwise."),
        ("result-differs", "outcome", "Another result, where results are compared: how a command ended …"),
        ("request-params", "semantic", "A request for something else: another path, command, tool, option …"),
        ("request-order", "semantic", "Requests of one side in another order, which were not open at once."),
        ("request-moved", "semantic", "A request in another turn, or in a turn and not between two."),
        ("permission-missing", "semantic", "A permission that the agent does not ask for any more."),
        ("permission-extra", "semantic", "A permission that the agent did not ask for before."),
        ("notification-missing", "semantic", "A notification, such as a cancel, that is not sent any more."),
        ("notification-extra", "semantic", "A notification that was not sent before."),
    ),
    *_rows(
        "work of the agent",
        ("message-missing", "semantic", "A message or a thought that is not there any more."),
        ("message-extra", "semantic", "A message or a thought that was not there before."),
        ("tool-call-missing", "semantic", "A tool call that is not made any more."),
        ("tool-call-extra", "semantic", "A tool call that was not made before."),
        ("tool-call-unannounced", "semantic", "A tool call of which only updates come, and no `tool_call`."),
        ("tool-call-kind", "semantic", "A tool call of another kind."),
        ("tool-call-status", "semantic", "A tool call that takes other statuses, or in another order."),
        ("tool-call-early", "semantic", "A tool call that is over before its permission is answered."),
        ("tool-call-moved", "semantic", "A tool call on the other side of a request of the agent."),
        ("update-missing", "semantic", "A kind of update that is sent no more: a plan, commands, usage …"),
        ("update-extra", "semantic", "A kind of update that was not sent before."),
        ("update-after-stop", "semantic", "Work of a turn that comes after its end."),
        ("noise", "semantic", "A line that is no JSON, or no JSON-RPC message."),
    ),
    *_rows(
        "configuration and metadata",
        ("config-final", "outcome", "A config option, or the legacy mode, with another value at the end."),
        ("option-missing", "outcome", "A config option that vanished."),
        ("config-timeline", "semantic", "The same value at the end, and other steps towards it."),
        ("title-never-set", "outcome", "A session that gets no title any more."),
        ("metadata-never-set", "outcome", "updatedAt, or a key of _meta, that is not sent any more."),
        ("metadata-set", "outcome", "A title, updatedAt or key of _meta that is set now."),
        ("metadata-cleared", "outcome", "A title, updatedAt or key of _meta that is cleared now."),
    ),
    *_rows(
        "configuration and metadata",
        ("option-new", "outcome", "A config option that was not there before."),
        severity="note",
    ),
    *_rows(
        "frames",
        ("frame-differs", "exact", "A frame with another value, key or type in it."),
        ("frame-missing", "exact", "A frame of a stream that is not sent any more."),
        ("frame-extra", "exact", "A frame of a stream that was not sent before."),
    ),
]  # fmt: skip

CODES = {row.code: row for row in _ALL}
GROUPS = list(dict.fromkeys(row.group for row in _ALL))


def at_level(code: str, match: Match) -> bool:
    """Whether this code is looked for at a level."""
    return MATCHES.index(CODES[code].since) <= MATCHES.index(match)
