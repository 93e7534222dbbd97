"""`redact`, and what `export` says about it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.support import HEADER, Home, agent, frames_in, line, request, result, trace, update

SECRET = "Zq9secretvalue"
SERVER = {"name": "x", "command": "x", "env": [{"name": "A", "value": SECRET}]}
FILE = trace(
    ("client", request(1, "session/new", cwd="/home/ann/w", mcpServers=[SERVER])),
    ("agent", result(1, sessionId="s")),
    ("agent", update("s", "agent_message_chunk", content={"type": "text", "text": f"{SECRET} in /home/ann"})),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A trace with a secret and a home folder."""
    made = tmp_path / "t.jsonl"
    made.write_bytes(FILE)
    return made


def test_a_file_and_a_report(home: Home, path: Path, tmp_path: Path) -> None:
    """The new file is for its owner only; the table stands on stderr, and names no secret."""
    out = tmp_path / "o.jsonl"
    done = home.outcome("redact", str(path), "--out", str(out))
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode().splitlines() == [
        " rule         replaced  different",
        " env values          2          1",
        " home folder         2          1",
        f"acp-trace: 2 frames changed; written to {out}",
    ]
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert SECRET.encode() not in out.read_bytes()
    assert "<secret:1> in <home>" in json.dumps(frames_in(out)[2]["frame"])
    assert path.read_bytes() == FILE


def test_only_other_lines_are_changed(home: Home, tmp_path: Path) -> None:
    """Such as the agent's command: that is not told as nothing."""
    path = tmp_path / "argv.jsonl"
    path.write_bytes(
        trace(agent={"argv": ["agent", "--key", "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q" * 2], "cwd": "/w"})
    )
    done = home.outcome("redact", str(path), "--dry-run")
    assert (
        done.stderr.decode().splitlines()[-1]
        == "acp-trace: no frame changed, but other lines; nothing written"
    )


def test_json(home: Home, path: Path, tmp_path: Path) -> None:
    """The same for programs."""
    out = tmp_path / "o.jsonl"
    found = home.json("redact", str(path), "--out", str(out))
    assert found == {
        "trace": str(path),
        "file": str(out),
        "bytes": out.stat().st_size,
        "dry_run": False,
        "replaced": [
            {"rule": "env values", "replaced": 2, "secrets": 1},
            {"rule": "home folder", "replaced": 2, "secrets": 1},
        ],
        "frames_changed": 2,
        "lines_dropped": 0,
        "torn_bytes": 0,
    }


def test_a_dry_run_writes_nothing(home: Home, path: Path, tmp_path: Path) -> None:
    """With --out, and without."""
    out = tmp_path / "o.jsonl"
    for options in ([], ["--out", str(out)]):
        done = home.outcome("redact", str(path), "--dry-run", *options)
        assert done.returncode == 0
        assert done.stderr.decode().splitlines()[-1] == "acp-trace: 2 frames changed; nothing written"
    assert home.json("redact", str(path), "--dry-run")["file"] is None
    assert os.listdir(tmp_path) == [path.name]


def test_every_way_to_name_a_trace(home: Home, path: Path, tmp_path: Path) -> None:
    """A file, standard input, the store: the same bytes come out."""
    outs = [tmp_path / f"{number}.jsonl" for number in range(3)]
    home.run("redact", str(path), "--out", str(outs[0]))
    home.run("redact", "-", "--out", str(outs[1]), stdin=FILE)
    home.run("load", str(path))
    home.run("redact", "last", "--out", str(outs[2]))
    assert len({out.read_bytes() for out in outs}) == 1


def test_a_redacted_trace_is_a_trace(home: Home, path: Path, tmp_path: Path) -> None:
    """It loads, shows the same findings, and redacting it again changes nothing."""
    out, again = tmp_path / "o.jsonl", tmp_path / "again.jsonl"
    home.run("redact", str(path), "--out", str(out))
    before, after = home.json("show", str(path)), home.json("show", str(out))
    assert after["findings"] == before["findings"]
    assert after["trace"]["id"] == before["trace"]["id"] == HEADER["id"]
    home.run("load", str(out))
    done = home.outcome("redact", str(out), "--out", str(again))
    assert done.stderr.decode() == f"acp-trace: nothing to replace; written to {again}\n"
    assert again.read_bytes() == out.read_bytes()


