"""Deliberate faults of the scripted agent, each with the codes by which a replay tells it."""

from __future__ import annotations

from tests.replay.edits import (
    GONE,
    Case,
    after,
    asks,
    before,
    cancels_itself,
    change,
    chunk,
    drop,
    forces_mode,
    forgets_session,
    goes_on,
    grant,
    ignores_set,
    instead,
    later,
    refuse,
    tool,
    twice,
    up,
)
from tests.replay.endings import (
    NO_TEXT,
    babbles,
    crashes,
    dies,
    floods,
    goes_deaf,
    hangs,
    hangs_up,
    is_stubborn,
    leaves_a_child,
    never_ends_its_line,
)
from tests.replay.faults_of_content import FAULTS_OF_CONTENT
from tests.replay.script import OPTIONS, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tests.replay.wire import Message

_NEVER = {"optionId": "never", "name": "Never", "kind": "reject_always"}
_NAMES = [one["name"] for one in OPTIONS]
_SWAPPED = [{**one, "name": name} for one, name in zip(OPTIONS, reversed(_NAMES), strict=True)]
_CHOICES = [{"value": "low", "name": "Low"}]


def _in_no_session(message: Message) -> Message:
    return {**message, "params": {**message["params"], "sessionId": "nobody"}}


FAULTS = {
    # how turns end
    "another stop reason": Case(change("talk stop", "result.stopReason", "max_tokens"), codes="stop-reason"),
    "an error in place of a result": Case(refuse("talk stop"), codes="error-instead-of-result"),
    "a model that cannot be reached": Case(
        refuse("talk stop", message="connect ECONNREFUSED 127.0.0.1:8080"), codes="error-instead-of-result", is_away=True),
    "a model that says nothing": Case(
        drop("talk thought", "talk chunk 1", "talk chunk 2", "talk chunk 3"), codes="message-missing", follows="message-missing", is_away=True),
    "a result in place of an error": Case(grant("fail stop", stopReason="end_turn"), codes="result-instead-of-error"),
    "another error code": Case(refuse("fail stop", -32000), codes="error-code"),
    "an ignored cancel": Case({"long stop": goes_on}, codes="cancel-outcome"),
    "a cancel that ends in an error": Case(refuse("long stop", -32000), codes="cancel-outcome"),
    "a cancelled turn that fails as another one does": Case(refuse("long stop"), codes="error-instead-of-result"),
    "a prompt that is answered twice": Case(twice("talk stop"), codes="response-extra"),
    "a message after the stop": Case(after("talk stop", chunk("P.S.")), codes="update-after-stop"),
    "work after the stop of a cancelled turn": Case(
        after("long stop", chunk(), tool("c9", "completed")), codes="update-after-stop"),
    "a tool call that ends after the stop": Case(later("both done 2", "both stop"), codes="update-after-stop"),
    "a file that is read after a cancel": Case(
        before("long stop", asks("fs/read_text_file", path="/w/late")), codes="request-unmatched"),
    # what the agent asks for
    "a permission that is not requested": Case(drop("edit asks"), codes="permission-missing",
        at={"outcome": "answer-unused"}),
    "a permission that is requested twice": Case(twice("edit asks"), codes="request-twice",
        at={"outcome": "request-unmatched"}),
    "a permission that is new": Case(
        after("read done", lambda wire: wire.asked("session/request_permission", toolCall={"toolCallId": "call-1"}, options=OPTIONS)),
        codes="permission-extra", at={"outcome": "request-unmatched"}),
    "a permission without a way to reject": Case(
        change("edit asks", "params.options", OPTIONS[:2]), codes="permission-option-missing"),
    "a permission with one more option": Case(
        change("edit asks", "params.options", [*OPTIONS, _NEVER]), codes="permission-option-extra"),
    "options with each other's names": Case(
        change("edit asks", "params.options", _SWAPPED), codes="permission-option-differs"),
    "a permission for another kind of tool": Case(
        change("edit asks", "params.toolCall.kind", "other"), codes="request-params"),
    "a permission without the choice that was made": Case(
        change("edit asks", "params.options", OPTIONS[1:]),
        codes="permission-option-missing", follows="request-missing tool-call-status",
        at={"outcome": "request-unmatched >answer-unused >answer-unused"}),
    "a permission without raw input and title": Case(
        change("shell asks", "params.toolCall.rawInput", {}, "params.toolCall.title", ""), codes="content-lost"),
    "a permission without its text": Case(
        change("shell asks", "params.toolCall.content.0.content.text", " "), codes="content-lost"),
    "a permission that says something else": Case(
        change("shell asks", "params.toolCall.content.0.content.text", "May I?"), codes="content-differs"),
    "a file that is written empty": Case(change("edit writes", "params.content", ""), codes="content-lost"),
    "a file that is written with another content": Case(
        change("edit writes", "params.content", "other"), codes="permission-misleads", follows="content-differs"),
    "a terminal in another directory": Case(
        change("shell creates", "params.cwd", "/etc"), codes="request-params"),
    "a terminal with another environment": Case(
        change("shell creates", "params.env.0", {"name": "LD_PRELOAD", "value": "/x.so"}), codes="request-params"),
    "a terminal without an environment": Case(change("shell creates", "params.env", GONE), codes="request-params"),
    "a terminal that keeps less output": Case(
        change("shell creates", "params.outputByteLimit", 8000), codes="request-params"),
    "an error without a message": Case(change("fail stop", "error.message", ""), codes="content-lost"),
    "an error with another message": Case(
        change("fail stop", "error.message", "Oh no"), codes="content-differs"),
    "a permission that shows another command": Case(
        change("shell asks", "params.toolCall.rawInput.command", "echo harmless", "params.toolCall.title", "echo harmless"),
        codes="permission-misleads"),
    "a permission that shows another title": Case(
        change("shell asks", "params.toolCall.title", "echo harmless"), codes="permission-misleads"),
    "another command than was shown": Case(
        change("shell on", "params.update.rawInput.command", "rm -r .", "params.update.title", "rm -r ."),
        codes="permission-misleads",
        follows="content-differs", at={"exact": "permission-misleads >frame-differs >frame-differs"}),
    "a permission that shows a diff of another file": Case(
        change("edit asks", "params.toolCall.content.0.path", "/etc/passwd"), codes="permission-misleads"),
    "a permission that shows another text of a diff": Case(
        change("edit asks", "params.toolCall.content.0.newText", "harmless"), codes="permission-misleads"),
    "a permission that names another file": Case(
        change("edit asks", "params.toolCall.locations.0.path", "/w/b.txt"), codes="permission-misleads"),
    "another file than was shown": Case(
        change("edit writes", "params.path", "/w/b.txt"), codes="permission-misleads", follows="request-params",
        at={"outcome": "request-unmatched >answer-unused"}),
    "another text than was shown": Case(change("edit writes", "params.content", "other"), codes="permission-misleads",
        follows="content-differs"),
    "more than was shown": Case(
        change("edit asks", "params.toolCall.content.0.oldText", None), change("edit writes", "params.content", "new\nother"),
        codes="permission-misleads", follows="content-differs"),
    "a tool call that shows another text than is written": Case(
        change("edit done", "params.update.content.0.newText", "harmless"), codes="permission-misleads",
        follows="content-differs"),
    "a tool call without a permission that writes another text": Case(
        change("patch writes", "params.content", "one\nbad"), codes="tool-call-misleads", follows="content-differs",
        at={"exact": "tool-call-misleads"}),
    "a tool call without a permission that writes another file": Case(
        change("patch writes", "params.path", "/w/b.txt"), codes="tool-call-misleads", follows="request-params",
        at={"outcome": "request-unmatched >answer-unused"}),
    "a tool call without a permission that shows another text": Case(
        change("patch done", "params.update.content.0.newText", "harmless"), codes="tool-call-misleads",
        follows="content-differs"),
    "another command than was shown, in a terminal": Case(
        change("shell creates", "params.args.1", "rm -r ."), codes="permission-misleads",
        follows="request-params request-unmatched request-unmatched answer-unused answer-unused",
        at={"outcome": "request-unmatched >answer-unused >answer-unused >answer-unused >request-unmatched >request-unmatched"}),
    "a permission and its tool call, both of another kind": Case(
        change("edit call", "params.update.kind", "other"), change("edit asks", "params.toolCall.kind", "other"),
        codes="tool-call-kind", at={"exact": "tool-call-kind >frame-differs"}),
    "a tool that does not wait for its permission": Case(later("both asks 2", "both done 2"), codes="tool-call-early"),
    "a file that is not read": Case(drop("read asks"), codes="request-missing", at={"outcome": "answer-unused"}),
    "a file that is read twice": Case(twice("read asks"), codes="request-twice", at={"outcome": ""}),
    "a file that is read a turn later": Case(
        drop("read asks"), after("edit looks", lambda wire: wire.asked("fs/read_text_file", path=wire.a_file())),
        codes="request-moved", at={"outcome": "answer-unused"}),
    "another file that is read": Case(change("read asks", "params.path", "/etc/passwd"), codes="request-params",
        at={"outcome": "request-unmatched >answer-unused"}),
    "a file that is not written": Case(drop("edit writes"), codes="request-missing", at={"outcome": "answer-unused"}),
    "an additional file that is written": Case(
        after("read done", asks("fs/write_text_file", path="/w/x", content="")), codes="request-extra",
        at={"outcome": "request-unmatched"}),
    "another command": Case(
        change("run creates", "params.command", "rm"),
        codes="request-params",
        follows="tool-call-status request-missing request-missing request-missing request-missing",
        at={"outcome": "request-unmatched >answer-unused >answer-unused >answer-unused"}),
    "another argument of a command": Case(
        change("run creates", "params.args.0", "clean"), codes="request-params",
        follows="tool-call-status request-missing request-missing request-missing request-missing",
        at={"outcome": "request-unmatched >answer-unused >answer-unused >answer-unused"}),
    "a command that is not run": Case(
        drop("run creates"),
        codes="request-missing",
        follows="request-missing request-missing request-missing request-missing tool-call-status",
        at={"outcome": "answer-unused >answer-unused >answer-unused"}),
    "an exit that the agent does not wait for": Case(drop("run waits"), codes="request-missing",
        at={"outcome": "answer-unused"}),
    "a terminal that is not released": Case(drop("run releases"), codes="request-missing",
        at={"outcome": "answer-unused"}),
    "requests in another order": Case(later("run waits", "run done"), codes="request-order"),
    "a permission that is requested when its tool is done": Case(
        later("edit asks", "edit done"), codes="tool-call-early", follows="request-order"),
    "a method that the client does not know": Case(
        after("read done", asks("vendor/ask")), codes="request-extra", at={"outcome": "request-unmatched"}),
    "a method that the client does not know, after a cancel": Case(
        before("long stop", asks("vendor/ask")), codes="request-unmatched"),
    # what it says
    "a message that is lost at the end": Case(drop("both chunk"), codes="message-missing"),
    "a message that is lost before a permission request": Case(drop("edit chunk"), codes="message-missing"),
    "a thought that is new": Case(after("read chunk", chunk("hm", "agent_thought_chunk")), codes="message-extra"),
    "a plan that is lost": Case(drop("read plan"), codes="update-missing"),
    "a plan that is new": Case(after("talk chunk 1", up("plan", entries=[])), codes="update-extra"),
    "commands that are lost": Case(drop("commands 1"), codes="update-missing"),
    "a tool call that is lost": Case(drop("both call 1", "both asks 1", "both on 1", "both done 1"), codes="tool-call-missing", follows="permission-missing",
        at={"outcome": "answer-unused"}),
    "a tool call that is new": Case(after("talk chunk 1", tool("c9", "completed")), codes="tool-call-extra"),
    "a tool call of another kind": Case(change("read call", "params.update.kind", "execute"), codes="tool-call-kind"),
    "a tool call that fails": Case(change("read done", "params.update.status", "failed"), codes="tool-call-status"),
    "a tool call that never ends": Case(drop("read done"), codes="tool-call-status"),
    "a tool call after a permission request instead of before it": Case(
        later("edit looks", "edit done"), codes="tool-call-moved"),
    "a tool call that is never announced": Case(drop("read call"), codes="tool-call-unannounced"),
    "a line of noise on stdout": Case(before("talk chunk 1", b"npm WARN deprecated\n"), codes="noise"),
    "a line that is not text": Case(before("talk chunk 1", NO_TEXT), codes="noise"),
    "a frame that is not JSON-RPC": Case(before("talk chunk 1", {"hello": 1}), codes="noise"),
    "an update without `jsonrpc`": Case(change("talk chunk 1", "jsonrpc", GONE), codes="finding-new"),
    "an array of messages": Case(before("talk chunk 1", b"[{}]\n"), codes="noise"),
    "a response without a request": Case(
        before("talk chunk 1", {"jsonrpc": "2.0", "id": 99, "result": {}}), codes="response-extra"),
    **FAULTS_OF_CONTENT,
    # configuration and metadata
    "a config option that vanished": Case(
        change("session 1", "result.configOptions.1", GONE), change("was set", "result.configOptions.1", GONE),
        change("read config", "params.update.configOptions.1", GONE), change("loaded", "result.configOptions.1", GONE),
        codes="option-missing"),
    "a config change that is applied too late": Case(change("was set", "result.configOptions.0.currentValue", "quick"), codes="config-timeline"),
    "a config change that is never applied": Case({"was set": ignores_set}, codes="config-final"),
    "a config change that is refused": Case(refuse("was set"), codes="error-instead-of-result"),
    "a choice that vanished": Case(change("session 1", "result.configOptions.1.options", _CHOICES), codes="config-timeline"),
    "another value at the start": Case(change("session 1", "result.configOptions.1.currentValue", "high"), codes="config-timeline"),
    "a mode that is not set": Case(refuse("mode code"), codes="error-instead-of-result"),
    "a mode that was not requested": Case(after("talk stop", up("current_mode_update", currentModeId="ask")), codes="config-timeline"),
    "another mode at the start": Case(change("session 1", "result.modes.currentModeId", "code"), codes="config-timeline"),
    "a value that the agent no longer changes": Case(drop("read config"), codes="config-timeline"),
    "a title never sent": Case(
        change("talk title", "params.update.title", GONE), codes="title-never-set"),
    "no metadata at all": Case(drop("talk title"), codes="title-never-set",
        follows="metadata-never-set metadata-never-set"),
    "a key of _meta that is never sent": Case(change("talk title", "params.update._meta", GONE), codes="metadata-never-set"),
    "a title that is cleared": Case(
        after("talk title", up("session_info_update", title=None)), codes="metadata-cleared"),
    "a key of _meta that is new": Case(change("talk title", "params.update._meta.more", 1), codes="metadata-set"),
    "modes that are no longer listed": Case(
        change("session 1", "result.modes", GONE), change("loaded", "result.modes", GONE), codes="config-timeline"),
    "an update for a session that was never opened": Case(
        after("talk stop", lambda wire: _in_no_session(wire.updated("plan", entries=[]))), codes="session-extra"),
    # what `check` finds
    "a title that is too long": Case(change("talk title", "params.update.title", "x" * 501),
        codes="finding-new", follows="content-differs", at={"exact": "finding-new"}),
    "a time without its zone": Case(
        change("talk title", "params.update.updatedAt", "2026-11-20T13:05:01"), codes="finding-new"),
    # the connection
    "another version of the protocol": Case(change("initialized", "result.protocolVersion", 3), codes="protocol-version"),
    "a capability that is lost": Case(
        change("initialized", "result.agentCapabilities.promptCapabilities", GONE), codes="capability-lost"),
    "a capability that is now false": Case(
        change("initialized", "result.agentCapabilities.loadSession", False), codes="capability-lost"),
    "a way to authenticate that is lost": Case(change("initialized", "result.authMethods", []), codes="capability-lost"),
    "an agent that does not say who it is": Case(change("initialized", "result.agentInfo", GONE), codes="info-missing"),
    "a handshake that fails": Case(refuse("initialized"), codes="error-instead-of-result"),
    "a session that cannot be opened": Case(
        {"session 1": forgets_session}, codes="error-instead-of-result", follows="error-instead-of-result"),
    "a session that is not loaded": Case(refuse("loaded", -32002), codes="error-instead-of-result"),
    "a session that cannot be closed": Case(refuse("closed", -32601), codes="error-instead-of-result"),
    "history that is lost": Case(drop("load chunk"), codes="message-missing"),
    "a turn that does not wait for its mode": Case(
        {"mode chunk": forces_mode}, drop("mode after"), codes="step-late", follows="message-missing", is_away=True),
    "a turn that ends before it is cancelled": Case(
        {"long thought": cancels_itself}, change("long stop", "result.stopReason", "end_turn"),
        codes="step-skipped", follows="stop-reason message-missing"),
    "another exit code": Case(instead("over", dies(3)), codes="end"),
    "a crash at its end": Case(instead("over", crashes), codes="end"),
    # what only `exact` looks at
    "an additional key": Case(change("talk stop", "result.usage", USAGE), codes="frame-differs"),
    "an additional chunk": Case(after("talk chunk 1", chunk()), codes="content-differs", at={"exact": "frame-extra"}),
    "a missing chunk": Case(drop("talk chunk 1"), codes="content-differs", at={"exact": "frame-missing"}),
    # the run
    "ends at once": Case(instead("start", dies(1)), codes="agent-gone", ends=True),
    "ends in the middle of a turn": Case(after("talk chunk 1", dies(0)), codes="agent-gone", ends=True),
    "crashes in the middle of a turn": Case(after("talk chunk 1", crashes), codes="agent-gone", ends=True),
    "closes its output, but keeps running": Case(after("talk chunk 1", hangs_up), codes="agent-gone", ends=True, hangs=True),
    "closes its input, but keeps running": Case(after("talk chunk 1", goes_deaf), codes="timeout", ends=True, hangs=True),
    "hangs before it answers `initialize`": Case(instead("initialized", hangs), codes="timeout", ends=True, hangs=True),
    "hangs in the middle of a turn": Case(after("talk chunk 1", hangs), codes="timeout", ends=True, hangs=True),
    "never answers one request": Case(drop("was set"), codes="timeout", ends=True, hangs=True),
    "never ends a turn": Case(drop("talk stop"), codes="timeout", ends=True, hangs=True),
    "never ends a cancelled turn": Case(drop("long stop"), codes="timeout", ends=True, hangs=True),
    "floods with valid updates": Case(after("talk chunk 1", floods), codes="flood", ends=True, hangs=True),
    "floods with noise": Case(after("talk chunk 1", babbles), codes="flood", follows="noise", ends=True, hangs=True),
    "sends nothing but noise": Case(instead("start", babbles), codes="flood", follows="noise", ends=True, hangs=True),
    "sends one endless line": Case(instead("start", never_ends_its_line), codes="flood", follows="noise", ends=True),
    "leaves a child that holds its output": Case(after("talk chunk 1", leaves_a_child), codes="timeout", ends=True, hangs=True),
    "stays when its input ends, despite signals": Case(instead("over", is_stubborn), codes="stays", hangs=True),
}  # fmt: skip
