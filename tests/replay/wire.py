"""The scripted agent's line to its client: labelled messages out, through the edits of its switch.

The standard library alone, and little of it: the agent is started hundreds of times. One thread and no
clock: whoever waits for an answer serves what comes meanwhile.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Message = dict[str, Any]
    #: What goes out in the place of a labelled message: messages, raw lines, things that are done.
    Edit = Callable[["Wire", Message], list[Any]]

#: The edit of every message that has none of its own.
EVERY = "*"


class Wire:
    """Says and hears. Each message that goes out has a label, by which an edit may take its place."""

    def __init__(self, edits: Mapping[str, Edit]) -> None:
        self._edits = edits
        self._number = 0
        self._out = b""
        self._answers: dict[Any, Message] = {}
        self.session = ""  #: of the latest turn
        self.cancelled = False
        self.closed = 0  #: sessions, as far as an edit counts them
        self.folders: dict[str, str] = {}
        self.modes: dict[str, str] = {}

    # -- out

    def encode(self, message: Message) -> bytes:
        """A message as it is written."""
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def say(self, label: str, message: Message) -> list[Message]:
        """Says a message, or what its edit makes of it: the messages that went out.

        All in one write, but for what is done in between: nothing that the client does can come there.
        """
        edit = self._edits.get(label) or self._edits.get(EVERY)
        sent = []
        for one in [message] if edit is None else edit(self, message):
            while callable(one):
                one = one(self)  # noqa: PLW2901
            if isinstance(one, dict):
                sent.append(one)
                one = self.encode(one)  # noqa: PLW2901
            self._out += one or b""
        self.flush()
        return sent

    def flush(self) -> None:
        """Writes what is to be said before something is done."""
        data, self._out = self._out, b""
        write(data)

    def update(self, label: str, kind: str, /, **fields: Any) -> None:
        """Says an update of the session."""
        self.say(label, self.updated(kind, **fields))

    def updated(self, kind: str, /, **fields: Any) -> Message:
        """An update of the session."""
        params = {"sessionId": self.session, "update": {"sessionUpdate": kind, **fields}}
        return {"jsonrpc": "2.0", "method": "session/update", "params": params}

    def result(self, label: str, number: Any, **fields: Any) -> None:
        """Answers a request."""
        self.say(label, {"jsonrpc": "2.0", "id": number, "result": fields})

    def refuse(self, label: str, number: Any, code: int, message: str) -> None:
        """Answers a request with an error."""
        self.say(label, {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})

    def asked(self, method: str, **params: Any) -> Message:
        """A request about the session. Ids count from 0, like the client's."""
        number, self._number = self._number, self._number + 1
        params = {"sessionId": self.session, **params}
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}

    def ask(self, label: str, method: str, **params: Any) -> Message:
        """Asks, and waits for the answer: a response, empty where the question never went out."""
        return self.ask_all((label, method, params))[0]

    def ask_all(self, *questions: tuple[str, str, dict[str, Any]]) -> list[Message]:
        """Asks all of it at once, and waits for all answers."""
        ids = []
        for label, method, params in questions:
            message = self.asked(method, **params)
            sent = [one for one in self.say(label, message) if one.get("method") == method]
            ids.append(sent[0]["id"] if sent else None)
        for number in ids:
            self.wait(lambda number=number: number is None or number in self._answers)  # type: ignore[misc]
        return [self._answers.get(number, {}) for number in ids]

    # -- in

    def wait(self, over: Callable[[], Any]) -> None:
        """Serves what comes until something is the case."""
        while not over():
            self.hear()

    def hear(self) -> None:
        """Takes in one line; ends the process where there is none."""
        line = sys.stdin.buffer.readline()
        if not line:
            self.over()
            sys.exit(0)
        message = json.loads(line)
        if "method" not in message:
            self._answers[message["id"]] = message
        elif message["method"] == "session/cancel":
            self.cancelled = True
        else:
            self.serve(message)

    def serve(self, message: Message) -> None:
        """Serves a request of the client."""
        raise NotImplementedError

    def over(self) -> None:
        """Takes leave of a client that hung up."""
        self.say("over", {})


def write(data: bytes) -> None:
    """Writes all of it, and waits for nobody's buffer."""
    while data:
        data = data[os.write(1, data) :]
