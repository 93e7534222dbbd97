"""A scripted agent that speaks ACP 1: `python -I -S agent.py [--fault NAME | --vary NAME]`.

Plays rich sessions, the same way each time; a switch puts one fault or one harmless variation in (the
tables are in `faults` and `variations`). Says its process id on stderr, so that a test can look for it.
"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.replay.edits import Case
from tests.replay.script import COMMANDS, MODES, Script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tests.replay.wire import Message


class Agent(Script):
    """One connection."""

    _opened = 0

    def run(self) -> None:
        """Serves until the client hangs up."""
        self.say("start", {})
        while True:
            self.hear()

    def say(self, label: str, message: Message) -> list[Message]:
        """Says nothing at its two ends, where only an edit does something."""
        return super().say(label, message) if message or label in self._edits else []

    def serve(self, message: Message) -> None:
        """Serves a request of the client."""
        known = getattr(self, "_serve_" + message["method"].partition("/")[2], None)
        if message["method"] == "initialize":
            self._initialize(message["id"])
        elif known is None:
            self.refuse("unknown", message.get("id"), -32601, "Method not found")
        elif "sessionId" in message["params"] and message["params"]["sessionId"] not in self.folders:
            self.refuse("no session", message["id"], -32602, "There is no such session")
        else:
            known(message["id"], message["params"])

    def _initialize(self, number: Any) -> None:
        can = {
            "loadSession": True,
            "promptCapabilities": {"image": True},
            "sessionCapabilities": {"list": {}, "close": {}},
        }
        about = {"name": "scripted", "version": "1"}
        auth = [{"id": "key", "name": "API key"}]
        told = {"agentCapabilities": can, "agentInfo": about, "authMethods": auth}
        self.result("initialized", number, protocolVersion=1, **told)

    def _serve_new(self, number: Any, params: Message) -> None:
        self._opened += 1
        count, self.session = self._opened, self.style.session.format(self._opened, 3 - self._opened)
        self.folders[self.session], self.modes[self.session] = params["cwd"], "ask"
        self.result(f"session {count}", number, sessionId=self.session, **self._state())
        self._commands(f"commands {count}")

    def _serve_load(self, number: Any, params: Message) -> None:
        self.session = params["sessionId"]
        text = {"type": "text", "text": "talk to me"}
        self.update("load user", "user_message_chunk", content=text)
        self._speak("load chunk", "Once upon a time")
        self._goes_on("load done", self._call("load call", "read", "Read a file"), "completed")
        self.result("loaded", number, **self._state())

    def _serve_list(self, number: Any, _params: Message) -> None:
        listed = [{"sessionId": one, "cwd": cwd} for one, cwd in self.folders.items()]
        self.result("listed", number, sessions=listed)

    def _serve_close(self, number: Any, _params: Message) -> None:
        self.result("closed", number)

    def _serve_set_mode(self, number: Any, params: Message) -> None:
        if params["modeId"] not in {one["id"] for one in MODES}:
            self.refuse("no mode", number, -32602, "Invalid params")
            return
        self.modes[params["sessionId"]] = params["modeId"]
        self.result(f"mode {params['modeId']}", number)

    def _serve_set_config_option(self, number: Any, params: Message) -> None:
        self.session = params["sessionId"]
        self.config[params["configId"]] = params["value"]
        self.result("was set", number, configOptions=self.options())

    def _serve_prompt(self, number: Any, params: Message) -> None:
        self.turn({"id": number, "params": params})

    def _state(self) -> Message:
        modes = {"currentModeId": self.modes[self.session], "availableModes": MODES}
        return {"configOptions": self.options(), "modes": modes}

    def _commands(self, label: str) -> None:
        self.update(label, "available_commands_update", availableCommands=COMMANDS)


def main(argv: list[str]) -> None:
    """Runs the agent with its switch."""
    os.write(2, b"pid %d\n" % os.getpid())
    case = Case()
    if argv[:1] == ["--fault"]:
        from tests.replay.faults import FAULTS

        case = FAULTS[argv[1]]
    elif argv[:1] == ["--vary"]:
        from tests.replay.variations import VARIATIONS

        case = VARIATIONS[argv[1]]
    Agent(case.edits, case.style).run()


if __name__ == "__main__":
    main(sys.argv[1:])
