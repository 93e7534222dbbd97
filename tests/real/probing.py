"""What only `acp-trace conform` tries, as scripts of `acp-trace drive`: most of its probes in one process. Data only.

`conform` starts an agent for each of its conversations, which takes minutes with some agents. Probes that may end
the agent or its session keep a process of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from acp_trace.conform.probes import PROBES, Probe, script
from acp_trace.replay.written.announced import Announced
from acp_trace.replay.written.exercises import ScriptPart
from acp_trace.replay.written.spelling import spelled

#: By the name of the script: the probes, in this order. `drive --all` and errands.py do the others.
_SCRIPTS = {
    "version": ("version",),
    "input": ("malformed-line", "invalid-envelope"),
    "logout": ("logout",),
    "rules": (
        "unknown-method",
        "list",
        "meta",
        "resource-link",
        "unknown-session",
        "close-in-turn",
        "delete",
    ),
}
#: What `conform` does not try, because it would log out its user. Here, the home is the run's own.
_LOGOUT = Probe("logout", "a logout", ({"logout": True},), capability="auth.logout")
#: `{cwd}` of a probe: the list of sessions is filtered by a directory in it, which has none.
_NOWHERE = "/acp-trace"


def scripts(
    said: Announced, prompt: str, cancel_prompt: str, *, sessions: bool, login: str | None
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each script for an agent.

    `sessions`: whether it opens any. Without, it still refuses them, and may list those of another day.
    """
    words = {"prompt": prompt, "cancel_prompt": cancel_prompt, "cwd": _NOWHERE}
    probes = {probe.name: probe for probe in (*PROBES, _LOGOUT)}
    for name, names in _SCRIPTS.items():
        meant = [probes[each] for each in names if _is_meant(probes[each], said, sessions=sessions)]
        if not meant:
            continue
        logs_in = any(probe.logs_in for probe in meant)
        parts = [ScriptPart(probe.about, [*script(probe.steps, words, [prompt]).steps]) for probe in meant]
        written = script((), words, [prompt], login_id=login if logs_in else None)
        first = [step for step in written.steps if step.verb == "authenticate"]
        yield name, spelled((), written, [*([ScriptPart("Log in", first)] if first else []), *parts])


def _is_meant(probe: Probe, said: Announced, *, sessions: bool) -> bool:
    return (sessions or probe.needs != "prompt") and (not probe.capability or said.has(probe.capability))
