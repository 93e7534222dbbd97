"""Nothing of a trace, of an agent or of a file's name drives a terminal or a CI runner, in any command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.columns import Columns
from rich.text import Text

from acp_trace.cli.common import console
from acp_trace.compare.codes import MATCHES
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import read
from tests.commands import Commands
from tests.fuzz import screens
from tests.fuzz.inputs import entries
from tests.posix import new_terminal
from tests.security.poison import COMMAND, EVIL, agent, harmless, poisoned
from tests.support import ACP_TRACE, DEADLINE_S, Home, line, trace

#: What rich itself writes to a terminal.
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_READING = (
    ["show", "A"],
    ["show", "A", "--all"],
    ["frames", "A"],
    ["frames", "A", "--full"],
    ["follow", "A"],
    ["check", "A"],
    ["check", "A", "--all", "--fail-on", "note"],
    ["diff", "A", "B", "--all"],
    ["diff", "A", "B", "--all", "--match", "exact"],
    ["diff", "A", "B", "--match", "outcome"],
    ["replay", "A", "--explain"],
    ["redact", "A", "--dry-run"],
    ["export", "A", "--out", "COPY"],
    ["load", "A"],
    ["ls"],
    ["ls", "--sessions"],
    ["show", "last"],
    ["stats"],
    ["query", "FROM traces"],
    ["query", "FROM sessions"],
    ["query", "FROM frames"],
    ["query", "FROM logs"],
    ["query", "SELECT agent_name AS x, list(agent_name) AS y, MAP {agent_name: agent_name} AS z FROM traces GROUP BY 1"],
    ["rm", "last", "--dry-run"],
    ["prune", "--keep", "0", "--dry-run"],
    ["where"],
    ["review", "."],
)  # fmt: skip


#: So many of them do without the store, which takes a while to open.
_FROM_STORE = 13


@pytest.mark.parametrize("every", [False, True])
def test_commands_that_read(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: bool
) -> None:
    """A trace of which every string is hostile, and one that differs from it, through all of them."""
    monkeypatch.chdir(tmp_path)
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    a.write_bytes(poisoned(every=every))
    b.write_bytes(poisoned("opencode-cancel-acpx", every=every))
    headers = [json.loads(one.read_bytes().split(b"\n", 1)[0]) for one in (a, b)]
    run = line(**headers[0], replay_of=headers[1]["id"])
    Path("b.jsonl.new").write_bytes(run + a.read_bytes().split(b"\n", 1)[1])
    seen = 0
    for args in _READING[: None if every else _FROM_STORE]:
        named = [{"A": str(a), "B": str(b), "COPY": "copy.jsonl"}.get(word, word) for word in args]
        said = commands(*named)
        assert said.code == (args[0] in {"check", "diff", "review"}), (args, said)
        harmless(said.out)
        harmless(said.err)
        seen += said.out.count("owned")
    assert seen > 100, seen


@pytest.mark.parametrize("every", [False, True])
def test_strings_are_made_harmless_where_they_are_printed(every: bool) -> None:
    """Without the last barrier, which is below."""
    a, b = (entries(poisoned(name, every=every)) for name in ("opencode-story", "opencode-cancel-acpx"))
    for width in (30, 80, 200):
        screens.of_one(a, width)
    for match in MATCHES:
        screens.of_two(screens.compared(a, b, match, []))
    screens.of_plan(plan(read(a), "client"))
    screens.of_plan(plan(read(a), "agent"))


_NAME = "n\x1b]0;PWN\x07\u202e"


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "NAME"],
        ["replay", "NAME", "--watch", f"no{_NAME}", "--", "true"],
        ["replay", "NAME", "--save", f"no{_NAME}/x", "--", "true"],
        ["replay", "NAME", "--junit", f"no{_NAME}/x", "--", "true"],
        ["replay", "NAME", "--match", _NAME, "--", "true"],
        ["check", "NAME", "--junit", "NAME"],
        ["check", "NAME", "--sarif", f"no{_NAME}/x"],
        ["diff", "NAME", "NAME", "--junit", f"{_NAME}/x"],
        ["export", "NAME", "--out", "NAME"],
        ["redact", "NAME", "--out", f"no{_NAME}/x"],
        ["record", "--out", "DIR", "--", "true"],
        ["record", "--label", _NAME, "--", "true"],
        ["record", "--no-load", "--", f"/no/{_NAME}"],
        ["show", f"--{_NAME}"],
        ["show", "NAME", _NAME],
        [_NAME],
        ["review", f"no{_NAME}"],
        ["query", "NAME"],
        ["load", f"no{_NAME}"],
        ["rm", _NAME],
    ],
    ids=lambda words: (
        " ".join(words).encode("ascii", "replace").decode().replace("\x1b", "ESC").replace("\x07", "BEL")
    ),
)
def test_names_in_errors(home: Home, tmp_path: Path, words: list[str]) -> None:
    """A file's name comes from a shell's `*` as well as from a person: each wrong line is told harmlessly."""
    file, directory = tmp_path / f"{_NAME}.jsonl", tmp_path / f"{_NAME}.d"
    file.write_bytes(trace())
    directory.mkdir()
    named = [{"NAME": str(file), "DIR": str(directory)}.get(word, word) for word in words]
    done = home.outcome(*named, COLUMNS="400")
    assert done.returncode != 0
    assert b"PWN" in done.stderr
    harmless((done.stdout + done.stderr).decode())


def test_what_was_forgotten_does_not_get_through(capsys: pytest.CaptureFixture[str]) -> None:
    """The console that all commands print on lets nothing harmful out, in any part of a report; colours it does."""
    out = console()
    out.print(
        Text.assemble("a\x1b]0;", ("b\u202e\x9b", "red"), "\nc"), "d\x1b[2J", Columns([Text("e\x1b[31m")])
    )
    said = capsys.readouterr().out
    harmless(said)
    assert said.count("\\e") == 3
    assert said.count("\n") == 3


def test_what_a_replay_says(commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hostile recording played to a hostile agent: report, learned masks, annotations, JUnit, review."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.jsonl"
    path.write_bytes(poisoned())
    words = ["--timeout", "2", "--match", "exact", "--mask", "/params/\x7fx\u202e", "--all"]
    for more in ([], ["--learn", "1"], ["--github"], ["--junit", "-"]):
        said = commands("replay", path, *words, *more, "--", *agent())
        assert said.code == ("--learn" not in more), said
        harmless(said.out.replace("\t", " "))  # of the XML
        harmless(said.err)
        if more == ["--github"]:
            assert COMMAND.search(said.out) is None
        if more == ["--junit", "-"]:
            ET.fromstring(said.out)
    said = commands("review", ".")
    harmless(said.out)


def test_an_agent_that_cannot_be_started(commands: Commands, tmp_path: Path) -> None:
    """Its name comes from the command line, or from a file beside the trace."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(poisoned())
    name = EVIL.replace("\0", "")
    said = commands("replay", path, "--", name)
    assert said.code == 5
    harmless(said.out + said.err)
    (tmp_path / "a.replay.toml").write_text(
        'agent = ["\\u001b]0;owned\\u0007\\u202e"]\nmatch = "\\u001b[2J"\n'
    )
    said = commands("replay", path)
    assert said.code == 2
    harmless(said.out + said.err)


