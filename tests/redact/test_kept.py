"""What is never touched."""

from __future__ import annotations

import pytest

from acp_trace.protocol.methods import METHODS, Method
from acp_trace.redact.kept import is_kept
from tests.rows import each

UPDATE = "session/update"


def test_every_id_of_every_method_is_kept() -> None:
    """As the protocol's own table names them."""

    def check(row: Method) -> None:
        for written in row.ids:
            path = [0 if part == "[]" else part for part in written.replace("[]", ".[]").split(".")]
            assert is_kept(path, row.name), written

    each(METHODS, check, lambda row: row.name)


@pytest.mark.parametrize(
    ("path", "method"),
    [
        (("jsonrpc",), None),
        (("method",), "x"),
        (("id",), None),
        (("params", "update", "sessionUpdate"), UPDATE),
        (("params", "update", "status"), UPDATE),
        (("params", "update", "content", "type"), UPDATE),
        (("params", "update", "updatedAt"), UPDATE),
        (("params", "update", "configOptions", 0, "currentValue"), UPDATE),
        (("params", "update", "configOptions", 0, "options", 1, "value"), UPDATE),
        (("params", "value"), "session/set_config_option"),
        (("params", "clientInfo", "name"), "initialize"),
        (("result", "agentInfo", "version"), "initialize"),
        (("result", "stopReason"), "session/prompt"),
        (("params", "_meta", "a", "sessionId"), UPDATE),
        (("params", "sessionId"), "_x/y"),
        (("params", "id"), "$/cancelRequest"),
    ],
)
def test_what_is_kept(path: tuple[str | int, ...], method: str | None) -> None:
    """Ids anywhere; words of the protocol where the protocol puts them; the values of settings; who speaks."""
    assert is_kept(path, method)


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ((), None),
        (("params", "update", "title"), UPDATE),
        (("params", "update", "rawInput", "type"), UPDATE),
        (("params", "update", "rawOutput", "id"), UPDATE),
        (("params", "_meta", "status"), UPDATE),
        (("params", "mcpServers", 0, "env", 0, "value"), "session/new"),
        (("params", "id"), "_x/y"),
        (("result", "id"), "_x/y"),
        (("params", "params", "id"), "mcp/message"),
        (("error", "data", "type"), "session/prompt"),
        (("result", "content", "id"), "elicitation/create"),
        (("params", "value"), "x"),
    ],
)
def test_what_may_change(path: tuple[str | int, ...], method: str | None) -> None:
    """Texts, and all that agents and tools keep in containers of their own."""
    assert not is_kept(path, method)
