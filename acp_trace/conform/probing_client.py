"""The client that says the steps of a probe: lines and the time in, lines out. No I/O.

It announces nothing, so it refuses whatever the agent asks but permissions, which it grants, once if it can.
What the agent answers is not judged here: the trace is, afterwards. `drive.player` plays this, as it plays
a written conversation, so both have the same face.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from acp_trace import __version__
from acp_trace.conform.probes import Step
from acp_trace.protocol import methods
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.protocol.outcomes import CANCELLED
from acp_trace.protocol.payloads import ResultView
from acp_trace.replay.timeouts import FLOOD_BYTES, LONGEST_TIMES
from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import as_object, objects

_MS = 1_000_000
#: The updates that show that a turn is under way.
_WORK = frozenset({"agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update"})
_METHOD_NOT_FOUND = -32601
_NAME = re.compile(r"\{([a-z_]+[0-9]*)\}")
#: A cancelled turn may go on for so long at most; less, if the time limit is shorter.
CANCEL_NS = 30_000 * _MS


class ProbingClient:
    """One probe with one agent. `words`: what stands for `{cwd}` and the like; `timeout_ns`: for silence."""

    def __init__(self, steps: Iterable[Step], words: Mapping[str, str], timeout_ns: int) -> None:
        self.gone = False  #: the agent closed its output
        self.closed = False
        self.is_drowned = False
        self.answered: dict[str, bool] = {}  #: by method: whether all requests so far had a result
        self._steps = iter(steps)
        self.words = dict(words)  #: with those that the agent gave
        self._timeout_ns = timeout_ns
        self._open: dict[str, str] = {}  #: methods that are not answered, by id
        self._ids = 0
        self._step: Step | None = None
        self._since = self._heard = 0
        self._cancelled_at: int | None = None
        self._updates = self._bytes = 0

    def begin(self, now: int) -> None:
        """The conversation begins."""
        self._since = self._heard = now

    # -- what comes

    def receive(self, line: bytes, now: int) -> list[bytes]:
        """Takes in a line of the agent; returns what is to be sent to it at once."""
        self._heard = now
        self._bytes += len(line)
        message = read(line)
        if message.kind is MessageKind.RESPONSE and message.id is not None:
            method = self._open.pop(message.id, None)
            if method is not None:
                self._on_answer(method, message)
        elif message.kind is MessageKind.REQUEST:
            return [self._answer(message)]
        elif message.method == methods.UPDATE:
            self._updates += message.update in _WORK
        return []

    def on_closed(self) -> None:
        """The agent closed its output: nothing more comes."""
        self.gone = True

    def _on_answer(self, method: str, message: Message) -> None:
        self.answered[method] = self.answered.get(method, True) and not message.is_error
        if method == methods.PROMPT:
            self._cancelled_at = None
        if method != methods.NEW or message.is_error:
            if method in (methods.INITIALIZE, methods.NEW):
                self.closed = self.closed or message.is_error
            return
        result = message.part("result")
        self.words["session"] = ResultView(result).session_id or ""
        self.words.update(_offered(result))

    def _answer(self, message: Message) -> bytes:
        id_ = jsontext.value_or_none((message.id or "null").encode())
        if message.method != methods.PERMISSION:
            error = {"code": _METHOD_NOT_FOUND, "message": f"this client has no {message.method}"}
            return _line(id=id_, error=error)
        options = list(objects(message.part("params").get("options")))
        allowed = [
            one for kind in ("allow_once", "allow_always") for one in options if one.get("kind") == kind
        ]
        chosen = next((one["optionId"] for one in allowed if isinstance(one.get("optionId"), str)), None)
        if self._cancelled_at is not None or chosen is None:
            return _line(id=id_, result={"outcome": {"outcome": CANCELLED}})
        return _line(id=id_, result={"outcome": {"outcome": "selected", "optionId": chosen}})

    # -- what goes out

    def due(self, now: int) -> Iterator[bytes]:
        """The lines that are to be sent now, each with its newline."""
        while not self.closed and self._is_over(now):
            self._step = next(self._steps, None)
            self._since = now
            if self._step is None:
                self.closed = True
            elif (line := self._say(self._step, now)) is not None:
                yield line

    def _is_over(self, now: int) -> bool:
        """Whether the step is done."""
        step = self._step
        if step is None or "line" in step or "note" in step or "open" in step:
            return True
        if "call" in step:
            return not self._open
        if "wait" in step:
            return not self._open
        if "updates" in step:
            return not self._open or self._updates >= step["updates"] or now >= self._until(step["ms"])
        return now >= self._until(step["quiet_ms"])

    def _until(self, ms: int) -> int:
        return self._since + ms * _MS

    def _say(self, step: Step, now: int) -> bytes | None:
        """What a step sends; None if it only waits, or says what the agent does not offer."""
        self._heard, self._bytes = now, 0
        if "line" in step:
            return str(step["line"]).encode() + b"\n"
        verb = next((verb for verb in ("call", "open", "note") if verb in step), None)
        if verb is None:
            return None
        method = step[verb]
        try:
            params = _filled(step.get("params", {}), self.words)
        except KeyError:
            return None
        if verb == "note":
            self._cancelled_at = now if method == methods.CANCEL and self._open else self._cancelled_at
            return _line(method=method, params=params)
        if method == methods.INITIALIZE:
            info = {"name": "acp-trace", "title": "acp-trace", "version": __version__}
            params |= {"clientInfo": info, **({"info": info} if params["protocolVersion"] > 1 else {})}
        if method == methods.PROMPT:
            self._updates = 0
        self._ids += 1
        id_: int | str = self._ids if self._ids % 2 else f"acp-trace-{self._ids}"
        self._open[jsontext.text(id_).decode()] = method
        return _line(id=id_, method=method, params=params)

    # -- how far it is

    def wake(self) -> int | None:
        """When to ask for what is due although nothing came, in ns; None if only a line changes anything."""
        step = self._step or {}
        if self.closed or not ("quiet_ms" in step or "updates" in step):
            return None
        return self._until(step.get("quiet_ms", step.get("ms")))

    @property
    def deadline(self) -> int | None:
        """When it has waited for too long, in ns; None if it waits for nothing."""
        if not self._open or self.wake() is not None:
            return None
        whole = min(self._since + LONGEST_TIMES * self._timeout_ns, self._heard + self._timeout_ns)
        if self._cancelled_at is not None:
            whole = min(whole, self._cancelled_at + min(CANCEL_NS, self._timeout_ns))
        return whole

    @property
    def is_flooded(self) -> bool:
        """Whether more came since the last message of the client than any turn explains."""
        return self._bytes > FLOOD_BYTES

    def waits(self) -> str:
        """What it waits for, in words."""
        return f"the answer to {next(iter(self._open.values()), 'nothing')}"


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    """A value with the words in the place of their names. Raises KeyError for one that is not known."""
    if isinstance(value, str):
        return _NAME.sub(lambda found: words[found[1]], value)
    if isinstance(value, Mapping):
        return {key: _filled(each, words) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_filled(each, words) for each in value]
    return value


def _offered(result: Mapping[str, Any]) -> dict[str, str]:
    """Another mode than the current one, and another value of the first option that is a choice."""
    words: dict[str, str] = {}
    modes = as_object(result.get("modes"))
    for mode in objects(modes.get("availableModes")):
        if isinstance(mode.get("id"), str) and mode["id"] != modes.get("currentModeId"):
            words |= {"mode": mode["id"], "mode_before": str(modes.get("currentModeId"))}
            break
    for option in objects(result.get("configOptions")):
        values = [one.get("value") for one in _choices(option.get("options"))]
        other = next((v for v in values if isinstance(v, str) and v != option.get("currentValue")), None)
        if isinstance(option.get("id"), str) and other is not None:
            before = str(option.get("currentValue"))
            words |= {"option": option["id"], "value": other, "value_before": before}
            break
    return words


def _choices(options: Any) -> Iterator[dict[str, Any]]:
    """The choices of an option, those in groups too."""
    for one in objects(options):
        yield from objects(one["options"]) if isinstance(one.get("options"), list) else iter((one,))


def _line(**message: Any) -> bytes:
    return jsontext.text({"jsonrpc": "2.0", **message}) + b"\n"
