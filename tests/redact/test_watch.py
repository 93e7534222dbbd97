"""What an export says of the trace that it writes."""

from __future__ import annotations

import pytest

from acp_trace.redact.redactor import Redactor
from acp_trace.redact.watch import Watch
from acp_trace.trace.parse import Parser
from tests.redact.redacting import redacted
from tests.support import line, request, result, trace, update

SECRET = "Zq9secretvalue"
SERVER = {"name": "x", "env": [{"name": "A", "value": SECRET}, {"name": "B", "value": "other99x"}]}
#: More than a block, of which a watch reads each line of the first alone.
FILLER = line(t=1, **{"from": "agent"}, frame=update("s", "agent_message_chunk", text="x" * 800)) * 1500


def words(file: bytes, step: int = 1 << 20) -> str | None:
    watch = Watch()
    pieces = [file[at : at + step] for at in range(0, len(file), step)]
    assert list(watch.through(pieces)) == pieces
    return watch.words()


def test_nothing_to_say() -> None:
    """A trace without secrets, and one that was redacted."""
    file = trace(("client", request(1, "session/new", cwd="/home/ann", mcpServers=[SERVER])))
    assert words(trace()) is None
    assert words(b"") is None
    assert words(redacted(file)[0]) is None


@pytest.mark.parametrize("step", [1, 100, 1 << 20])
def test_secrets_and_homes_are_counted(step: int) -> None:
    """In whatever pieces the trace comes."""
    file = trace(
        ("client", request(1, "session/new", cwd="/home/ann", mcpServers=[SERVER])),
        ("agent", update("s", "agent_message_chunk", text="https://h/?token=tttt")),
    )
    assert words(file, step) == "3 secrets (env values, tokens in URLs) and a home folder"


def test_one_and_many() -> None:
    """In numbers that agree."""
    agent = {"argv": ["/home/ann/x", "/home/bob/y"], "cwd": "/"}
    assert words(trace(agent=agent)) == "2 home folders"
    frame = ("client", request(1, "authenticate", methodId="m", _meta={"key": SECRET}))
    assert words(trace(frame)) == "1 secret (authentication)"


@pytest.mark.parametrize(
    "frame",
    [
        request(1, "session/new", mcpServers=[SERVER]),
        request(1, "session/load", mcpServers=[SERVER]),
        request(1, "session/resume", mcpServers=[SERVER]),
        request(1, "session/fork", mcpServers=[SERVER]),
        request(1, "terminal/create", env=[{"value": SECRET}]),
        request(1, "authenticate", _meta={"a": SECRET}),
        request(1, "auth/login", _meta={"a": SECRET}),
        request(1, "auth/status_update", accounts=[{"email": SECRET}]),
        request(1, "providers/set", headers={"a": SECRET}),
        {"id": 1, "method": "proxy/successor", "params": request(1, "session/new", mcpServers=[SERVER])},
        [request(1, "session/new", mcpServers=[SERVER])],
        update("s", "plan", text="AKIA" + "IOSFODNN7EXAMPLE"),
        update("s", "plan", text="https://user:password@h"),
    ],
    ids=str,
)
def test_late_secrets_are_seen(frame: object) -> None:
    """Far from the beginning, by the signs of their lines."""
    file = trace(end=False) + FILLER + line(t=2, **{"from": "client"}, frame=frame) + FILLER
    assert "secret" in (words(file) or "")


def test_the_same_is_said_as_by_a_redactor() -> None:
    """Where all lines are read."""
    file = trace(
        ("client", request(0, "initialize")),
        ("agent", result(0, authMethods=[{"env": {"A": SECRET}}])),
        ("client", request(1, "session/new", mcpServers=[SERVER])),
    )
    redactor = Redactor()
    for entry in Parser().feed(file):
        redactor.learn(entry)
    assert redactor.found() == (2, ["env values"], 0)
    assert words(file) == "2 secrets (env values)"


def test_a_newer_format_is_exported_all_the_same() -> None:
    """It cannot be read here."""
    assert words(trace(acp_trace=99)) is None


def test_a_line_longer_than_a_block() -> None:
    """Is read when it is whole."""
    frame = request(1, "session/new", mcpServers=[SERVER], pad="x" * (3 << 20))
    assert words(trace() + FILLER + line(t=2, **{"from": "client"}, frame=frame), 1 << 16) is not None
