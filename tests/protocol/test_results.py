"""The members that tell results of one method from those of another (npm `@agentclientprotocol/sdk` 2.4.0)."""

from __future__ import annotations

import pytest

from acp_trace.protocol.methods import BY_NAME
from acp_trace.protocol.results import _RESULTS, ResultFit, fit, handler_of


@pytest.mark.parametrize(
    ("method", "members", "expected"),
    [
        ("session/prompt", ["stopReason"], ResultFit.WELL),
        ("session/prompt", ["messageId"], ResultFit.WELL),
        ("session/prompt", ["outcome"], ResultFit.NOT),
        ("session/prompt", [], ResultFit.NOT),
        ("session/request_permission", ["outcome", "_meta"], ResultFit.WELL),
        ("session/set_mode", [], ResultFit.PERHAPS),
        ("session/set_mode", ["_meta"], ResultFit.PERHAPS),
        ("session/set_mode", ["content"], ResultFit.NOT),
        ("session/load", [], ResultFit.PERHAPS),
        ("session/load", ["configOptions"], ResultFit.WELL),
        ("_vendor/thing", ["stopReason"], ResultFit.PERHAPS),
        ("mcp/message", ["result"], ResultFit.PERHAPS),
        ("terminal/wait_for_exit", ["exitCode", "signal"], ResultFit.WELL),
    ],
)
def test_fit(method: str, members: list[str], expected: ResultFit) -> None:
    """What a result needs, what it may have, and what only others have."""
    assert fit(method, members) is expected


def test_who_gives_such_a_result() -> None:
    """Told by members that only one side's results have."""
    assert handler_of(["stopReason"]) == "agent"
    assert handler_of(["outcome"]) == "client"
    assert handler_of(["protocolVersion"]) == "agent"
    assert handler_of([]) is None
    assert handler_of(["anything"]) is None


def test_every_row_is_about_a_known_method() -> None:
    """Or about the older name of the first request to a proxy."""
    assert _RESULTS.keys() - BY_NAME.keys() == {"_proxy/initialize"}
