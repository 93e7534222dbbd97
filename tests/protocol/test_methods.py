"""The table of methods says what the schemas say (npm `@agentclientprotocol/sdk` 2.4.0)."""

from __future__ import annotations

from collections import Counter

import pytest

from acp_trace.protocol import capabilities, methods
from acp_trace.protocol.methods import METHODS, Method, known
from acp_trace.protocol.shapes.shape import NamedShape, ObjectShape
from acp_trace.protocol.shapes.tables import shapes
from tests.rows import each

_EVERYWHERE = {
    "initialize", "session/new", "session/resume", "session/list", "session/close", "session/delete",
    "session/set_config_option", "session/prompt", "session/cancel", "session/update",
    "session/request_permission", "elicitation/create", "elicitation/complete", "$/cancel_request",
}  # fmt: skip
_ONLY_1 = {
    "authenticate", "logout", "session/load", "session/set_mode", "fs/read_text_file", "fs/write_text_file",
    "terminal/create", "terminal/output", "terminal/release", "terminal/wait_for_exit", "terminal/kill",
}  # fmt: skip
_ONLY_2 = {"auth/login", "auth/logout", "tool_call/cancel", "terminal/cancel"}
_UNSTABLE = {
    "auth/status", "auth/status_update", "session/fork", "session/archive", "session/unarchive", "session/status",
    "session/set_title", "providers/list", "providers/set", "providers/disable", "mcp/message",
    "proxy/initialize", "proxy/successor",
}  # fmt: skip
_OLD = {
    "$/cancelRequest", "session/set_model", "mcp/connect", "mcp/disconnect", "nes/start", "nes/suggest", "nes/close",
    "nes/accept", "nes/reject", "document/didOpen", "document/didChange", "document/didClose", "document/didSave",
    "document/didFocus",
}  # fmt: skip


def _at(stage: str) -> set[str]:
    return {row.name for row in METHODS if stage in row.stages}


def test_no_method_stands_twice() -> None:
    """A name has one row, and the look-up has them all."""
    assert [name for name, count in Counter(row.name for row in METHODS).items() if count > 1] == []
    assert list(methods.BY_NAME.values()) == list(METHODS)


def test_each_stage_has_its_methods() -> None:
    """Stable and unstable protocol 1, draft 2, and what older agents still send."""
    assert _at("1") == _EVERYWHERE | _ONLY_1
    assert _at("1u") == _EVERYWHERE | _ONLY_1 | _UNSTABLE
    assert _at("2") == _EVERYWHERE | _ONLY_2
    assert _at("2u") == _EVERYWHERE | _ONLY_2 | _UNSTABLE
    assert _at("old") == _OLD


def test_how_many_the_schemas_have() -> None:
    """The numbers of methods in the four schemas."""
    assert [len(_at(stage)) for stage in ("1", "1u", "2", "2u")] == [25, 38, 18, 31]


def test_a_row_is_whole() -> None:
    """Every row has a source, known stages, and ids that begin in params or in the result."""

    def check(row: Method) -> None:
        assert row.source
        assert row.stages
        assert row.stages <= set(methods.STAGES)
        assert "old" not in row.stages or row.stages == {"old"}
        assert all(one.partition(".")[0] in ("params", "result") for one in row.ids)
        assert row.kind != "notification" or not any(one.startswith("result") for one in row.ids)

    each(METHODS, check, lambda row: row.name)


def test_what_is_stable_is_unstable_too() -> None:
    """The unstable schema holds the stable one."""
    assert _at("1") <= _at("1u")
    assert _at("2") <= _at("2u")


def test_what_a_version_knows() -> None:
    """Stable and unstable; where none is negotiated, or one that nobody knows, all but what is old."""
    assert set(known(1)) == _at("1u")
    assert set(known(2)) == _at("2u")
    assert set(known(None)) == set(known(3)) == set(known(0)) == _at("1u") | _at("2u")


