"""One session in the forms in which people paste it: the same messages, senders and times out of each."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading import plain_text
from acp_trace.formats.reading.groups import explained, readers_for
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent
from tests.reading.talk import Said, answer, ask, call, cancel, chosen, prompt, stop, tell, up, words
from tests.support import SAMPLES, TRACES, analyzed

_ASKED = call(
    0,
    "session/request_permission",
    sessionId="s",
    toolCall={"toolCallId": "c"},
    options=[{"optionId": "yes", "name": "Ja → nein", "kind": "allow_once"}],
)
SAID: list[Said] = [
    ask(0, "initialize", protocolVersion=1),
    answer(0, protocolVersion=1, agentCapabilities={}),
    ask(1, "session/new", cwd="/w", mcpServers=[]),
    answer(1, sessionId="s"),
    prompt(2, text='read "a.txt" {now}'),
    words(),
    up("tool_call", toolCallId="c", title="Read [a]", status="pending"),
    _ASKED,
    chosen(0, optionId="yes"),
    cancel(),
    stop(2, "cancelled"),
    tell("agent", "_x/done", n=1.5),
]
_START = 1_764_064_800_000  #: 2025-11-25T10:00:00Z, in ms
_ARROWS = {"client": "→", "agent": "←"}


def _text(message: Any, **how: Any) -> str:
    return json.dumps(message, ensure_ascii=False, **how)


def _clock(at: int) -> str:
    return f"2025-11-25T10:00:{at:02}.{at * 10:03}Z"


def _lines(line: Callable[[int, str, Any], str]) -> Callable[[list[Said]], str]:
    """Writes a conversation, a message after another."""
    return lambda said: (
        "\n".join(line(at, sender, message) for at, (sender, message) in enumerate(said)) + "\n"
    )


def _in_words(at: int, side: str, message: dict[str, Any]) -> str:
    part = next(key for key in ("params", "result", "error") if key in message)
    name = message.get("method", "response")
    name = name if "id" in message else f"notification {name}"
    of = f" (id={message['id']})" if "id" in message else ""
    return f"{_clock(at)} {'-->' if side == 'client' else '<--'} {name}{of} {part}={_text(message[part])}"


def _rust(value: Any) -> str:
    """`{:?}` of serde_json's Value."""
    if isinstance(value, dict):
        return f"Object {{{', '.join(f'{_text(key)}: {_rust(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"Array [{', '.join(map(_rust, value))}]"
    if isinstance(value, bool) or value is None:
        return "Null" if value is None else f"Bool({_text(value)})"
    return f"{'String' if isinstance(value, str) else 'Number'}({_text(value)})"


#: By a name: the text, and whether it has times.
FORMS: dict[str, tuple[Callable[[list[Said]], str], bool]] = {
    "arrows": (_lines(lambda _, side, it: f"{_ARROWS[side]} {_text(it)}"), False),
    "long arrows and a logger": (
        _lines(
            lambda at, side, it: f"{_clock(at)} DEBUG acp: {'-->' if side == 'client' else '<--'} {_text(it)}"
        ),
        True,
    ),
    "words of the agent": (
        _lines(
            lambda at, side, it: f"{_clock(at)} rpc {'recv' if side == 'client' else 'send'}: {_text(it)}"
        ),
        True,
    ),
    "pretty, with a line above": (
        _lines(
            lambda at, side, it: (
                f"[{_clock(at)}] {'>>>' if side == 'client' else '<<<'}\n{_text(it, indent=2)}\n"
            )
        ),
        True,
    ),
    "one after the other": (_lines(lambda _, __, it: _text(it, indent=1)), False),
    "all in one line": (lambda said: "".join(_text(it) for _, it in said), False),
    "a list": (lambda said: _text([it for _, it in said]), False),
    "a code block": (
        lambda said: f"It hangs:\n\n```json\n{_lines(lambda _, side, it: f'{side}: {_text(it)}')(said)}```\n",
        False,
    ),
    "framed": (_lines(lambda _, __, it: f"Content-Length: {len(_text(it))}\r\n\r\n{_text(it)}"), False),
    "in colours": (
        _lines(lambda _, side, it: f"\x1b[3{1 + (side == 'agent')}m{side.upper()}\x1b[0m {_text(it)}"),
        False,
    ),
    "wrapped": (
        _lines(lambda at, side, it: _text({"ts": _START + at * 1000, "dir": f"from-{side}", "msg": it})),
        True,
    ),
    "wrapped, as a string": (
        _lines(lambda at, side, it: _text({"time": _clock(at), "stream": side, "data": _text(it)})),
        True,
    ),
    "seconds since the start": (
        _lines(lambda at, side, it: f"[{at}.25] {'OUT' if side == 'client' else 'IN'} {_text(it)}"),
        True,
    ),
    "without jsonrpc": (
        _lines(
            lambda _, side, it: f"{_ARROWS[side]} {_text({key: it[key] for key in it if key != 'jsonrpc'})}"
        ),
        False,
    ),
    "methods in words": (
        _lines(_in_words),
        True,
    ),
    "as Python prints it": (_lines(lambda _, side, it: f"{_ARROWS[side]} {it!r}"), False),
    "as Rust prints it": (_lines(lambda _, side, it: f"{_ARROWS[side]} {_rust(it)}"), False),
    "each message twice": (
        _lines(lambda _, side, it: f"{side} raw {_text(it)}\n{side} line {_text(it)}"),
        False,
    ),
}


