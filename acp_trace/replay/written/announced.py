"""What an agent announces, and which of that a trace exercises, with any client. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from acp_trace.analyze import options
from acp_trace.protocol import capabilities, methods
from acp_trace.protocol.payloads import BlockView
from acp_trace.replay.plan.recording import RecordedMessage, Recording
from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import as_object

#: Methods that every agent has (initialization), and which a client can always try.
_ALWAYS = (methods.NEW, methods.PROMPT, methods.CANCEL)
_VERSION = 1


class OfferedOption(NamedTuple):
    """A config option: its id, its value when a session was opened, and the values that it can have."""

    id: str
    current: str | bool | None
    values: tuple[str | bool, ...]


@dataclass(frozen=True, slots=True)
class Announced:
    """The abilities that an agent announces. `capabilities`: from the answer to `initialize`.

    `agent`: its name and version. `modes`: their ids; `mode`: the current one. `logins`: the ids of its login
    methods.
    """

    capabilities: Mapping[str, Any] = field(default_factory=dict)
    agent: str = ""
    modes: tuple[str, ...] = ()
    mode: str | None = None
    options: tuple[OfferedOption, ...] = ()
    logins: tuple[str, ...] = ()

    def has(self, path: str) -> bool:
        """Whether a capability is announced: true, or an object."""
        at: Any = self.capabilities
        for name in path.split("."):
            at = as_object(at).get(name)
        return at is True or isinstance(at, dict)


#: `refused`: every try was answered with an error.
Exercised = Literal["done", "refused", "unanswered", "not exercised"]


class Feature(NamedTuple):
    """An announced feature, and its result. `why`: the error, in the agent's words."""

    name: str
    status: Exercised
    why: str = ""


def announced(recording: Recording) -> Announced:
    """Return what the agent of a recording announces, with the offers of its first opened session."""
    initialized = next(_results(recording, (methods.INITIALIZE,)), {})
    opened = next(_results(recording, tuple(methods.OPENERS)), {})
    modes, about = as_object(opened.get("modes")), as_object(initialized.get("agentInfo"))
    listed = opened.get("configOptions")
    state = options.read(listed if isinstance(listed, list) else [], booleans=True, say=[])
    ids = (mode.get("id") for mode in jsontext.objects(modes.get("availableModes")))
    logins = (each.get("id") for each in jsontext.objects(initialized.get("authMethods")))
    return Announced(
        as_object(initialized.get("agentCapabilities")),
        " ".join(filter(None, (jsontext.as_string(about.get(key)) for key in ("name", "version")))),
        tuple(id_ for id_ in ids if isinstance(id_, str)),
        jsontext.string_or_none(modes.get("currentModeId")),
        tuple(_offered(option) for option in state.values()),
        tuple(id_ for id_ in logins if isinstance(id_, str)),
    )


def exercised(recording: Recording, said: Announced) -> list[Feature]:
    """Return each announced feature, and its result."""
    tried = [*_tried(recording)]

    def status(name: str, *words: str) -> Feature:
        found = [(state, why) for what, state, why in tried if what in words]
        best = min(found, key=lambda each: _ORDER.index(each[0]), default=("not exercised", ""))
        return Feature(name, *best)

    found = [status(method, method) for method in _ALWAYS]
    paths = capabilities.METHODS[_VERSION]
    for method, path in paths.items():
        if methods.BY_NAME[method].handler == "agent" and said.has(path):
            found.append(status(method, method))
    for kind, path in capabilities.CONTENT[_VERSION].items():
        if said.has(path):
            found.append(status(f"prompt with {kind}", f"content {kind}"))
    for kind, path in capabilities.MCP_SERVERS[_VERSION].items():
        if said.has(path):
            found.append(status(f"MCP server over {kind}", f"mcp {kind}"))
    for name, path in capabilities.PARAMETERS[_VERSION].items():
        if said.has(path):
            found.append(status(name, f"parameter {name}"))
    found += [status(f"mode {mode}", f"mode {mode}") for mode in said.modes]
    found += [status(f"option {option.id}", f"option {option.id}") for option in said.options]
    found += [status(f"login {login}", f"login {login}") for login in said.logins]
    return found


_ORDER: tuple[Exercised, ...] = ("done", "refused", "unanswered", "not exercised")


def _tried(recording: Recording) -> Iterator[tuple[str, Exercised, str]]:
    """Yield what the client tried, in the words of `exercised`, and the results."""
    for message in recording.messages:
        if message.sender != "client":
            continue
        if message.method == methods.CANCEL:
            yield methods.CANCEL, "done", ""
        exchange = recording.exchanges.get(message.frame)
        if exchange is None or message.method is None:
            continue
        result = _result(recording, message)
        for what in _words(message.method, message.part("params")):
            yield what, *result


def _words(method: str, params: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a request tries."""
    yield method
    if method == methods.PROMPT:
        for block in jsontext.objects(params.get("prompt")):
            yield f"content {BlockView(block).type}"
    elif method == methods.SET_MODE:
        yield f"mode {params.get('modeId')}"
    elif method == methods.SET_OPTION:
        yield f"option {params.get('configId')}"
    elif method == "authenticate":
        yield f"login {params.get('methodId')}"
    elif method in methods.OPENERS:
        yield from (f"parameter {name}" for name in capabilities.PARAMETERS[_VERSION] if params.get(name))
        yield from (
            f"mcp {server.get('type', 'stdio')}" for server in jsontext.objects(params.get("mcpServers"))
        )


def _result(recording: Recording, message: RecordedMessage) -> tuple[Exercised, str]:
    frame = recording.exchanges[message.frame].response_frame
    if frame is None:
        return "unanswered", ""
    answer = recording.at(frame)
    error = answer.part("error")
    if "error" not in answer.value:
        return "done", ""
    return "refused", f"{error.get('message')} ({error.get('code')})"


def _results(recording: Recording, wanted: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the results of the client's requests of these methods, in order."""
    for message in recording.messages:
        if message.sender == "client" and message.method in wanted and message.frame in recording.exchanges:
            frame = recording.exchanges[message.frame].response_frame
            if frame is not None and "result" in recording.at(frame).value:
                yield recording.at(frame).part("result")


def _offered(option: options.Option) -> OfferedOption:
    values = [jsontext.value_or_none(text.encode()) for text in sorted(option.values)]
    current = None if option.value is None else jsontext.value_or_none(option.value.encode())
    if option.type == "boolean":
        values = [True, False]
    good = tuple(value for value in values if isinstance(value, (str, bool)))
    return OfferedOption(option.id, current if isinstance(current, (str, bool)) else None, good)
