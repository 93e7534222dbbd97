"""The steps of a written conversation: the content of each, and the message that it becomes.

`VERBS` is the one list of a script's verbs; docs/drive.md has its table. `form` reads values from a file, and
`client` decides when a step is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from acp_trace.protocol import methods
from acp_trace.trace.counts import counted

#: The answer to a permission request that chooses no option (protocol 1, RequestPermissionOutcome).
CANCELLED = "cancelled"
#: One word for every permission request, or one for each of them, in order.
Permission = str | tuple[str, ...]
#: Answers to a request for input (RFD elicitation).
ElicitationAction = Literal["accept", "decline", "cancel"]
#: How the value of a verb, or of a word beside it, is read.
Reading = Literal[
    "text", "name", "session", "flag", "time", "permission", "after", "by", "any", "blocks", "tables",
    "texts", "updates", "value",
]  # fmt: skip


class After(NamedTuple):
    """How far the newest open turn is when a step is sent: the first condition that is met counts.

    `ns`: the time after its prompt. `updates`: the number of its messages and tool updates. `seen`: the first
    update or request of this kind (`tool_call`, `permission`).
    """

    ns: int | None = None
    updates: int | None = None
    seen: str | None = None

    def __str__(self) -> str:
        """Return it as in a script: `3 updates or 5s`."""
        words = [] if self.updates is None else [counted(self.updates, "update")]
        words += [] if self.seen is None else [self.seen]
        words += [] if self.ns is None else [f"{self.ns / 1e9:g}s"]
        return " or ".join(words)


class Verb(NamedTuple):
    """A verb of a script. `value`: what follows the verb; `beside`: the other words that it may have.

    `method`: of the message that it becomes; empty if there is none, or the step names it itself. `params`:
    members of the parameters, by the word with their value (`""`: the verb's own).
    """

    value: Reading
    help: str
    method: str = ""
    beside: Mapping[str, Reading] = {}
    params: Mapping[str, str] = {}
    opens: bool = False  #: a session, of which the verb's value, or `as`, is the name
    of_session: bool = True  #: it needs a session

    @property
    def is_answered(self) -> bool:
        """Whether it gets an answer."""
        return bool(self.method) and methods.is_answered(self.method)


_SESSION: Mapping[str, Reading] = {"session": "session"}
_PLACE: Mapping[str, Reading] = {
    "mcp_servers": "tables", "cwd": "text", "additional_directories": "texts", "system_prompt": "text",
}  # fmt: skip

# fmt: off
VERBS: dict[str, Verb] = {
    "authenticate": Verb("text", "Log in with the method that has this id.", "authenticate",
        params={"methodId": ""}, of_session=False),
    "logout": Verb("flag", "Log out.", "logout", of_session=False),
    "new": Verb("name", "Open a session; later steps know it by this name.", methods.NEW,
        _PLACE, opens=True, of_session=False),
    "load": Verb("session", "Open this session again, with its history.", methods.LOAD,
        _PLACE, opens=True, of_session=False),
    "resume": Verb("session", "Open this session again, without its history.", methods.RESUME,
        _PLACE, opens=True, of_session=False),
    "fork": Verb("session", "Open a copy of this session; `as` names it.", methods.FORK,
        {"as": "name", **_PLACE}, opens=True, of_session=False),
    "prompt": Verb(
        "text", "Send this prompt. `cancel_after = N` cancels its turn after N updates.", methods.PROMPT,
        {**_SESSION, "permission": "permission", "cancel_after": "updates", "content": "blocks"}),
    "cancel": Verb("flag", 'Cancel the turn; `by = "request"` sends `$/cancel_request`.', methods.CANCEL,
        {**_SESSION, "by": "by"}),
    "set_mode": Verb("text", "Choose the mode with this id.", methods.SET_MODE, _SESSION, {"modeId": ""}),
    "set_option": Verb("text", "Set the option with this id to `value`.", methods.SET_OPTION,
        {**_SESSION, "value": "value"}, {"configId": "", "value": "value"}),
    "set_model": Verb("text", "Choose the model with this id, for agents without options.",
        "session/set_model", _SESSION, {"modelId": ""}),
    "set_title": Verb("text", "Give the session this title.", methods.SET_TITLE, _SESSION, {"title": ""}),
    "list": Verb("flag", "List the sessions.", methods.LIST, of_session=False),
    "status": Verb("session", "Ask for the status of this session.", "session/status", of_session=False),
    "close": Verb("session", "Close this session.", methods.CLOSE, of_session=False),
    "archive": Verb("session", "Archive this session.", methods.ARCHIVE, of_session=False),
    "unarchive": Verb("session", "Take this session out of the archive.", "session/unarchive",
        of_session=False),
    "delete": Verb("session", "Delete this session.", methods.DELETE, of_session=False),
    "request": Verb("text", "Send a request of this method, with these `params`.", beside={"params": "any"},
        of_session=False),
    "notify": Verb("text", "Send a notification of this method, with these `params`.",
        beside={"params": "any"}, of_session=False),
    "send": Verb("text", "Send this line as it is.", of_session=False),
    "pause": Verb("time", "Wait for this time.", of_session=False),
    "disconnect": Verb("flag", "Disconnect immediately, even in the middle of a turn.", of_session=False),
}
# fmt: on
#: Words that each step may have beside its verb.
COMMON: Mapping[str, Reading] = {"after": "after", "wait": "flag"}


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """One step. `beside`: the words beside the verb, as parsed.

    `session`: the name of its session; None: the session that was opened last. `wait`: whether the next step
    waits for its answer. `after`: it is sent in the middle of a turn.
    """

    verb: str
    value: Any
    beside: Mapping[str, Any] = field(default_factory=dict)
    session: str | None = None
    wait: bool = True
    after: After | None = None

    @property
    def method(self) -> str:
        """The method of its message; empty for a message that is sent as it is."""
        return str(self.value) if self.verb in ("request", "notify") else VERBS[self.verb].method

    @property
    def shown(self) -> str:
        """Return the step for people: `set_mode plan`, `prompt “Hello”`."""
        if self.verb == "prompt":
            return f"prompt “{self.value}”"
        if self.verb == "pause":
            return f"pause {After(ns=self.value)}"
        if self.verb == "set_option":
            return f"set_option {self.value} = {self.beside.get('value')}"
        return self.verb if self.value is True else f"{self.verb} {self.value}"


@dataclass(frozen=True, slots=True)
class WrittenConversation:
    """What a client sends, and which requests of the agent it can answer.

    A permission is the kind, the id or the name of an option, or `cancelled`. `files`, `terminals`: the
    client announces that it has these, and serves them from the directory of the session. `elicitation`: how
    it answers requests for input; None: it announces none. `booleans`: it announces that it can set boolean
    options.
    """

    steps: tuple[WrittenStep, ...]
    permission: Permission | None = None
    files: bool = False
    terminals: bool = False
    elicitation: ElicitationAction | None = None
    booleans: bool = False
    mixed_ids: bool = False
    profile: str | None = None  #: the client that it acts as (`profiles`)

    @property
    def prompts(self) -> int:
        """The number of its prompts."""
        return sum(step.verb == "prompt" for step in self.steps)