_UNMARKED = {"one after the other", "all in one line", "a list", "framed"}


def _read(text: str, encoding: str = "utf-8") -> Log:
    best = explained([File("issue.txt", text.encode(encoding))], readers_for(None)).best
    assert best is not None
    (trace,) = best.traces
    assert best.format == "text"
    return trace.log


def _messages(log: Log) -> list[tuple[str | None, Any]]:
    return [(item.sender, json.loads(item.data)) for item in log.messages if isinstance(item, Sent)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_read(form: str, encoding: str) -> None:
    """All messages, each of its side, with times where the form has some."""
    write, has_times = FORMS[form]
    log = _read(write(SAID), encoding)
    # Nothing tells who sends a method that nobody knows, where a form has no marks.
    told = SAID[:-1] if form in _UNMARKED else SAID
    assert _messages(log) == [(side, json.loads(_text(it))) for side, it in told]
    times = [item.t for item in log.messages]
    assert all(t is not None for t in times) == has_times
    if has_times:
        assert times[0] == 0
        assert round((times[3] or 0) / 1e9, 1) == 3.0


def test_lines_of_others_are_counted() -> None:
    """Between the messages, and nothing of them is taken for a mark."""
    noise = ["[info] client connected", "{not json", "}}]", '{"level":"info","msg":"x"}', "stdin closed …"]
    lines = FORMS["words of the agent"][0](SAID).splitlines()
    chance = random.Random(1)
    for line in noise * 4:
        lines.insert(chance.randrange(len(lines)), line)
    log = _read("\n".join(lines))
    assert _messages(log) == [(side, json.loads(_text(it))) for side, it in SAID]
    assert len(log.unused) == 16  # brackets alone are no line


def test_two_files_with_times() -> None:
    """A direction each, in the order of their times."""
    sides = {
        side: "".join(f"{_clock(at)} {_text(it)}\n" for at, (sender, it) in enumerate(SAID) if sender == side)
        for side in ("client", "agent")
    }
    files = [File(side, text.encode()) for side, text in sides.items()]
    best = explained(files, readers_for(None)).best
    assert best is not None
    (trace,) = best.traces
    assert best.format == "text"
    assert trace.log.ordered
    assert _messages(trace.log) == [(side, json.loads(_text(it))) for side, it in SAID]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello\nworld\n", "2 lines, no JSON-RPC message in it"),
        (
            '→ {"jsonrpc":"2.0","id":1,"method":"x/y","par...\n',
            "1 of 1 lines look like messages, but are cut off",
        ),
        ("[acp::connect] Agent info: {\n", "a log of CodeCompanion: 1 line, no .*; record the agent instead"),
        (
            "INFO  2026-11-20T10:00:00 +12ms service=session.prompt step=1\n" * 3,
            "an opencode log: 3 lines, no JSON-RPC message in it; record the agent instead",
        ),
        (
            "2026-11-20 10:00:00,001 [   12]   INFO - #c.i.i.p - loading\n",
            "idea.log: .* take acp-transport.log",
        ),
        ("2026-11-20T10:00:00.1Z  INFO codex_core::session: started\n", "a Codex log: "),
        ("12:00:01 → request initialize\n12:00:02 ← response result\n", "1 of them only name methods of ACP"),
    ],
)
def test_what_is_no_log_is_named(text: str, why: str) -> None:
    """With what to do instead."""
    log = explained([File("a", text.encode())], readers_for(None))
    assert log.best is None
    assert re.search(why, log.why_none)


