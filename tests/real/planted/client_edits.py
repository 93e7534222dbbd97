"""What is done to the agent's lines to its client: changes of values, and edits of whole lines. Pure."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tests.real.planted.edits import Change, Edit, put, results, updates
from tests.real.planted.tape import Json, Tape, update_of

OPENED = ("session/new", "session/load", "session/resume")
CHUNK = "agent_message_chunk"
CALL = ("tool_call", "tool_call_update")
PERMISSION = "session/request_permission"


def lines(*kinds: str) -> Callable[[Tape], list[Json]]:
    return lambda tape: tape.updates(*kinds)


def requests(*methods: str) -> Callable[[Tape], list[Json]]:
    return lambda tape: tape.asked(*methods)


def turned(value: Any) -> Any:
    return value[::-1]


def all_but_the_first(value: Any) -> Any:
    return value[1:]


def all_but_the_last(value: Any) -> Any:
    return value[:-1]


def with_words(value: Any) -> Any:
    if isinstance(value, str):
        return f"{value} (planted)"
    return {**value, "planted": True} if isinstance(value, dict) else ["planted"]


def more_usage(usage: Any) -> Any:
    return {key: value * 10 if isinstance(value, int) else value for key, value in usage.items()}


def with_ending(value: Any) -> Any:
    return f"{value}.planted"


def in_texts(path: str, change: Callable[[str], str]) -> Change:
    """A text in a value, which may be a string or hold some."""

    def deep(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, list):
            return [deep(each) for each in value]
        return {key: deep(each) for key, each in value.items()} if isinstance(value, dict) else value

    return put(path, deep)


def blocks(of: str, change: Change) -> Change:
    """A change of the blocks of a type in the content of a tool call."""

    def edit(update: Json) -> None:
        for block in update.get("content") or ():
            if isinstance(block, dict) and block.get("type") == of:
                change(block)

    return edit


def without_blocks(of: str) -> Change:
    def edit(update: Json) -> None:
        if isinstance(update.get("content"), list):
            update["content"] = [block for block in update["content"] if block.get("type") != of]

    return edit


def another_line(update: Json) -> None:
    for location in update.get("locations") or ():
        location["line"] = 77


def told_options(tape: Tape) -> list[Json]:
    """All that holds the options of a session."""
    return [*results(*OPENED, "session/set_config_option")(tape), *updates("config_option_update")(tape)]


# -- lines


def _turn_with(tape: Tape, *kinds: str) -> tuple[Json, list[Json]] | None:
    """The line with the response of the first turn with such updates, and these."""
    for begin, end in tape.turns():
        found = [line for line in tape.updates(*kinds) if begin < tape.lines.index(line) < end]
        if found:
            return tape.lines[end], found
    return None


def message_gone(tape: Tape) -> None:
    if found := _turn_with(tape, CHUNK):
        tape.drop(found[1])


def cut_short(tape: Tape) -> None:
    """The end of a turn's text does not come."""
    found = _turn_with(tape, CHUNK)
    if found and len(found[1]) > 3:
        tape.drop(found[1][-2:])


def chunks_swapped(tape: Tape) -> None:
    chunks = tape.updates(CHUNK)
    for one, other in pairwise(chunks):
        places = tape.lines.index(one), tape.lines.index(other)
        if places[1] == places[0] + 1 and update_of(one)["content"] != update_of(other)["content"]:
            tape.swap(one, other)
            return


def message(text: str) -> Json:
    return {"sessionUpdate": CHUNK, "content": {"type": "text", "text": text}}


def tell(tape: Tape, near: Json, update: Json, session: str | None = None) -> None:
    session = session or near["frame"]["params"]["sessionId"]
    frame = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}
    tape.put(near, frame)


def additional(update: Json) -> Edit:
    def edit(tape: Tape) -> None:
        if found := tape.updates(CHUNK):
            tell(tape, found[0], update)

    return edit


def after_the_stop(update: Json) -> Edit:
    def edit(tape: Tape) -> None:
        if found := _turn_with(tape, CHUNK):
            tell(tape, found[0], update, found[1][0]["frame"]["params"]["sessionId"])

    return edit


def after_the_cancel(tape: Tape) -> None:
    for line in [*tape.sent("client")]:
        if line["frame"].get("method") == "session/cancel":
            tell(tape, line, message("I deleted everything."))


def passing_title(tape: Tape) -> None:
    for line in tape.updates("tool_call"):
        update = update_of(line)
        if update.get("title"):
            id_ = update["toolCallId"]
            again = {"sessionUpdate": "tool_call_update", "toolCallId": id_, "title": update["title"]}
            tell(tape, line, again)
            tell(tape, line, {**again, "title": "rm -rf /"})
            return


