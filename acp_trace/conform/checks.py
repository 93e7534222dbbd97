"""Requirements of agents without a finding: those that only a probe tries, and those of several messages.

A check yields what it looked at: the frame, and why that breaks the requirement, or None. A requirement whose
check yields nothing is not exercised. Pure.

Conversations of `conform` itself (`Evidence.probe`) ask for nothing odd, so an error there is the agent's
fault. In another client's recording, an error may be the client's fault, except -32601 to a correct request
of the protocol: then the agent offers what it does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from acp_trace.conform import run_checks
from acp_trace.conform.evidence import ClientCall, Evidence
from acp_trace.conform.look import Check, Look, Looks
from acp_trace.protocol import methods, outcomes
from acp_trace.protocol.message import MessageKind
from acp_trace.trace.jsontext import as_object, objects, short

METHOD_NOT_FOUND, INVALID_PARAMS, AUTH_REQUIRED = -32601, -32602, -32000
#: Errors that say that the agent does not take a well-formed request.
_NOT_TAKEN = (METHOD_NOT_FOUND, INVALID_PARAMS)
#: How the methods begin that no agent can know.
UNKNOWN = "acp_trace/"
#: The end of a directory's name in which no session can be.
UNUSED = "/acp-trace-unused"


def _taken(evidence: Evidence, *names: str, any_error: bool = False) -> Looks:
    """Of well-formed requests: a result, or an error that says that the agent does not take them."""
    return _taken_of(evidence, evidence.calls_of(*names), any_error=any_error)


def _taken_of(evidence: Evidence, calls: Iterable[ClientCall], *, any_error: bool = False) -> Looks:
    """The same of some requests; none of a session that was not opened here."""
    opened = {str(as_object(call.result).get("sessionId")) for call in evidence.results_of(methods.NEW)}
    for call in calls:
        named = call.params.get("sessionId")
        if call.is_result:
            yield Look(call.answer or call.frame)
        elif named is not None and named not in opened:
            continue
        elif _is_refusal(call, any_error=any_error) and _is_blamed(evidence, call):
            yield Look(call.answer or call.frame, f"{call.method} was refused: {_error(call)}")


def _is_refusal(call: ClientCall, *, any_error: bool) -> bool:
    if call.error is None:
        return False
    return call.code != AUTH_REQUIRED if any_error else call.code in _NOT_TAKEN


def _is_blamed(evidence: Evidence, call: ClientCall) -> bool:
    """Whether an error to this request is the agent's doing."""
    return bool(evidence.probe) or (call.code == METHOD_NOT_FOUND and evidence.is_sound(call))


def _error(call: ClientCall) -> str:
    error = call.error or {}
    return f"{short(error.get('message'), 80)} ({short(error.get('code'), 20)})"


def _prompt_with(block: str, evidence: Evidence) -> Looks:
    """A prompt with a block of this type, or with `_meta`."""
    for call in evidence.calls_of(methods.PROMPT):
        types = [one.get("type") for one in objects(call.params.get("prompt"))]
        if block not in (*types, *(key for key in call.params if key == "_meta")):
            continue
        if call.is_result:
            yield Look(call.answer or call.frame)
        elif call.code in _NOT_TAKEN and evidence.probe:
            yield Look(call.answer or call.frame, f"a prompt with {block} was refused: {_error(call)}")


def _unknown_method(evidence: Evidence) -> Looks:
    for call in evidence.calls:
        if call.answer is None or call.method in methods.BY_NAME:
            continue
        is_unknown = call.method.removeprefix("_").startswith(UNKNOWN)
        if call.code == METHOD_NOT_FOUND:
            yield Look(call.answer)
        elif methods.is_extension(call.method) and not is_unknown:
            continue  # this agent may know it
        elif call.error is not None:
            yield Look(call.answer, f"{call.method} was answered with {_error(call)}, not -32601")
        elif is_unknown:
            yield Look(call.answer, f"{call.method}, which does not exist, was answered with a result")