@given(st.binary(max_size=300) | st.text(alphabet='{}[]":,\\ \n1aé', max_size=300).map(str.encode))
def test_any_bytes(data: bytes) -> None:
    """Nothing but the reader's own error."""
    files = [File("a", data)]
    plain_text.recognises(files)
    with suppress(NotThisFormat):
        assert plain_text.read(files)


_PREFIXES: list[Callable[[int, str], str]] = [
    lambda *_: "",
    lambda _, side: f"{_ARROWS[side]} ",
    lambda _, side: f"[{side}] ",
    lambda at, side: f"{_clock(at)} DEBUG acp::rpc: {side} ",
    lambda at, side: f"[{at}.5] {'SEND' if side == 'client' else 'RECV'}: ",
    lambda at, _: f"agent-1  | {_clock(at)} ",
    lambda _, side: "\x1b[36mstdin\x1b[0m " if side == "client" else "\x1b[32mstdout\x1b[0m ",
]
_FRAMINGS: list[Callable[[Any], str]] = [
    _text,
    lambda it: _text(it, indent=2),
    lambda it: f"\n```json\n{_text(it, indent=4)}\n```",
    lambda it: f"\nContent-Length: {len(_text(it).encode())}\r\n\r\n{_text(it)}",
    lambda it: f"[{_text(it)}]",
    lambda it: _text({"level": "debug", "message": _text(it)}),
    lambda it: _text({"time": 1, "data": it}),
]


@given(
    st.lists(
        st.tuples(st.sampled_from(_PREFIXES), st.sampled_from(_FRAMINGS)),
        min_size=len(SAID),
        max_size=len(SAID),
    ),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_any_mix_of_prefixes_and_framings(
    ways: list[tuple[Callable[[int, str], str], Callable[[Any], str]]], encoding: str
) -> None:
    """Each message comes out once, as it is and in its place, whatever stands around it."""
    pieces = [
        prefix(at, side) + framing(it)
        for at, ((prefix, framing), (side, it)) in enumerate(zip(ways, SAID, strict=True))
    ]
    (log,) = plain_text.read([File("issue.txt", "\n".join(pieces).encode(encoding))])
    sent = [item for item in log.messages if isinstance(item, Sent)]
    assert [json.loads(item.data) for item in sent] == [json.loads(_text(it)) for _, it in SAID]
    for item, (side, message) in zip(sent, SAID, strict=True):  # no mark makes a call that of the other side
        assert item.sender in (None, side) or "method" not in message


_RECORDED = [
    pytest.param(path, id=path.stem, marks=() if path in SAMPLES else pytest.mark.slow) for path in TRACES
]


@pytest.mark.parametrize("path", _RECORDED)
@pytest.mark.parametrize("form", FORMS)
def test_a_real_recording_written_in_each_form(path: Path, form: str) -> None:
    """Read back, all its messages are there, each of its side; where a form has no marks, each that says its side."""
    _, frames = analyzed(path.read_bytes())
    sent = [(frame.sender, json.loads(frame.data)) for frame in frames if frame.data[:1] == b"{"]
    best = explained([File("a", FORMS[form][0](sent).encode())], readers_for("text")).best
    assert best is not None
    read = [item for trace in best.traces for item in trace.log.messages if isinstance(item, Sent)]
    told = [(str(item.sender), json.loads(item.data)) for item in read]
    lost = [one for trace in best.traces for one in trace.log.unused if "nothing says" in one.why]
    assert len(told) + len(lost) == len(sent)
    if form not in _UNMARKED:
        assert not lost
    if len(best.traces) > 1:  # several connections, one after another
        sent, told = (sorted(each, key=str) for each in (sent, told))
    kept = [one for one in sent if one in told]
    assert told == (kept if lost else sent)
