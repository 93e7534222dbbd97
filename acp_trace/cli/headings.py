"""The headings of a long help: which options of a command are listed together, and in which order.

An option may also name its heading itself (`rich_help_panel`), as the settings of a replay do, which several
commands share (`replay.declared`). A row here is about one command and comes first. Data only.
"""

from __future__ import annotations

from typing import Any

from acp_trace.replay.declared import COMPARE, FAULTS, HOW

ARGUMENTS, BASICS, REST = "Arguments", "Basics", "Options"
_HTTP = "Over HTTP and WebSocket"
_FILTERS, _OUTPUT, _TRACES = "Which frames", "How they are shown", "Which traces"
#: The first and the last heading of every help; the others are in the order of the options.
FIRST, LAST = (ARGUMENTS, BASICS), (REST,)

#: Command -> heading -> parameters.
HEADINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "replay": {
        BASICS: ("budgets", "update", "save", "html", "junit", "github", "json", "json_file"),
        COMPARE: ("all_", "learn"),
        HOW: ("jobs", "fail_fast", "watch", "explain"),
    },
    "frames": {
        _FILTERS: (
            "where", "sender", "method", "update", "session", "turn", "since", "until", "grep", "around",
            "context", "stream",
        ),
        _OUTPUT: ("tail", "join", "logs", "full", "jsonl", "json"),
        "As they happen": ("follow", "all_", "wait", "events", "stall"),
    },
    "drive": {
        BASICS: ("prompt", "cancel_prompt", "everything", "init", "permission", "login", "as_"),
        "What it records": ("out", "label", "model", "model_base", "json"),
    },
    "mock": {
        BASICS: ("sessions", "save", "junit", "quiet"),
        COMPARE: ("match", "mask"),
        HOW: ("pace", "timeout", "unmatched"),
        FAULTS: ("fault", "chaos", "as_"),
        _HTTP: ("listen", "allow_remote", "allow_origin", "tls_cert", "tls_key"),
    },
    "push": {
        _TRACES: ("agent", "client", "label", "since", "until", "origin", "runs"),
        "Secrets in them": ("redact", "as_is"),
    },
    "record": {
        BASICS: ("out", "label", "no_load"),
        "The session's files": (
            "workspace_snapshot", "workspace_snapshot_limit", "workspace_snapshot_secrets",
        ),
        "Model": ("model", "model_all", "model_base"),
        _HTTP: (
            "listen", "upstream", "allow_remote", "allow_origin", "tls_cert", "tls_key", "upstream_ca",
            "header",
        ),
    },
}  # fmt: skip


def heading_of(command: str, parameter: Any) -> str | None:
    """Return the heading of a parameter; None if neither the command nor the parameter names one."""
    for heading, names in HEADINGS.get(command, {}).items():
        if parameter.name in names:
            return heading
    own: str | None = getattr(parameter, "rich_help_panel", None)
    return own


def in_order(command: str, headings: list[str]) -> list[str]:
    """Return the headings of a help in their order, those without options left out.

    `headings`: those that there are, as their first options come.
    """
    wanted = dict.fromkeys([*FIRST, *headings, *HEADINGS.get(command, {})])
    middle = [heading for heading in wanted if heading in headings and heading not in LAST]
    return middle + [heading for heading in LAST if heading in headings]


def rank(command: str, heading: str, parameter: Any) -> int:
    """Return the place of a parameter below its heading; those without a row of their own come first."""
    names = HEADINGS.get(command, {}).get(heading, ())
    return names.index(parameter.name) if parameter.name in names else -1
