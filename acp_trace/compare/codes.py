"""Every divergence's code: its severity, its weight, its meaning, and its first level. A table.

Codes are stable: a code is never renamed and never changes its meaning. docs/diff.md is generated from this
table. An `error` makes two traces differ, a `note` does not. Heavier divergences are shown first. Differences
in what an agent sends its model are notes, and errors only on request (`--model-strict`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Severity = Literal["error", "note"]
#: How closely traces are compared. Each level checks what the levels before it check, and more.
Match = Literal["outcome", "semantic", "content", "exact"]
MATCHES: tuple[Match, ...] = get_args(Match)

#: The subjects of divergences, the heaviest first.
Weight = Literal[
    "crash or hang", "cancel", "permission", "error", "protocol", "outcome", "content", "capability", "text"
]
WEIGHTS: tuple[Weight, ...] = get_args(Weight)

#: The weight of a group's codes that are not named below.
_OF_GROUP: dict[str, Weight] = {
    "environment": "capability",
    "requests and their ends": "outcome",
    "work of the agent": "content",
    "content": "content",
    "configuration and metadata": "text",
    "the protocol": "protocol",
    "the model's side": "content",
    "the files": "content",
    "frames": "text",
}
_OF_CODE: dict[str, Weight] = {
    **dict.fromkeys(
        ("cannot-start", "agent-gone", "timeout", "flood", "stays", "end", "response-missing"),
        "crash or hang",
    ),
    **dict.fromkeys(("cancel-outcome", "cancel-later", "step-skipped"), "cancel"),
    **dict.fromkeys(
        ("permission-answer", "permission-missing", "permission-extra", "permission-misleads",
         "permission-option-missing", "permission-option-extra", "permission-option-differs",
         "tool-call-early", "tool-call-misleads"),
        "permission",
    ),
    **dict.fromkeys(
        ("error-instead-of-result", "result-instead-of-error", "error-code", "model-unserved"), "error"
    ),
    **dict.fromkeys(
        ("finding-new", "protocol-version", "noise", "response-extra", "session-crossed",
         "tool-call-unannounced", "update-after-stop"),
        "protocol",
    ),
    **dict.fromkeys(
        ("config-final", "option-missing", "model-call-missing", "model-call-extra"), "outcome"
    ),
    "config-timeline": "content",
    "content-differs": "text",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DivergenceCode:
    """One code. `since`: the first level at which it is checked."""

    code: str
    severity: Severity
    since: Match
    group: str
    meaning: str
    may_fail: bool = False  #: a note that can be made an error

    @property
    def weight(self) -> Weight:
        """The subject of the code, which decides its weight."""
        return _OF_CODE.get(self.code) or _OF_GROUP.get(self.group, "outcome")


def _rows(
    group: str, *rows: tuple[str, Match, str], severity: Severity = "error", may_fail: bool = False
) -> list[DivergenceCode]:
    return [DivergenceCode(code, severity, since, group, meaning, may_fail) for code, since, meaning in rows]


_ALL = [
    *_rows(
        "environment",
        ("protocol-version", "outcome", "The two sides agreed on a different protocol version."),
        ("capability-lost", "outcome", "A capability or an authentication method is no longer announced."),
        ("info-missing", "semantic", "The agent, or the client, no longer gives its name."),
        ("end", "outcome", "The agent ended differently: with a different exit code, or by a crash."),
    ),
    *_rows(
        "environment",
        ("capability-new", "outcome", "An additional capability is announced."),
        ("truncated", "outcome", "A trace has no end. The traces are compared up to where it stops."),
        ("frames-lost", "outcome", "A trace lost frames. What seems to be missing may be in a lost frame."),
        severity="note",
    ),
    *_rows(
        "requests and their ends",
        ("session-missing", "outcome", "A session is missing, with everything in it."),
        ("session-extra", "outcome", "A session is new, with everything in it."),
        ("request-missing", "outcome",
         "A request is no longer sent. (For the agent's requests: from `semantic` on.)"),
        ("request-extra", "outcome", "A request is new. (For the agent's requests: from `semantic` on.)"),
        ("request-twice", "outcome",
         "The same request is sent again. (For the agent's requests: from `semantic` on.)"),
        ("response-missing", "outcome", "A request is no longer answered, or a turn never ends."),
        ("response-extra", "outcome", "A request is now answered, or a response matches no request."),
        ("error-instead-of-result", "outcome", "A request that succeeded before is answered with an error."),
        ("result-instead-of-error", "outcome", "A request that failed before is answered with a result."),
        ("error-code", "outcome", "An error has a different code."),
        ("stop-reason", "outcome", "A turn ends with a different stop reason."),
        ("cancel-outcome", "outcome", "A cancel ends differently: ignored, too late, with an error …"),
        ("permission-answer", "outcome", "A permission is answered differently."),
        ("result-differs", "outcome",
         "A command ended differently, or an elicitation is answered differently."),
        ("request-params", "semantic", "A request asks for a different path, command, tool, option …"),
        ("request-order", "semantic",
         "Requests that were not open at the same time come in a different order."),
        ("request-moved", "semantic", "A request moved to a different turn, into a turn, or out of a turn."),
        ("permission-missing", "semantic", "The agent no longer asks for a permission."),
        ("permission-extra", "semantic", "The agent asks for an additional permission."),
        ("permission-misleads", "semantic", "A permission shows something other than what then runs."),
        ("permission-option-missing", "semantic", "A permission no longer offers an option."),
        ("permission-option-extra", "semantic", "A permission offers an additional option."),
        ("permission-option-differs", "semantic",
         ("An option has a different name or kind, or its id means a different option. (For the order of "
          "options: from `content` on.)")),
        ("notification-missing", "semantic", "A notification, such as a cancel, is no longer sent."),
        ("notification-extra", "semantic", "An additional notification is sent."),
    ),
    *_rows(
        "requests and their ends",
        ("prompt-differs", "outcome",
         "A prompt has a different text, and the level does not compare prompts."),
        ("cancel-later", "outcome",
         "A cancel ends in the same way, but only after much more time and work."),
        severity="note",
    ),
    *_rows(
        "work of the agent",
        ("message-missing", "semantic", "A message or a thought is missing."),
        ("message-extra", "semantic", "A message or a thought is new."),
        ("message-twice", "semantic", "The text of a message or a thought comes twice."),
        ("tool-call-twice", "semantic", "A tool call is announced a second time."),
        ("tool-call-missing", "semantic", "A tool call is no longer made."),
        ("tool-call-extra", "semantic", "An additional tool call is made."),
        ("tool-call-unannounced", "semantic", "A tool call has only updates, and no `tool_call`."),
        ("session-crossed", "semantic", "A tool call of one session is sent to another session."),
        ("tool-call-kind", "semantic", "A tool call has a different kind."),
        ("tool-call-status", "semantic",
         "A tool call has different statuses, or the same statuses in a different order."),
        ("tool-call-misleads", "semantic", "A tool call shows something other than what it writes."),
        ("tool-call-early", "semantic", "A tool call is over before its permission is answered."),
        ("tool-call-moved", "semantic", "A tool call and a request of the agent come in a different order."),
        ("update-missing", "semantic", "A kind of update is no longer sent: a plan, commands, usage …"),
        ("update-extra", "semantic", "An additional kind of update is sent."),
        ("update-after-stop", "semantic", "A turn's work arrives after the turn has ended."),
        ("noise", "semantic", "A line is not JSON, or not a JSON-RPC message."),
    ),
    *_rows(
        "content",
        ("content-lost", "semantic", "Something that was shown is empty or missing: a text, a diff …"),
        ("content-outside", "semantic", "A tool call shows a path outside of the session's directory."),
        ("choice-missing", "semantic", "A mode, a command or a choice of an option is no longer offered."),
        ("content-differs", "content", "Something that is shown has a different value: a text, a title …"),
    ),
    *_rows(
        "configuration and metadata",
        ("config-final", "outcome", "A config option, or the legacy mode, has a different value at the end."),
        ("option-missing", "outcome", "A config option is missing."),
        ("config-timeline", "semantic", "A config option has a different value at some time before the end."),
        ("title-never-set", "outcome", "A session no longer gets a title."),
        ("metadata-never-set", "outcome", "updatedAt, or a key of _meta, is no longer sent."),
        ("metadata-set", "outcome", "A title, updatedAt or a key of _meta is now set."),
        ("metadata-cleared", "outcome", "A title, updatedAt or a key of _meta is now cleared."),
    ),
    *_rows(
        "configuration and metadata",
        ("option-new", "outcome", "A config option is new."),
        severity="note",
    ),
    *_rows(
        "the protocol",
        ("finding-new", "semantic", "A finding of `check` that was not there before; notes do not count."),
    ),
    *_rows(
        "the protocol",
        ("finding-fixed", "semantic", "A finding of `check` is gone."),
        severity="note",
    ),
    *_rows(
        "the model's side",
        ("model-prompt-changed", "outcome",
         "The model gets a different system prompt or different messages."),
        ("model-tools-changed", "outcome",
         "The model is offered different tools, or a tool with a different schema."),
        ("model-params-changed", "outcome",
         "A different model is requested, or different parameters are sent."),
        ("model-call-missing", "outcome", "A call to the model is no longer made."),
        ("model-call-extra", "outcome", "An additional call to the model is made."),
        severity="note",
        may_fail=True,
    ),
    *_rows(
        "the model's side",
        ("model-text-lost", "content", "What the user said no longer reaches the model. Only in a replay."),
        ("model-history-lost", "content", "An earlier answer no longer reaches the model. Only in a replay."),
        ("model-result-lost", "content", "A tool's result is missing, empty or cut short. Only in a replay."),
        ("model-result-changed", "content", "A tool's result is not what the frames show. Only in a replay."),
    ),
    *_rows(
        "the model's side",
        ("model-result-differs", "content",
         "A tool's result for the model differs, and the frames do not show that result. Only in a replay."),
        severity="note",
    ),
    *_rows(
        "the files",
        ("file-missing", "content", "A file that was there at the end is missing. Only in a replay."),
        ("file-extra", "content", "An additional file is there at the end. Only in a replay."),
        ("file-differs", "content", "A file has different content at the end. Only in a replay."),
    ),
    *_rows(
        "frames",
        ("frame-differs", "exact", "A frame contains a different value, key or type."),
        ("frame-missing", "exact", "A frame of a stream is no longer sent."),
        ("frame-extra", "exact", "An additional frame of a stream is sent."),
    ),
]  # fmt: skip

#: A replay's own code for a number that is too high. No recording has budgets, so no run fixes it.
OVER_BUDGET = "over-budget"
CODES = {row.code: row for row in _ALL}
GROUPS = list(dict.fromkeys(row.group for row in _ALL))


def at_level(code: str, match: Match) -> bool:
    """Whether a code is checked at a level: `request-params` at `semantic`, and not at `outcome`."""
    return MATCHES.index(CODES[code].since) <= MATCHES.index(match)


def rank(code: str) -> int:
    """Return the weight of a code: 1 is the heaviest. Accepts codes of others, such as a replay's."""
    weight = CODES[code].weight if code in CODES else _OF_CODE.get(code, "outcome")
    return WEIGHTS.index(weight) + 1