def test_who_handles_what() -> None:
    """The client handles what the agent asks of it; some go both ways."""
    client = {row.name for row in METHODS if row.handler == "client"}
    assert client == {
        "session/update", "session/request_permission", "fs/read_text_file", "fs/write_text_file", "terminal/create",
        "terminal/output", "terminal/release", "terminal/wait_for_exit", "terminal/kill", "elicitation/create",
        "elicitation/complete", "auth/status_update",
    }  # fmt: skip
    both = {row.name for row in METHODS if row.handler == "both"}
    assert both == {
        "$/cancel_request", "$/cancelRequest", "mcp/message", "mcp/connect", "mcp/disconnect", "proxy/initialize",
        "proxy/successor",
    }  # fmt: skip


def test_which_are_notifications() -> None:
    """All others are requests, or may be both."""
    told = {row.name for row in METHODS if row.kind == "notification"} - _OLD
    assert told == {
        "session/cancel",
        "session/update",
        "elicitation/complete",
        "auth/status_update",
        "$/cancel_request",
    }
    assert {row.name for row in METHODS if row.kind == "both"} == {
        "mcp/message",
        "mcp/disconnect",
        "proxy/successor",
    }


def test_the_lists_beside_the_table_name_methods_of_it() -> None:
    """What opens, closes, ends, needs a session or a capability is a method."""
    announced = {method for of in capabilities.METHODS.values() for method in of}
    named = {*announced, *methods.NEEDS_OPEN, *methods.OPENERS, *methods.CLOSERS, *methods.ENDERS}
    assert named <= set(methods.BY_NAME)
    assert set(methods.CLOSERS) <= set(methods.ENDERS)
    assert not methods.NEEDS_OPEN & set(methods.OPENERS)


def test_what_names_an_open_session_says_where() -> None:
    """Every method that needs an open session has its id in the params."""
    assert [name for name in methods.NEEDS_OPEN if "params.sessionId" not in methods.BY_NAME[name].ids] == []
    for name, place in methods.OPENERS.items():
        assert f"{place}.sessionId" in methods.BY_NAME[name].ids


@pytest.mark.parametrize("version", [1, 2])
def test_capabilities_are_those_of_their_version(version: int) -> None:
    """A method that a version does not have needs none there, and what it needs is in the official schema."""
    assert set(capabilities.METHODS[version]) <= set(known(version))
    sides = {"agent": "AgentCapabilities", "client": "ClientCapabilities"}
    for method, path in capabilities.METHODS[version].items():
        assert _has(version, sides[methods.BY_NAME[method].handler], path), path
    for table in (capabilities.MCP_SERVERS, capabilities.CONTENT, capabilities.PARAMETERS):
        assert all(_has(version, "AgentCapabilities", path) for path in table[version].values())
    for path in (*capabilities.ELICITATION.values(), capabilities.TERMINAL_AUTH):
        assert _has(version, "ClientCapabilities", path)


def _has(version: int, name: str, path: str) -> bool:
    """Whether the shape of this name has the member."""
    table = shapes(version).table.shapes
    shape = table[name]
    for key in path.split("."):
        if not isinstance(shape, ObjectShape) or key not in shape.members:
            return False
        shape = shape.members[key].shape
        while isinstance(shape, NamedShape):
            shape = table[shape.name]
    return True


@pytest.mark.parametrize(
    ("name", "extension"),
    [
        ("_x", True),
        ("_zed.dev/log", True),
        ("$/progress", True),
        ("x/_y", False),
        ("$x", False),
        ("", False),
        ("session/new", False),
    ],
)
def test_names_that_belong_to_others(name: str, extension: bool) -> None:
    """`_…` is an extension, and `$/…` may be ignored."""
    assert methods.is_extension(name) is extension


@pytest.mark.parametrize(
    ("method", "params", "replays"),
    [
        ("session/load", {}, True),
        ("session/resume", {}, False),
        ("session/resume", {"replayFrom": None}, False),
        ("session/resume", {"replayFrom": {"type": "start"}}, True),
        ("session/new", {"replayFrom": {"type": "start"}}, False),
        ("session/fork", {}, False),
    ],
)
def test_which_requests_replay_history(method: str, params: dict[str, object], replays: bool) -> None:
    """A load does; a resume only when draft 2's member asks for it."""
    assert methods.replays_history(method, params) is replays
