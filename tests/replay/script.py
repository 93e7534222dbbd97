"""What the scripted agent does with each prompt. Every message has a label: the prompt's word and its own.

Deterministic: where a turn depends on the client (a cancel, a mode) it waits for that, and for nothing else.
"""

from __future__ import annotations

from tests.replay.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tests.replay.wire import Edit, Message

COMMANDS = [{"name": "help", "description": "Help"}, {"name": "undo", "description": "Goes back"}]
MODES = [{"id": name, "name": name.capitalize()} for name in ("ask", "code", "plan", "view")]
USAGE = {"totalTokens": 9, "inputTokens": 7, "outputTokens": 2}
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
#: Config options, each with its choices.
CONFIG = {"model": ("quick", "deep"), "effort": ("low", "high", "highest")}


class Style:
    """How the agent names what it may name as it likes."""

    session, call, message = "s-{0}", "call-{0}", "msg-{0}"  #: `{1}` counts down
    options = OPTIONS
    config = CONFIG
    first_id = 0
    encode: Any = None  #: another way to write a message
    parallel = 1, 2  #: in which order the two calls of `both` go on


class Script(Wire):
    """The turns, and what they need to know of their session."""

    def __init__(self, edits: Mapping[str, Edit], style: Mapping[str, Any]) -> None:
        super().__init__(edits)
        self.style = Style()
        for name, value in style.items():
            setattr(self.style, name, value)
        self._number = self.style.first_id
        if self.style.encode is not None:
            self.encode = self.style.encode  # type: ignore[method-assign]
        self._calls = 0
        self._configs: dict[str, dict[str, str]] = {}

    def turn(self, message: Message) -> None:
        """Plays the turn that a prompt asks for."""
        self.session, self.cancelled = message["params"]["sessionId"], False
        word = message["params"]["prompt"][0]["text"].split()[0]
        getattr(self, f"_{word}")(message["id"])

    @property
    def config(self) -> dict[str, str]:
        """The values of the session's options; each begins with its first choice."""
        first = {name: choices[0] for name, choices in self.style.config.items()}
        return self._configs.setdefault(self.session, first)

    def options(self) -> list[dict[str, Any]]:
        """The config options."""
        return [
            {
                "id": name,
                "name": name.capitalize(),
                "type": "select",
                "currentValue": self.config[name],
                "options": [{"value": one, "name": one.capitalize()} for one in choices],
            }
            for name, choices in self.style.config.items()
        ]

    # -- the turns, by the first word of the prompt

    def _talk(self, number: Any) -> None:
        self._speak("talk thought", "Hm.", "agent_thought_chunk")
        for count, text in enumerate(("Once upon ", "a time, ", "and for ever."), 1):
            self._speak(f"talk chunk {count}", text)
        self.update("talk usage", "usage_update", used=10, size=100)
        self._stop("talk stop", number)
        told = {"title": "A tale", "updatedAt": "2026-11-20T13:05:01Z", "_meta": {"scripted": {"n": 1}}}
        self.update("talk title", "session_info_update", **told)

    def _read(self, number: Any) -> None:
        entries = [{"content": "read", "priority": "high", "status": "pending"}]
        self.update("read plan", "plan", entries=entries)
        shown: Any = {"locations": [{"path": self.a_file()}], "rawInput": {"path": self.a_file()}}
        call = self._call("read call", "read", "Read a file", **shown)
        self._goes_on("read on", call, "in_progress")
        self.ask("read asks", "fs/read_text_file", path=self.a_file())
        text = {"type": "text", "text": "It is a short file."}
        self._goes_on("read done", call, "completed", content=[{"type": "content", "content": text}])
        self.config["effort"] = "high"
        self.update("read config", "config_option_update", configOptions=self.options())
        self._speak("read chunk", "It is short.")
        self._stop("read stop", number)

    def _edit(self, number: Any) -> None:
        self._speak("edit chunk", "I will edit it.")
        self._call("edit looks", "read", "Look around", "completed")
        call = self._call("edit call", "edit", "Edit a file")
        diff = {"type": "diff", "path": self.a_file(), "oldText": "old", "newText": "new"}
        about = self._about({**call, "content": [{**diff}], "locations": [{"path": self.a_file()}]})
        allowed = self._allowed(self.ask("edit asks", "session/request_permission", **about))
        self._goes_on("edit on", call, "in_progress")
        if allowed:
            self.ask("edit writes", "fs/write_text_file", path=self.a_file(), content="new")
        done = {"status": "completed", "content": [diff]} if allowed else {"status": "failed"}
        self._goes_on("edit done", call, **done)
        self._speak("edit after", "Edited.")
        self._stop("edit stop", number)

    def _run(self, number: Any) -> None:
        call = self._call("run call", "execute", "Run the tests")
        made = self.ask("run creates", "terminal/create", command="make", args=["test", self.a_file()])
        if "result" in made:
            terminal = {"terminalId": made["result"]["terminalId"]}
            content = [{"type": "terminal", **terminal}]
            self._goes_on("run on", call, "in_progress", content=content)
            self.ask("run looks", "terminal/output", **terminal)
            self.ask("run waits", "terminal/wait_for_exit", **terminal)
            self.ask("run looks again", "terminal/output", **terminal)
            self.ask("run releases", "terminal/release", **terminal)
        self._goes_on("run done", call, "completed" if "result" in made else "failed")
        self._stop("run stop", number)

    def _shell(self, number: Any) -> None:
        told: dict[str, Any] = {"title": "ls -l", "rawInput": {"command": "ls -l"}}
        call = self._call("shell call", "execute", "Shell")
        content = [{"type": "content", "content": {"type": "text", "text": "May I list the files?"}}]
        about = self._about({**call, **told, "content": content})
        allowed = self._allowed(self.ask("shell asks", "session/request_permission", **about))
        self._goes_on("shell on", call, "in_progress", **told)
        if allowed:
            env = [{"name": "NO_COLOR", "value": "1"}, {"name": "TERM", "value": "dumb"}]
            more = {"cwd": self.folders[self.session], "env": env, "outputByteLimit": 16000}
            made = self.ask("shell creates", "terminal/create", command="sh", args=["-c", "ls -l"], **more)
            terminal = {"terminalId": made.get("result", {}).get("terminalId", "none")}
            self.ask("shell waits", "terminal/wait_for_exit", **terminal)
            self.ask("shell releases", "terminal/release", **terminal)
        self._goes_on("shell done", call, "completed" if allowed else "failed")
        self._stop("shell stop", number)

    def _both(self, number: Any) -> None:
        calls = {
            1: self._call("both call 1", "fetch", "Fetch"),
            2: self._call("both call 2", "delete", "Delete"),
        }
        asks = "session/request_permission"
        self.ask_all(*((f"both asks {n}", asks, self._about(calls[n])) for n in self.style.parallel))
        for n in self.style.parallel:
            self._goes_on(f"both on {n}", calls[n], "in_progress")
        for n in self.style.parallel:
            self._goes_on(f"both done {n}", calls[n], "completed")
        self._speak("both chunk", "Both are done.")
        self._stop("both stop", number)

    def _mode(self, number: Any) -> None:
        self._speak("mode chunk", "Which mode?")
        self.wait(lambda: self.modes[self.session] == "plan")
        self._speak("mode after", "Plan it is.")
        self._stop("mode stop", number)

    def _long(self, number: Any) -> None:
        self._speak("long thought", "This takes long.", "agent_thought_chunk")
        self._speak("long chunk", "A long answer …")
        call = self._call("long call", "search", "Search everything")
        self._goes_on("long on", call, "in_progress")
        self.wait(lambda: self.cancelled)
        self._goes_on("long done", call, "failed")
        self._stop("long stop", number, "cancelled")

    def _wait(self, number: Any) -> None:
        call = self._call("wait call", "move", "Move a file")
        self.ask("wait asks", "session/request_permission", **self._about(call))
        self.wait(lambda: self.cancelled)
        self._goes_on("wait done", call, "failed")
        self._stop("wait stop", number, "cancelled")

    def _fail(self, number: Any) -> None:
        self._speak("fail chunk", "This will")
        self.refuse("fail stop", number, -32603, "Internal error")

    def _patch(self, number: Any) -> None:
        call = self._call("patch call", "edit", "Patch a file", "in_progress")
        self.ask("patch writes", "fs/write_text_file", path=self.a_file(), content="one\ntwo\n")
        diff = {"type": "diff", "path": self.a_file(), "oldText": None, "newText": "one\ntwo"}
        self._goes_on("patch done", call, "completed", content=[diff])
        self._stop("patch stop", number)

    def _again(self, number: Any) -> None:
        self._speak("again chunk", "Hello again.")
        self._stop("again stop", number)

    # -- their parts

    def _speak(self, label: str, text: str, kind: str = "agent_message_chunk") -> None:
        said = {"content": {"type": "text", "text": text}, "messageId": self.style.message.format(label[0])}
        self.update(label, kind, **said)

    def _call(
        self, label: str, kind: str, title: str, status: str = "pending", **shown: Any
    ) -> dict[str, Any]:
        self._calls += 1
        named = self.style.call.format(self._calls, 99 - self._calls)
        call = {"toolCallId": named, "kind": kind, "title": title}
        self.update(label, "tool_call", **call, status=status, **shown)
        return call

    def _goes_on(self, label: str, call: Message, status: str, **more: Any) -> None:
        self.update(label, "tool_call_update", toolCallId=call["toolCallId"], status=status, **more)

    def _about(self, call: Message) -> dict[str, Any]:
        return {"toolCall": call, "options": self.style.options}

    def _allowed(self, answer: Message) -> bool:
        """Whether a permission was given; without a question it is."""
        if not answer:
            return True
        chosen = answer.get("result", {}).get("outcome", {}).get("optionId")
        kinds = {one["optionId"]: one["kind"] for one in self.style.options}
        return kinds.get(chosen, "").startswith("allow")

    def _stop(self, label: str, number: Any, reason: str = "end_turn") -> None:
        self.result(label, number, stopReason=reason)

    def a_file(self) -> str:
        """The file that the session is about."""
        return f"{self.folders[self.session]}/a.txt"
