"""Options and modes."""

from __future__ import annotations

from acp_trace.analyze.findings.codes import sources
from acp_trace.analyze.findings.codes.finding_code import FindingCode

ROWS = (
    FindingCode(
        "config-unknown-option", "client", "error", "configuration",
        "A config change request for an option that the session does not have.",
        "configId: the ID of the configuration option to set.",
        sources.CONFIG, is_doubted=True,
    ),
    FindingCode(
        "config-unknown-value", "client", "error", "configuration",
        "A config change request for a value that is not one of the option's choices.",
        "The value to set must be one of the values listed in the option's options.",
        sources.CONFIG, is_doubted=True,
    ),
    FindingCode(
        "set-not-honoured", "agent", "warning", "configuration",
        "A config change that was not applied: the request succeeded, but the response shows another value, "
        "or no longer has the option.",
        "The response contains the complete configuration state, which tells the client what was applied.",
        sources.CONFIG,
    ),
    FindingCode(
        "config-lost", "agent", "warning", "configuration",
        "An option that the client had set has another value when the session is loaded or resumed, "
        "although nothing changed it. If the option was set in an earlier trace, only `show SESSION` finds "
        "this.",
        "The user chose a mode or a model for this session. If the agent forgets the choice, the session "
        "continues with another one.",
        sources.OURS, is_doubted=True,
    ),
    FindingCode(
        "option-no-value", "agent", "error", "configuration",
        "An option without a current value, or with a value that is not one of its choices.",
        "currentValue MUST be one of the values in options.",
        "draft 2, schema SessionConfigSelect", once="session",
    ),
    FindingCode(
        "option-mixed-choices", "agent", "error", "configuration",
        "An option with some choices in groups and some outside.",
        "options contains either values or groups of values, not both.",
        sources.CONFIG, once="session",
    ),
    FindingCode(
        "option-boolean-unannounced", "agent", "error", "configuration",
        "A boolean option, although the client did not announce support for boolean options.",
        "Agents MUST NOT include boolean options unless the client advertised support.",
        sources.CONFIG, once="session", is_doubted=True,
    ),
    FindingCode(
        "option-malformed", "agent", "error", "configuration",
        "An option that has no id, type or name, or that is listed twice: clients skip such an option. Also "
        "a list of options that is not an array.",
        "id, name and type are required; an item that cannot be read is skipped.",
        "schema, SessionConfigOption", once="session",
    ),
    FindingCode(
        "modes-disagree", "agent", "warning", "configuration",
        "The legacy mode and the option of category `mode` name different modes.",
        "Agents that support both SHOULD keep them in sync.",
        sources.CONFIG, is_doubted=True,
    ),
    FindingCode(
        "mode-unknown", "either", "error", "configuration",
        "A mode that the session does not have. The finding is an error if the client requests the mode, a "
        "warning if the agent names it, and a note if the session has no modes at all.",
        "modeId must be one of the modes listed in availableModes.",
        "docs/protocol/v1/session-modes", once="session", is_doubted=True,
    ),
    FindingCode(
        "config-missing", "agent", "warning", "configuration",
        "A session that had options or modes has none in the response that loads or resumes it.",
        "The response carries the state of the session, like the response to session/new.",
        sources.CONFIG, is_doubted=True,
    ),
)  # fmt: skip