def _usable_after_error(evidence: Evidence) -> Looks:
    failed = next((call for call in evidence.calls if call.error is not None), None)
    if failed is None or failed.answer is None:
        return
    later = [call for call in evidence.calls if call.frame > failed.answer and call.answer is not None]
    if any(call.is_result for call in later):
        yield Look(failed.answer)


def _asked_for_one(evidence: Evidence) -> Looks:
    for call in evidence.results_of(methods.INITIALIZE):
        version = as_object(call.result).get("protocolVersion")
        if call.params.get("protocolVersion") != 1 or version == 2:
            continue
        why = (
            None
            if version == 1 and version is not True
            else f"1 was asked for, and the answer is {short(version)}"
        )
        yield Look(call.answer or call.frame, why)


def _asked_for_too_much(evidence: Evidence) -> Looks:
    for call in evidence.calls_of(methods.INITIALIZE):
        asked = call.params.get("protocolVersion")
        if not isinstance(asked, int) or asked < 1000 or call.answer is None:
            continue
        version = as_object(call.result).get("protocolVersion")
        if call.error is not None:
            yield Look(call.answer, f"version {asked} was answered with an error: {_error(call)}")
        elif version == asked:
            yield Look(call.answer, f"the agent agreed to version {asked}, which does not exist")
        elif isinstance(version, int) and not isinstance(version, bool):
            why = None if version > 0 else f"the answer to version {asked} is {version}"
            yield Look(call.answer, why)


def _agent_info(evidence: Evidence) -> Looks:
    for call in evidence.results_of(methods.INITIALIZE):
        info = as_object(as_object(call.result).get("agentInfo"))
        missing = [key for key in ("name", "version") if not info.get(key)]
        yield Look(
            call.answer or call.frame, f"agentInfo has no {' and no '.join(missing)}" if missing else None
        )


def _object_result(method: str, evidence: Evidence) -> Looks:
    for call in evidence.results_of(method):
        if isinstance(call.result, dict):
            yield Look(call.answer or call.frame)


def _current_mode(evidence: Evidence) -> Looks:
    """The mode that a new session has is one that it offers."""
    for call in evidence.results_of(methods.NEW):
        modes = as_object(as_object(call.result).get("modes"))
        offered = [mode.get("id") for mode in objects(modes.get("availableModes"))]
        current = modes.get("currentModeId")
        if offered and isinstance(current, str):
            why = f"the current mode {short(current)} is not one of those that are available"
            yield Look(call.answer or call.frame, None if current in offered else why)


def _unused_directory(evidence: Evidence) -> Looks:
    """The list of a directory without sessions is empty. Of another client's, only an empty list counts."""
    for call in evidence.calls_of(methods.LIST):
        if not call.params.get("cwd") or call.answer is None:
            continue
        sessions = as_object(call.result).get("sessions")
        if not str(call.params["cwd"]).endswith(UNUSED):
            if sessions == []:
                yield Look(call.answer)
        elif call.error is not None and call.code != AUTH_REQUIRED:
            yield Look(call.answer, f"the filtered list was refused: {_error(call)}")
        elif call.error is None:
            count = len(sessions) if isinstance(sessions, list) else None
            yield Look(call.answer, None if count == 0 else f"{count} sessions in a directory that has none")


def _deleted_again(evidence: Evidence) -> Looks:
    gone: set[Any] = set()
    for call in evidence.calls_of(methods.DELETE):
        named = str(call.params.get("sessionId"))
        if named in gone and call.answer is not None:
            yield Look(
                call.answer, f"the second session/delete was refused: {_error(call)}" if call.error else None
            )
        if call.is_result:
            gone.add(named)


