"""Texts that try to be more than text, and a trace that has one in every field. Each would set `window.broken`."""

from __future__ import annotations

from itertools import product
from typing import Any

from tests.support import header, line

_ACT = "window.broken=1"
_TAGS = (
    "img",
    "svg",
    "video",
    "audio",
    "body",
    "iframe",
    "input",
    "details",
    "marquee",
    "object",
    "embed",
    "style",
)
_EVENTS = (
    "onerror",
    "onload",
    "ontoggle",
    "onfocus",
    "onpointerenter",
    "onanimationstart",
    "onclick",
    "onwheel",
    "onbeforeinput",
)
_BREAKS = ("", "\"'>", "</script>", "</style>", "</title>", "-->", "]]>", "`}", "</textarea>")
_SCHEMES = (
    "javascript:",
    "JaVaScRiPt:",
    "java\tscript:",
    "vbscript:",
    "data:text/html,",
    "blob:",
    "file:///",
    "//example.com/",
)

#: What closes something, then markup that acts; addresses that act; and what unsettles layout or the reader.
PAYLOADS: tuple[str, ...] = (
    *(f"<{tag} src=x {event}={_ACT}>" for tag, event in product(_TAGS, _EVENTS)),
    *(f"{end}<script>{_ACT}</script>" for end in _BREAKS),
    *(f"{end}<img src=x onerror={_ACT}>" for end in _BREAKS),
    *(f"{scheme}{_ACT}" for scheme in _SCHEMES),
    *(f"[link]({scheme}{_ACT})" for scheme in _SCHEMES),
    *(f"![image](https://example.com/{number}.png)" for number in range(3)),
    "<a href=javascript:window.broken=1 autofocus>x</a>",
    "<base href=https://example.com/>",
    "<meta http-equiv=refresh content='0;url=https://example.com/'>",
    "<link rel=stylesheet href=https://example.com/x.css>",
    "<form action=https://example.com/><button>OK",
    "<math><mi//xlink:href='data:x,<script>window.broken=1</script>'>",
    "<svg><script>window.broken=1</script></svg>",
    "<template><img src=x onerror=window.broken=1></template>",
    "<noscript><p title='</noscript><img src=x onerror=window.broken=1>'>",
    "{{constructor.constructor('window.broken=1')()}}",
    "${window.broken=1}",
    "#{window.broken=1}",
    "<%= window.broken=1 %>",
    "&lt;script&gt;window.broken=1&lt;/script&gt;",
    "&#x3c;script&#x3e;window.broken=1",
    "\\u003cscript\\u003ewindow.broken=1",
    "%3Cscript%3Ewindow.broken=1",
    "expression(window.broken=1)",
    "url(javascript:window.broken=1)",
    "red;background:url(https://example.com/x)",
    "@import 'https://example.com/x.css';",
    "*{display:none!important}",
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "then",
    "length",
    "../../../etc/passwd",
    "a/../../b",
    "#a/messages?frame=1",
    "?token=",
    "part:page.json",
    "view",
    "page",
    "%",
    "%zz",
    "NaN",
    "-0",
    "1e999",
    "\x00\x01\x02",
    "\x1b[31mred\x1b]8;;https://example.com\x07link",
    "\u202egnp.exe",
    "\u2066\u2067\u2068",
    "\u200b\u200b\u200b",
    "\ufeff",
    "\ufdd0\uffff",
    "line\nline\r\nline\u2028line\u2029line",
    "\t\t\t\ttabs",
    "   ",
    "",
    "\u0301" * 300,
    "Z\u0351\u0352\u0353\u0354\u0355\u0356" * 60,
    "👩‍👩‍👧‍👦" * 80,
    "مرحبا بالعالم " * 30,
    "漢" * 600,
    "W" * 3000,
    "a " * 2000,
    "\n" * 400,
    "https://example.com/" + "x" * 800,
    '{"a":' * 90 + "1" + "}" * 90,
    "'\"`<>&;$(){}[]\\/|!#%^*~",
)

_Message = dict[str, Any]


def hostile_trace(payloads: tuple[str, ...] = PAYLOADS, **changes: Any) -> bytes:
    """A trace in which each payload stands in every field in which a peer can put a text.

    `changes`: keys of its header.
    """
    entries: list[tuple[str, Any]] = [*_opening(payloads[0])]
    for number, payload in enumerate(payloads):
        entries += _of_session(number, payload)
    lines = [
        header(
            agent={"argv": list(payloads[:40]), "cwd": payloads[1]},
            labels={payloads[2]: payloads[3]},
            **changes,
        )
    ]
    for at, (sender, content) in enumerate(entries, 1):
        if sender == "log":
            lines.append(line(t=at * 1_000_000, log=content))
        elif isinstance(content, str):
            lines.append(line(t=at * 1_000_000, **{"from": sender}, text=content))
        else:
            lines.append(line(t=at * 1_000_000, **{"from": sender}, frame=content))
    lines.append(
        line(t=(len(entries) + 1) * 1_000_000, end={"exit_code": None, "signal": None, "error": payloads[4]})
    )
    return b"".join(lines)


