"""The table of updates says what the schemas say (npm `@agentclientprotocol/sdk` 2.4.0)."""

from __future__ import annotations

from collections import Counter

from acp_trace.protocol import methods, updates
from acp_trace.protocol.updates import UPDATES, Update, known
from tests.rows import each

_EVERYWHERE = {
    "user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call_update",
    "available_commands_update", "config_option_update", "session_info_update", "usage_update", "notice",
    "compaction_update", "compaction_summary_chunk",
}  # fmt: skip
_ONLY_1 = {"tool_call", "plan", "current_mode_update"}
_ONLY_2 = {
    "user_message", "agent_message", "agent_thought", "state_update", "tool_call_content_chunk", "terminal_update",
    "terminal_output_chunk",
}  # fmt: skip
_UNSTABLE = {"plan_removed", "subagent_update", "session_message", "session_message_chunk"}
#: In the schema crate for Rust alone.
_NEWER = {"prompt_suggestions_update", "cursor_update", "replay_complete"}


def _at(stage: str) -> set[str]:
    """Those of a stage in the schemas of the npm package."""
    return {row.kind for row in UPDATES if stage in row.stages} - _NEWER


def test_no_kind_stands_twice() -> None:
    """A kind has one row, and the look-up has them all."""
    assert [kind for kind, count in Counter(row.kind for row in UPDATES).items() if count > 1] == []
    assert list(updates.BY_KIND.values()) == list(UPDATES)


def test_each_stage_has_its_kinds() -> None:
    """plan_update is unstable in protocol 1 and stable in draft 2."""
    assert _at("1") == _EVERYWHERE | _ONLY_1
    assert _at("1u") == _at("1") | _UNSTABLE | {"plan_update"}
    assert _at("2") == _EVERYWHERE | _ONLY_2 | {"plan_update"}
    assert _at("2u") == _at("2") | _UNSTABLE


def test_how_many_the_schemas_have() -> None:
    """14 and 19 stable ones, and those of the unstable schemas."""
    assert [len(_at(stage)) for stage in ("1", "1u", "2", "2u")] == [14, 19, 19, 23]


def test_a_row_is_whole() -> None:
    """Every row has a source and known stages."""

    def check(row: Update) -> None:
        assert row.source
        assert row.stages
        assert row.stages <= set(methods.STAGES)

    each(UPDATES, check, lambda row: row.kind)


def test_what_a_version_knows() -> None:
    """Stable and unstable; where none is negotiated, all."""
    assert known(1) - _NEWER == _at("1u")
    assert known(2) - _NEWER == _at("2u")
    assert known(1) & _NEWER == _NEWER - {"replay_complete"}
    assert known(2) >= _NEWER
    assert known(None) == known(3) == set(updates.BY_KIND)


def test_what_is_only_for_clients_that_announced_it() -> None:
    """Notices, compaction, plans of several forms and subagents (schema, ClientCapabilities)."""
    assert {row.kind: row.announced for row in UPDATES if row.announced} == {
        "notice": "session.notices",
        "compaction_update": "session.compaction",
        "compaction_summary_chunk": "session.compaction",
        "plan_update": "plan",
        "subagent_update": "subagents",
    }


def test_what_is_a_turns_work() -> None:
    """Messages, thoughts, tool calls and plans: what comes late after a turn (docs/report.md, Cancellation)."""
    assert {
        "user_message_chunk", "user_message", "agent_message_chunk", "agent_message", "agent_thought_chunk",
        "agent_thought", "tool_call", "tool_call_update", "tool_call_content_chunk", "plan", "plan_update",
        "plan_removed",
    } == updates.OF_TURN  # fmt: skip
    assert updates.OUTPUT < updates.OF_TURN


def test_the_kinds_with_names_are_in_the_table() -> None:
    """What the rules look for exists."""
    named = {
        updates.TOOL_CALL,
        updates.TOOL_CALL_UPDATE,
        updates.SESSION_INFO,
        updates.CONFIG,
        updates.MODE,
        updates.USAGE,
        updates.STATE,
    }
    assert named <= set(updates.BY_KIND)