def _closed_in_turn(evidence: Evidence) -> Looks:
    prompts = list(evidence.calls_of(methods.PROMPT))
    for close in evidence.results_of(methods.CLOSE):
        for prompt in prompts:
            same = prompt.params.get("sessionId") == close.params.get("sessionId")
            if not same or prompt.answer is None or not prompt.frame < close.frame < prompt.answer:
                continue
            if any(one.target_frame == prompt.frame for one in evidence.cancels):
                continue
            reason = as_object(prompt.result).get("stopReason")
            if prompt.error is not None:
                yield Look(prompt.answer, f"session/close ended the prompt with an error: {_error(prompt)}")
            elif reason == outcomes.CANCELLED:
                yield Look(prompt.answer)
            elif prompt.answer > close.frame + 1:  # else the answer may have been on its way
                yield Look(
                    prompt.answer, f"the prompt that session/close ended says {short(reason)}, not cancelled"
                )


def _additional_directories(evidence: Evidence) -> Looks:
    for call in evidence.calls_of(methods.NEW):
        if call.params.get("additionalDirectories"):
            yield from _taken_of(evidence, [call])


def _unique_logins(evidence: Evidence) -> Looks:
    for call in evidence.results_of(methods.INITIALIZE):
        ids = [
            short(one.get("id", one.get("methodId")))
            for one in objects(as_object(call.result).get("authMethods"))
        ]
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if ids:
            why = f"authMethods has {', '.join(twice)} more than once" if twice else None
            yield Look(call.answer or call.frame, why)


def _login_without_methods(evidence: Evidence) -> Looks:
    if evidence.announced("offers authMethods") is not False:
        return
    for call in evidence.calls_of(methods.NEW):
        if call.code == AUTH_REQUIRED:
            why = "session/new asks for a login (-32000), and initialize offers none"
            yield Look(call.answer or call.frame, why)
        elif call.is_result:
            yield Look(call.answer or call.frame)


def _extension(evidence: Evidence) -> Looks:
    for call in evidence.calls:
        if not call.method.startswith("_"):
            continue
        if call.answer is not None:
            yield Look(call.answer)
        elif evidence.probe:
            yield Look(call.frame, f"{call.method} was never answered")


def _error_messages(evidence: Evidence) -> Looks:
    for call in evidence.calls:
        if call.error is None or call.answer is None:
            continue
        message = call.error.get("message")
        if not isinstance(message, str) or not message.strip():
            yield Look(call.answer, "the error has no message")
        else:
            yield Look(call.answer, "the error's message has several lines" if "\n" in message else None)


def _sent_odd(evidence: Evidence, *, is_json: bool) -> Looks:
    """What the kit only notes: that the client sent a line that is not JSON, or no message."""
    for frame, sender in evidence.odd:
        if sender == "client" and (evidence.odd_kinds[frame] is MessageKind.INVALID) == is_json:
            yield Look(frame)


def _unknown_session(evidence: Evidence) -> Looks:
    """What the kit only notes: that the client sent a prompt for a session that it did not open."""
    opened = {str(call.params.get("sessionId")) for call in evidence.results_of(*methods.REOPENERS)}
    opened |= {str(as_object(call.result).get("sessionId")) for call in evidence.results_of(*methods.OPENERS)}
    for call in evidence.calls_of(methods.PROMPT):
        if str(call.params.get("sessionId")) not in opened:
            yield Look(call.frame)


def _always(evidence: Evidence) -> Looks:
    if evidence.facts.trace.complete and evidence.facts.trace.frames_agent:
        yield Look(evidence.facts.trace.frames_client)


def _takes(*names: str) -> Check:
    """A request of these methods is not refused as unknown or malformed."""
    return lambda evidence: _taken(evidence, *names)


def _new_session(evidence: Evidence) -> Looks:
    """session/new is not refused as unknown or malformed. Our own that lacks its directory may be."""
    mine = [call for call in evidence.calls_of(methods.NEW) if call.is_result or "cwd" in call.params]
    yield from _taken_of(evidence, mine)


