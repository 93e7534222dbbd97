"""`acp-trace replay --url` as people use it: a report, exit codes, one line for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_trace.transport.endpoint import Endpoint
from acp_trace.transport.headers import value
from acp_trace.transport.serving import Receive, Scope, Send, ServerTls
from tests.support import Home
from tests.transport.background import answered, served
from tests.transport.talk import Agent, recording


@pytest.fixture
def one(tmp_path: Path) -> str:
    """The recording."""
    path = tmp_path / "one.jsonl"
    path.write_bytes(recording())
    return str(path)


def refused(home: Home, *args: str) -> str:
    """The line that is said to words that mean nothing, with exit code 2."""
    done = home.outcome("replay", *args)
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b""), said
    assert "Traceback" not in said
    return next(line for line in said.splitlines() if line.startswith(("Error: ", "acp-trace: ")))


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_it_passes(home: Home, one: str, scheme: str) -> None:
    """The report is that of any replay; the run is in the store, and says where it was."""
    with answered(Agent()) as address:
        url = f"{scheme}://{address}/acp"
        found = home.json("replay", one, "--url", url)["replays"][0]
        assert home.run("replay", one, "--url", url).startswith(f"passed  {one}  7 of 7 steps in ")
    assert (found["passed"], found["died"]) == (True, False)
    shown = home.run("show", found["live_id"])
    assert url in shown
    assert "exit None" not in shown
    header = json.loads(home.run("export", found["live_id"]).splitlines()[0])
    assert header["transport"] == {"http": "http", "ws": "websocket"}[scheme]


def test_another_agent_fails(home: Home, one: str, tmp_path: Path) -> None:
    """Exit code 1, and JUnit XML as for any replay."""
    junit = tmp_path / "junit.xml"
    with answered(Agent("deaf")) as address:
        said = home.run("replay", one, "--url", f"http://{address}", "--junit", str(junit), code=1)
    assert "cancel-outcome" in said
    assert "cancel-outcome" in junit.read_text()


def test_nobody_is_there(home: Home, one: str, unanswered: str) -> None:
    """Exit code 5, as for a command that cannot be started."""
    url = f"http://{unanswered}/acp"
    said = home.run("replay", one, "--url", url, code=5)
    assert "cannot-start" in said
    assert f"{url}: Connection refused" in said
    assert "the agent could not be reached: " in home.run("show", "last-run")


@pytest.mark.slow
def test_tls(home: Home, one: str, tmp_path: Path) -> None:
    """A certificate that nobody vouches for is refused; the user's own file decides."""
    pytest.importorskip("cryptography")
    from tests.transport.certificates import certificates

    ca, tls = certificates(tmp_path)
    with answered(Agent(), ServerTls(*tls)) as address:
        for scheme in ("https", "wss"):
            said = home.run("replay", one, "--url", f"{scheme}://{address}", code=5)
            assert "its certificate is not trusted: " in said
            home.run("replay", one, "--url", f"{scheme}://{address}", "--ca", ca)
        said = home.run("replay", one, "--url", f"http://{address}", code=5)
        assert "cannot-start" in said


def test_the_settings_beside_the_trace(home: Home, one: str) -> None:
    """`url` there; a command on the command line takes its place, and the other way round."""
    beside = Path(one).with_suffix(".replay.toml")
    with answered(Agent()) as address:
        beside.write_text(f'url = "http://{address}"\n')
        home.run("replay", one)
        assert "cannot-start" in home.run("replay", one, "--", "/nowhere/agent", code=5)
        beside.write_text('agent = ["/nowhere/agent"]\n')
        home.run("replay", one, "--url", f"http://{address}")
        beside.write_text(f'agent = ["x"]\nurl = "http://{address}"\n')
        assert "give either agent or url" in refused(home, one)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_a_header_with_a_secret(home: Home, one: str, scheme: str, tmp_path: Path) -> None:
    """Reaches the agent, out of the environment and out of the file; no output has it, no trace, no command line."""
    seen: set[tuple[str, str]] = set()
    endpoint = Endpoint(Agent())

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        seen.add(tuple(value(scope["headers"], name) for name in (b"authorization", b"x-key")))  # type: ignore[arg-type]
        await endpoint(scope, receive, send)

    Path(one).with_suffix(".replay.toml").write_text(
        'header = ["X-Key: ${KEY}", "Authorization: SECRET-0"]\n'
    )
    said = ""
    with served(guarded) as address:
        url = ("--url", f"{scheme}://{address}", "--header", "Authorization: Bearer ${TOKEN}")
        secrets: dict[str, Any] = {"TOKEN": "SECRET-1", "KEY": "SECRET-2"}
        said += home.run("replay", one, *url, **secrets)
        said += home.run("replay", one, *url, "--json", **secrets)
        said += home.run("replay", one, *url, "--explain", **secrets)
        assert "variable KEY, which is not set" in refused(home, one, *url)
    assert seen == {("Bearer SECRET-1", "SECRET-2")}
    said += "".join(home.run("export", run["id"]) for run in json.loads(home.run("ls", "--runs", "--json")))
    assert '["authorization",null]' in said
    assert "SECRET" not in said
    written = b"".join(path.read_bytes() for path in home.path.rglob("*") if path.is_file())
    assert b"SECRET" not in written


def test_what_cannot_be(home: Home, one: str) -> None:
    """One line each."""
    url = ("--url", "http://127.0.0.1:1/acp")
    assert "give either AGENT or --url" in refused(home, one, *url, "--", "cat")
    assert "home works only for an agent that acp-trace starts" in refused(home, one, *url, "--home", "fresh")
    assert "not a URL of an agent" in refused(home, one, "--url", "nonsense")
    assert "on another machine (192.0.2.1)" in refused(home, one, "--url", "http://192.0.2.1/acp")
    assert "ca works only with url: give url, or leave ca out" in refused(home, one, "--ca", one, "--", "cat")
    assert "header works only with url: give url, or leave header out" in refused(
        home, one, "--header", "X: y", "--", "cat"
    )
    line = refused(home, one, *url, "--header", "Bearer SECRET")
    assert ("'NAME: VALUE'" in line, "SECRET" in line) == (True, False)
    assert "or `--url URL`" in refused(home, one)


def test_the_plan(home: Home, one: str) -> None:
    """Names the URL without its secrets, and connects to nothing."""
    said = home.run("replay", one, "--explain", "--url", "http://me:secret@127.0.0.1:1/acp?key=secret")
    assert "http://127.0.0.1:1/acp" in said
    assert "secret" not in said