def test_own_rules(home: Home, path: Path, tmp_path: Path) -> None:
    """Beside the built-in ones; one that finds nothing is told too."""
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[rule]]\nname = "texts"\nupdate = "agent_message_chunk"\npath = "/params/update/content/text"\n'
        '[[rule]]\nmethod = "session/new"\npath = "/params/_meta/x"\n'
    )
    found = home.json("redact", str(path), "--dry-run", "--rules", str(rules))["replaced"]
    assert found == [
        {"rule": "texts", "replaced": 1, "secrets": 1},
        {"rule": "/params/_meta/x", "replaced": 0, "secrets": 0},
        {"rule": "env values", "replaced": 1, "secrets": 1},
        {"rule": "home folder", "replaced": 1, "secrets": 1},
    ]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[[rule]]\nmethod = 'm'", "rule 1 has no `path`"),
        (b"\xef\xbb\xbf[[rule]]\r\nmethod = 'm'", "rule 1 has no `path`"),
        (b"[[rule", "is not TOML: Expected ']]' at the end of an array declaration (at end of document)"),
        (b"\xff", "is not UTF-8 (byte 0)"),
        (None, "No such file or directory"),
    ],
)
def test_bad_rules(home: Home, path: Path, tmp_path: Path, content: bytes | None, why: str) -> None:
    """One line with the place, exit code 2, nothing written."""
    rules, out = tmp_path / "rules.toml", tmp_path / "o.jsonl"
    if content is not None:
        rules.write_bytes(content)
    done = home.outcome("redact", str(path), "--out", str(out), "--rules", str(rules))
    assert (done.returncode, done.stderr.decode()) == (2, f"acp-trace: {rules}: {why}\n")
    assert not out.exists()


def test_bad_usage(home: Home, path: Path, tmp_path: Path) -> None:
    """No place to write to; a file or folder that is there; a folder that is not."""
    for options in (
        [],
        ["--out", str(path)],
        ["--out", str(tmp_path)],
        ["--out", str(tmp_path / "no" / "o")],
    ):
        done = home.outcome("redact", str(path), *options)
        assert done.returncode == 2
        assert b"--out" in done.stderr
    assert path.read_bytes() == FILE


@pytest.mark.parametrize("content", [b"", b"nothing\n", b'{"acp_trace":99}\n'])
def test_what_is_no_trace(home: Home, tmp_path: Path, content: bytes) -> None:
    """Exit code 3, nothing written."""
    out = tmp_path / "o.jsonl"
    for name, stdin in ((str(tmp_path / "bad.jsonl"), b""), ("-", content)):
        (tmp_path / "bad.jsonl").write_bytes(content)
        home.run("redact", name, "--out", str(out), stdin=stdin, code=3)
    home.run("redact", str(tmp_path / "missing.jsonl"), "--out", str(out), code=3)
    assert not out.exists()


def test_no_trace_yet(home: Home) -> None:
    """As for every command."""
    home.run("redact", "--dry-run", code=4)


def test_damaged_and_torn_lines_are_left_out(home: Home, tmp_path: Path) -> None:
    """And counted."""
    path, out = tmp_path / "t.jsonl", tmp_path / "o.jsonl"
    path.write_bytes(FILE + b"damaged " + SECRET.encode() + b'\n{"t":9,"log":"' + SECRET.encode())
    done = home.outcome("redact", str(path), "--out", str(out), "--json")
    found = json.loads(done.stdout)
    assert (found["lines_dropped"], found["torn_bytes"]) == (1, len('{"t":9,"log":"') + len(SECRET))
    assert b"acp-trace: 2 frames changed; 2 lines left out, unreadable; written to" in done.stderr
    assert SECRET.encode() not in out.read_bytes()


def test_a_live_trace(home: Home, tmp_path: Path) -> None:
    """As far as it has come."""
    out = tmp_path / "o.jsonl"
    secret = json.dumps(request(0, "session/new", mcpServers=[SERVER])).encode() + b"\n"
    with home.start(agent("for one in lines: say(one)")) as recording:
        recording.say(secret)
        assert recording.hear() == secret
        home.run("redact", "last", "--out", str(out))
        recording.finish()
    assert len(frames_in(out)) == 2
    assert SECRET.encode() not in out.read_bytes()


def test_export_says_what_a_trace_holds(home: Home, path: Path) -> None:
    """On stderr, in one line, for whole exports; from a file and from the store."""
    said = "acp-trace: this trace contains 1 secret (env values) and a home folder: `acp-trace redact` removes that\n"
    assert home.outcome("export", str(path)).stderr.decode() == said
    home.run("load", str(path))
    done = home.outcome("export", "last")
    assert (done.stdout, done.stderr.decode()) == (FILE, said)
    assert home.outcome("export", "last", "--raw", "client").stderr == b""


def test_export_says_nothing_without_a_secret(home: Home) -> None:
    """And nothing of noise."""
    clean = trace(("client", request(1, "session/new", cwd="/w", mcpServers=[]))) + line(t=9, log="x")
    assert home.outcome("export", "-", stdin=clean).stderr == b""
