"""The sessions of a written conversation by their names, and the parameters of each step's message. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import Any

from acp_trace.replay.written.blocks import SAMPLES
from acp_trace.replay.written.steps import VERBS, WrittenStep

#: The verbs that make a session, whose id is not known before.
_CREATE = ("new", "fork")


class WrittenSessions:
    """The open sessions. `directory`: theirs, unless a step gives another one."""

    def __init__(self, steps: Iterable[WrittenStep], directory: str) -> None:
        self.ids: dict[str, str] = {}  #: by their names
        self._directory = directory
        self._names = {name_of(step) for step in steps if step.verb in _CREATE}  #: that later steps may use
        self._current = ""  #: the name of the session that was opened last

    def open(self, step: WrittenStep, session: str) -> None:
        """Note that a step has opened the session with this id."""
        self._current = name_of(step)
        self.ids[self._current] = session

    def of(self, step: WrittenStep) -> str | None:
        """Return the id of a step's session; None if it has none, or one that is not open.

        A name that the script does not define is the id of a session that the agent has.
        """
        if VERBS[step.verb].value == "session":
            named = str(step.value)
            return self.ids.get(named, None if named in self._names else named)
        if VERBS[step.verb].of_session:
            return self.ids.get(step.session or self._current)
        return None

    def lacks(self, step: WrittenStep) -> str | None:
        """Return why a step cannot be sent; None if it can."""
        needs = VERBS[step.verb].value == "session" or VERBS[step.verb].of_session
        return "its session is not open" if needs and self.of(step) is None else None

    def params(self, step: WrittenStep) -> Any:
        """Return the parameters of a step's message."""
        verb, session = VERBS[step.verb], self.of(step)
        if step.verb in ("request", "notify"):
            return self._named(step.beside.get("params", {}))
        params: dict[str, Any] = {} if session is None else {"sessionId": session}
        for name, word in verb.params.items():
            params[name] = step.beside[word] if word else step.value
        if verb.opens:
            params["cwd"] = step.beside.get("cwd", self._directory)
            params["mcpServers"] = step.beside.get("mcp_servers", [])
            if directories := step.beside.get("additional_directories"):
                named = [posixpath.join(self._directory, each) for each in directories]
                params["additionalDirectories"] = [posixpath.normpath(each) for each in named]
            if prompt := step.beside.get("system_prompt"):
                params["systemPrompt"] = {"mode": "append", "content": [{"type": "text", "text": prompt}]}
        elif step.verb == "prompt":
            params["prompt"] = [
                {"type": "text", "text": step.value},
                *map(_block, step.beside.get("content", [])),
            ]
        elif isinstance(params.get("value"), bool):
            params["type"] = "boolean"
        return params

    def _named(self, value: Any) -> Any:
        """Return parameters with `${name}` replaced by the ids of sessions."""
        if isinstance(value, dict):
            return {key: self._named(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._named(each) for each in value]
        if isinstance(value, str) and value.startswith("${") and value.endswith("}"):
            return self.ids.get(value[2:-1], value)
        return value


def _block(content: dict[str, Any] | str) -> dict[str, Any]:
    return SAMPLES[content] if isinstance(content, str) else content


def name_of(step: WrittenStep) -> str:
    """Return the name of the session that a step opens."""
    if step.verb == "fork":
        return str(step.beside.get("as", f"{step.value} fork"))
    return str(step.value)
