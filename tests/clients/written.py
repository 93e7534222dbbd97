"""Configurations as people write them, for properties: comments, commas, line ends, anything in any order."""

from __future__ import annotations

import json
import shlex

from hypothesis import strategies as st

from acp_trace.clients.table import CLIENTS, EditableClient

_PIECES = (
    "",
    "",
    " ",
    "  ",
    "\n",
    "\n  ",
    "\r\n",
    "\r\n\t",
    '// a "comment\n',
    "/* {\n[ */",
    "\t",
    "// \u00e9\r\n",
)
#: What may stand between two tokens.
TRIVIA = st.lists(st.sampled_from(_PIECES), max_size=3).map("".join)
_WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
_PLAIN = st.sampled_from(["null", "true", "-1.5e3", "0", '"x"', "[]", "{}", '["a", 1]'])


@st.composite
def _joined(draw: st.DrawFn, open_: str, items: list[str], close: str) -> str:
    text = open_ + draw(TRIVIA)
    for index, item in enumerate(items):
        last = index == len(items) - 1
        comma = "," if not last or draw(st.booleans()) else ""
        text += item + draw(TRIVIA) + comma + draw(TRIVIA)
    return text + close


@st.composite
def _string(draw: st.DrawFn, text: str) -> str:
    return json.dumps(text, ensure_ascii=draw(st.booleans()))


@st.composite
def _object(draw: st.DrawFn, members: list[tuple[str, str]]) -> str:
    spelled = [
        f"{draw(_string(name))}{draw(TRIVIA)}:{draw(TRIVIA)}{value}"
        for name, value in draw(st.permutations(members))
    ]
    return draw(_joined("{", spelled, "}"))


@st.composite
def _list(draw: st.DrawFn, words: list[str]) -> str:
    return draw(_joined("[", [draw(_string(word)) for word in words], "]"))


@st.composite
def _agent(draw: st.DrawFn, client: EditableClient) -> str:
    words = [draw(_WORDS.filter(str.strip)), *draw(st.lists(_WORDS, max_size=3))]
    members = [("env", draw(_PLAIN)), ("cwd", draw(_PLAIN))][: draw(st.integers(0, 2))]
    form = draw(st.sampled_from(["line", "list", "argv"]))
    if client.form == "argv" and form == "argv":
        return draw(_object([*members, ("argv", draw(_list(words)))]))
    is_line = client.splits and form != "list"
    members.append(("command", draw(_string(shlex.quote(words[0]) if is_line else words[0]))))
    if form == "list":
        members.append(("args", draw(_list(words[1:]))))
    return draw(_object(members))


@st.composite
def configurations(draw: st.DrawFn) -> tuple[EditableClient, str, list[str]]:
    """A client, the text of its file, and the names of the agents in it."""
    client = CLIENTS[draw(st.sampled_from(["zed", "jetbrains", "acpx"]))]
    names = draw(st.lists(st.sampled_from(["a", "b b", '\u00e9"', "\u2028"]), max_size=3, unique=True))
    agents = [(name, draw(_agent(client))) for name in names]
    members = [("theme", draw(_PLAIN)), ("// x", draw(_PLAIN))][: draw(st.integers(0, 2))]
    has_agents = draw(st.booleans())
    if agents or has_agents:
        members.append((client.agents, draw(_object(agents))))
    text = draw(_object(members))
    start, end = draw(st.sampled_from(["", "\ufeff"])), draw(TRIVIA)
    return client, start + draw(TRIVIA) + text + end, names
