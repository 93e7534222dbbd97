"""The sessions section of `show`: one head a session, with what it holds in a few numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.session_names import SessionNames, names_of
from acp_trace.report.statements import subagent, tools
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, paragraph
from acp_trace.trace.counts import counted

#: Sessions shown, unless all are asked for: a trace can hold thousands.
_MOST = 20


def sessions(trace_facts: facts.Facts, width: int, *, all_: bool) -> RenderableType:
    """Every session in the order of its first mention."""
    turns = group(trace_facts.turns, lambda one: one.session_id)
    calls = group(trace_facts.tool_calls, lambda one: one.session_id)
    permissions = group(trace_facts.permissions, lambda one: one.session_id)
    names = names_of(trace_facts)
    shown, rest = limited(trace_facts.sessions, all_)
    parts: list[RenderableType] = []
    for session in shown:
        mine = session.session_id
        worked = _worked(session, calls.get(mine, []))
        counts = _counts(session, turns.get(mine, []), worked, permissions.get(mine, []))
        parts += [_head(session, names, width), *_wrapped(session, counts, names, width)]
        parts += _slowest(worked, width)
    return Group(*parts, *rest)


def limited(
    concerned: Sequence[facts.Session], all_: bool
) -> tuple[Sequence[facts.Session], list[RenderableType]]:
    """The sessions that a section shows, and a line that says how many it leaves out."""
    shown = concerned if all_ else concerned[:_MOST]
    left = len(concerned) - len(shown)
    return shown, [Text(f" … and {units.number(left)} more: show --all", styles.FAINT)] if left else []


def titles(session: facts.Session, trace_facts: facts.Facts, width: int) -> list[Text]:
    """The head of a session's part of a section: nothing if the trace has no other session.

    Its id is not there: the section of the sessions has it.
    """
    names = names_of(trace_facts)
    if not names.are_several:
        return []
    text = Text().append(f" {names.of(session.session_id)}", style_of(session.session_id, names))
    return [paragraph(_described(text, session), width)]


def _described(text: Text, session: facts.Session) -> Text:
    """The text, with the title and the directory of a session behind it."""
    if session.title:
        text.append(f'  "{safe(session.title)}"')
    if session.cwd:
        text.append(f"  {safe(session.cwd)}", styles.FAINT)
    return text


def style_of(session_id: str | None, names: SessionNames) -> str:
    """The style of a session's name at the beginning of a line: bold, in the session's colour."""
    return f"{styles.HEADING} {styles.session(names.colour(session_id))}"


def _head(session: facts.Session, names: SessionNames, width: int) -> Text:
    """The line that begins a session: its name if there are several, its id, title and directory."""
    text = Text()
    if name := names.beside(session.session_id):
        text.append(f" {name}", style_of(session.session_id, names)).append(" ")
    text.append(f" {safe(session.session_id)}", "" if name else styles.HEADING)
    return paragraph(_described(text, session), width)


def _wrapped(
    session: facts.Session,
    counts: Iterator[str],
    names: SessionNames,
    width: int,
) -> list[Text]:
    by = subagent.said(session, names) or session.opened_by
    # When it was requested, which is when the timeline has it.
    t_ns = session.t_ns if by != session.opened_by or session.opened_ns is None else session.opened_ns
    text = by if t_ns is None else f"{by} at {units.since_start(t_ns)} s"
    text += "".join(f" · {part}" for part in counts)
    lines = textwrap.wrap(text, max(width - 3, 20))
    return [Text(f"   {line}", no_wrap=True) for line in lines]


def _worked(session: facts.Session, calls: list[facts.ToolCall]) -> list[facts.ToolCall]:
    """The tool calls that are work: those of turns, and those of a subagent."""
    is_subagent = session.parent_session_id is not None
    return [call for call in calls if not call.replayed and (call.turn is not None or is_subagent)]


def _slowest(calls: list[facts.ToolCall], width: int) -> list[Text]:
    """The tool calls that took longest, with their frames and times."""
    listed_tools = f"{GLUE}· ".join(each.replace(" ", GLUE) for each in tools.named(tools.slowest(calls)))
    return [paragraph(Text(f"   slowest tools: {listed_tools}", no_wrap=True), width)] if listed_tools else []


def _counts(
    session: facts.Session,
    turns: list[facts.Turn],
    calls: list[facts.ToolCall],
    permissions: list[facts.Permission],
) -> Iterator[str]:
    is_subagent = session.parent_session_id is not None
    if session.subagent_ns is not None:
        yield f"worked {units.duration(session.subagent_ns)}"
    if turns or not is_subagent:
        yield counted(len(turns), "turn")
    if mine := len(calls):
        open_ = sum(tool_call.ended_frame is None for tool_call in calls)
        yield counted(mine, "tool call") + (f" ({open_} unfinished)" if open_ else "")
    permissions = [each for each in permissions if each.turn is not None or is_subagent]
    if mine := len(permissions):
        refused = sum((permission.option_kind or "").startswith("reject") for permission in permissions)
        yield counted(mine, "permission") + (f" ({refused} rejected)" if refused else "")
    if session.replayed:
        yield counted(session.replayed, "history update")
    if session.usage:
        usage = msgspec.json.decode(session.usage)
        used, size = usage.get("used"), usage.get("size")
        if isinstance(used, int) and isinstance(size, int):
            yield f"{units.number(used)} of {units.number(size)} tokens"
    if session.ended_by:
        yield session.ended_by.partition("/")[2] + "d"