def _opening(text: str) -> list[tuple[str, _Message]]:
    info = {"name": text, "title": text, "version": text}
    return [
        (
            "client",
            _request(text, "initialize", protocolVersion=1, clientInfo=info, clientCapabilities={text: text}),
        ),
        (
            "agent",
            {
                "jsonrpc": "2.0",
                "id": text,
                "result": {
                    "protocolVersion": 1,
                    "agentInfo": info,
                    "authMethods": [{"id": text, "name": text}],
                },
            },
        ),
    ]


def _of_session(number: int, text: str) -> list[tuple[str, Any]]:
    session = f"{text}{number}"
    new, prompt, permission, write, config = (f"{text}-{number}-{at}" for at in range(5))
    options = [
        {
            "id": text,
            "name": text,
            "category": text,
            "type": "select",
            "currentValue": text,
            "options": [{"value": text, "name": text}],
        }
    ]
    content = [
        {"type": "content", "content": {"type": "text", "text": text}},
        {"type": "diff", "path": text, "oldText": text, "newText": f"{text}\n{text}"},
        {"type": "terminal", "terminalId": text},
    ]
    return [
        (
            "client",
            _request(
                new,
                "session/new",
                cwd=text,
                mcpServers=[{"name": text, "command": text, "args": [text], "env": []}],
            ),
        ),
        (
            "agent",
            _result(
                new,
                sessionId=session,
                configOptions=options,
                modes={"currentModeId": text, "availableModes": [{"id": text, "name": text}]},
            ),
        ),
        (
            "client",
            _request(config, "session/set_config_option", sessionId=session, configId=text, value=text),
        ),
        ("agent", _result(config, configOptions=options)),
        (
            "client",
            _request(
                prompt,
                "session/prompt",
                sessionId=session,
                prompt=[{"type": "text", "text": text}, {"type": "resource_link", "uri": text, "name": text}],
            ),
        ),
        ("log", text),
        (
            "agent",
            _update(
                session,
                sessionUpdate="session_info_update",
                title=text,
                _meta={text: text, "nested": {text: [text]}},
            ),
        ),
        (
            "agent",
            _update(session, sessionUpdate="agent_thought_chunk", content={"type": "text", "text": text}),
        ),
        (
            "agent",
            _update(
                session,
                sessionUpdate="agent_message_chunk",
                content={"type": "text", "text": text},
                messageId=text,
            ),
        ),
        (
            "agent",
            _update(
                session, sessionUpdate="plan", entries=[{"content": text, "priority": text, "status": text}]
            ),
        ),
        (
            "agent",
            _update(
                session,
                sessionUpdate="tool_call",
                toolCallId=text,
                title=text,
                kind=text,
                status=text,
                content=content,
                locations=[{"path": text, "line": 1}],
                rawInput={text: text},
            ),
        ),
        (
            "agent",
            _request(
                permission,
                "session/request_permission",
                sessionId=session,
                toolCall={"toolCallId": text, "title": text, "content": content},
                options=[{"optionId": text, "name": text, "kind": text}],
            ),
        ),
        ("client", _result(permission, outcome={"outcome": "selected", "optionId": text})),
        ("agent", _request(write, "fs/write_text_file", sessionId=session, path=text, content=text)),
        (
            "client",
            {"jsonrpc": "2.0", "id": write, "error": {"code": -32000, "message": text, "data": {text: text}}},
        ),
        (
            "agent",
            _update(
                session,
                sessionUpdate="available_commands_update",
                availableCommands=[{"name": text, "description": text}],
            ),
        ),
        ("agent", _update(session, sessionUpdate=text)),
        ("agent", {"jsonrpc": "2.0", "method": text, "params": {text: text}}),
        ("agent", text.replace("\n", " ").replace("\r", " ")),
        (
            "client",
            {
                "jsonrpc": "2.0",
                "method": "session/cancel",
                "params": {"sessionId": session, "_meta": {text: text}},
            },
        ),
        ("agent", _result(prompt, stopReason=text, usage={text: text})),
    ]


def _request(number: str, method: str, **params: Any) -> _Message:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def _result(number: str, **fields: Any) -> _Message:
    return {"jsonrpc": "2.0", "id": number, "result": fields}


def _update(session: str, **update: Any) -> _Message:
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}