def _deletes(evidence: Evidence) -> Looks:
    """session/delete of a session that this connection made; another may be gone already."""
    made = {str(as_object(call.result).get("sessionId")) for call in evidence.results_of(methods.NEW)}
    mine = [call for call in evidence.calls_of(methods.DELETE) if str(call.params.get("sessionId")) in made]
    yield from _taken_of(evidence, [c for c in mine if not _is_odd(c, evidence.calls)], any_error=True)


def _works(method: str) -> Check:
    """A request about a session that is there: any error but that of a missing login breaks it."""

    def check(evidence: Evidence) -> Looks:
        mine = [call for call in evidence.calls_of(method) if not _is_odd(call, evidence.calls)]
        yield from _taken_of(evidence, mine, any_error=True)

    return check


def _is_odd(call: ClientCall, calls: Sequence[ClientCall]) -> bool:
    """Whether it is about a session that a request before it has deleted, or a directory without sessions."""
    if str(call.params.get("cwd", "")).endswith(UNUSED):
        return True
    named = call.params.get("sessionId")
    before = (one for one in calls if one.method == methods.DELETE and one.frame < call.frame)
    return any(one.params.get("sessionId") == named for one in before)


#: By the id of a requirement.
CHECKS: dict[str, Check] = {
    "ACP-JSONRPC-004": _unknown_method,
    "ACP-JSONRPC-005": _usable_after_error,
    "ACP-INIT-001": run_checks.initialize_hangs,
    "ACP-INIT-002": _asked_for_one,
    "ACP-INIT-003": _asked_for_too_much,
    "ACP-INIT-004": _agent_info,
    "ACP-SESSION-001": _new_session,
    "ACP-PROMPT-001": _takes(methods.PROMPT),
    "ACP-PROMPT-003": partial(_prompt_with, "resource_link"),
    "ACP-PROMPTCAP-001": partial(_prompt_with, "image"),
    "ACP-PROMPTCAP-002": partial(_prompt_with, "audio"),
    "ACP-PROMPTCAP-003": partial(_prompt_with, "resource"),
    "ACP-META-001": partial(_prompt_with, "_meta"),
    "ACP-CANCEL-001": run_checks.cancel_settles,
    "ACP-LOAD-001": _works(methods.LOAD),
    "ACP-LOAD-003": partial(_object_result, methods.LOAD),
    "ACP-RESUME-001": _works(methods.RESUME),
    "ACP-LIST-001": _works(methods.LIST),
    "ACP-LIST-002": _unused_directory,
    "ACP-LIST-202": _unused_directory,
    "ACP-DELETE-001": _deletes,
    "ACP-DELETE-002": _deleted_again,
    "ACP-DELETE-203": _deleted_again,
    "ACP-CLOSE-001": _works(methods.CLOSE),
    "ACP-CLOSE-002": _closed_in_turn,
    "ACP-MODES-001": _current_mode,
    "ACP-MODES-002": _takes(methods.SET_MODE),
    "ACP-CONFIG-002": _takes(methods.SET_OPTION),
    "ACP-ADDDIRS-001": _additional_directories,
    "ACP-ADDDIRS-201": _additional_directories,
    "ACP-AUTH-001": _unique_logins,
    "ACP-AUTH-201": _unique_logins,
    "ACP-AUTH-005": _login_without_methods,
    "ACP-AUTH-205": _login_without_methods,
    "ACP-EXT-001": _extension,
    "ACP-ERROR-001": _error_messages,
    "ACP-SHUTDOWN-001": run_checks.ends,
    "ACP-STDERR-001": _always,
    "ACP-INFO-PARSE-001": partial(_sent_odd, is_json=False),
    "ACP-INFO-INVALIDREQ-001": partial(_sent_odd, is_json=True),
    "ACP-INFO-UNKNOWNSESSION-001": _unknown_session,
    "ACT-CRASH-001": run_checks.stays,
    "ACT-HANG-001": run_checks.hangs,
    "ACT-CANCEL-001": run_checks.cancel_settles,
    "ACT-INPUT-001": run_checks.odd_input,
}