def test_what_a_mock_says(home: Home, tmp_path: Path) -> None:
    """On stderr, of a hostile client; standard output carries the protocol, to a program."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(poisoned())
    said = home.outcome(
        "mock", str(path), stdin=EVIL.encode() + b'\n{"jsonrpc":"2.0","id":0,"method":"\\u001b[2J"}\n'
    )
    assert said.returncode == 1
    harmless(said.stderr.decode())


def test_ci_runners_find_no_command(commands: Commands, tmp_path: Path) -> None:
    """Of `check` and `diff` with `--github`: one line each, and no other command in all that is printed."""
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    a.write_bytes(poisoned(every=True))
    b.write_bytes(poisoned("opencode-cancel-acpx", every=True))
    for args in (f"check {a} --github --fail-on note --all", f"diff {a} {b} --github --all"):
        said = commands(*args.split())
        assert said.out.count("\n::") > 1
        assert COMMAND.search(said.out) is None, COMMAND.search(said.out)
        harmless(said.out)


def test_reports_are_sound(commands: Commands, tmp_path: Path) -> None:
    """JUnit is XML and SARIF is JSON, whatever stands in the trace."""
    a, b, junit, sarif = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "out.xml", "out.sarif"))
    a.write_bytes(poisoned(every=True))
    b.write_bytes(poisoned("opencode-cancel-acpx", every=True))
    commands("check", a, "--junit", junit, "--sarif", sarif, "--fail-on", "note")
    ET.parse(junit)
    harmless(junit.read_text().replace("\t", " "))
    assert json.loads(sarif.read_text())["runs"][0]["results"]
    commands("diff", a, b, "--junit", junit)
    ET.parse(junit)
    harmless(junit.read_text().replace("\t", " "))


@pytest.mark.parametrize("args", [["show", "A", "--json"], ["frames", "A", "--json"]])
def test_json_on_a_terminal(home: Home, tmp_path: Path, args: list[str]) -> None:
    """For programs it is verbatim; on a terminal control characters are made visible, in JSON too."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(poisoned())
    said = on_terminal(home, *[str(path) if word == "A" else word for word in args])
    assert "owned" in said
    harmless(said)


def test_results_of_sql_on_a_terminal(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As JSON, CSV and lines."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(poisoned())
    commands("load", path)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("PAGER", "cat")
    for args in (["FROM frames", "--json"], ["FROM logs", "--csv"], ["FROM logs"]):
        said = commands("query", *args)
        assert "owned" in said.out
        harmless(_COLOUR.sub("", said.out))


def test_raw_traffic_is_not_written_to_a_terminal(home: Home, tmp_path: Path) -> None:
    """`export` refuses."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(poisoned())
    for more in ([], ["--raw", "agent"]):
        assert "owned" not in on_terminal(home, "export", str(path), *more)


def on_terminal(home: Home, *args: str) -> str:
    """What a command writes to a terminal, without carriage returns of the terminal itself."""
    ours, theirs = new_terminal()
    process = subprocess.Popen(
        [*ACP_TRACE, *args],
        stdout=theirs,
        stderr=theirs,
        stdin=theirs,
        env=home.environment | {"PAGER": "cat"},
    )
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 1 << 16):
            said += piece
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(ours)
        process.wait(DEADLINE_S)
    return said.replace(b"\r\n", b"\n").decode()