def title_cleared(tape: Tape) -> None:
    for line in tape.updates("session_info_update"):
        if update_of(line).get("title"):
            tell(tape, line, {"sessionUpdate": "session_info_update", "title": None})


def own_notice_gone(tape: Tape) -> None:
    """Of the first notification that is none of the protocol's: all of them."""
    sent = (line for line in tape.sent() if "method" in line["frame"] and "id" not in line["frame"])
    own = [line for line in sent if line["frame"]["method"] != "session/update"]
    tape.drop([line for line in own if line["frame"]["method"] == own[0]["frame"]["method"]])


def change_not_told(tape: Tape) -> None:
    """Nor is any of the updates told that have other values than the session began with."""
    began = [_values(result.get("configOptions")) for result in results(*OPENED)(tape)]
    told = tape.updates("config_option_update")
    tape.drop([line for line in told if _values(update_of(line)["configOptions"]) not in began])


def _values(options: Any) -> list[Any]:
    return [option.get("currentValue") for option in options or ()]


def call_lines(tape: Tape, at: int = 0) -> list[Json]:
    """All that is told of a tool call that nothing is asked for."""
    asked = {line["frame"]["params"]["toolCall"]["toolCallId"] for line in tape.asked(PERMISSION)}
    ids = dict.fromkeys(update_of(line)["toolCallId"] for line in tape.updates("tool_call"))
    chosen = [id_ for id_ in ids if id_ not in asked][at : at + 1]
    return [line for line in tape.updates(*CALL) if update_of(line)["toolCallId"] in chosen]


def never_ends(tape: Tape) -> None:
    ends = [line for line in tape.updates("tool_call_update") if update_of(line).get("status") == "completed"]
    tape.drop(ends[:1])


def _sessions(tape: Tape) -> list[str]:
    return [result["sessionId"] for result in results("session/new")(tape)]


def crossed(*kinds: str, most: int | None = None) -> Edit:
    """Updates of the second session are sent to the first one."""

    def edit(tape: Tape) -> None:
        sessions = _sessions(tape)
        if len(sessions) > 1:
            found = [
                line for line in tape.updates(*kinds) if line["frame"]["params"]["sessionId"] == sessions[1]
            ]
            for line in found[:most]:
                line["frame"]["params"]["sessionId"] = sessions[0]

    return edit


def other_id(tape: Tape) -> None:
    """The updates of a tool call have another id than its beginning."""
    for line in tape.updates("tool_call_update"):
        if update_of(line).get("status") == "completed":
            update_of(line)["toolCallId"] += "-planted"
            return


# -- permissions


def exchanged(*keys: str) -> Change:
    """Two options of a permission, one to allow and one to reject, exchange these values."""

    def edit(asked: Json) -> None:
        options = asked["options"]
        allow = next((one for one in options if one["kind"] == "allow_once"), None)
        reject = next((one for one in options if one["kind"].startswith("reject")), None)
        if allow and reject:
            for key in keys:
                allow[key], reject[key] = reject[key], allow[key]

    return edit


def no_way_to_reject(asked: Json) -> None:
    asked["options"] = [one for one in asked["options"] if not one["kind"].startswith("reject")]


NEVER = {"optionId": "planted", "name": "Never", "kind": "reject_always"}

# -- ends


def ends_with(**members: Any) -> Edit:
    """The first turn that ended well ends otherwise."""

    def edit(tape: Tape) -> None:
        for line in tape.answers("session/prompt"):
            if (line["frame"].get("result") or {}).get("stopReason") == "end_turn":
                frame = {key: line["frame"][key] for key in ("jsonrpc", "id")}
                line["frame"] = {**frame, **members}
                return

    return edit


def refused(*methods: str) -> Edit:
    def edit(tape: Tape) -> None:
        for line in tape.answers(*methods)[:1]:
            frame = {key: line["frame"][key] for key in ("jsonrpc", "id")}
            line["frame"] = {**frame, "error": {"code": -32603, "message": "planted"}}

    return edit


def ignores_the_cancel(tape: Tape) -> None:
    for result in results("session/prompt")(tape):
        if result.get("stopReason") == "cancelled":
            result["stopReason"] = "end_turn"


def fails_at_the_cancel(tape: Tape) -> None:
    for line in tape.answers("session/prompt"):
        if (line["frame"].get("result") or {}).get("stopReason") == "cancelled":
            del line["frame"]["result"]
            line["frame"]["error"] = {"code": -32603, "message": "planted"}


def between(*frames: Any) -> Edit:
    def edit(tape: Tape) -> None:
        tape.put(tape.updates(CHUNK)[0], *frames)

    return edit


def never_answered(tape: Tape) -> None:
    tape.drop(tape.answers("session/prompt")[:1])
