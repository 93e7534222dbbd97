"""The commands as people and programs use them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from tests.commands import Commands
from tests.fuzz import screens
from tests.posix import leads_a_terminal
from tests.support import ACP_TRACE, DEADLINE_S, TRACES, Home, agent, analyzed, trace, until


def _some(home: Home, count: int = 3) -> list[str]:
    """A few loaded traces, a day apart; their ids, oldest first."""
    ids = []
    for number in range(1, count + 1):
        ids.append(f"2026110{number}T000000Z-00000{number}")
        file = home.path.parent / f"{number}.jsonl"
        started = f"2026-11-0{number}T00:00:00Z"
        file.write_bytes(
            trace(
                ("client", {"id": 1, "method": "a"}),
                ("agent", {"id": 1, "result": {}}),
                id=ids[-1],
                started_at=started,
            )
        )
        home.run("load", str(file))
    return ids


def test_the_demo_needs_nothing(home: Home) -> None:
    """Two real processes, the real recorder, a report with something of everything; then two replays."""
    shown = home.run("demo")
    assert shown.startswith(" 1  Record a client and its agent\n    This is a demonstration: ")
    assert "error #20 (capability-missing) is deliberate" in " ".join(shown.split())
    same, broken = shown.partition(" 3  ")[2].split(" 4  ")
    assert "\npassed  last  8 of 8 steps in " in same
    assert "\nFAILED  last  8 of 8 steps in " in broken
    assert "\n1 divergence\n" in broken
    assert "\n 1  cancel-outcome\n" in broken
    assert "Demo agent 1.0 ⇄ Demo client 1.0" in shown
    assert '"Write a greeting"' in shown
    for words in ("cancelled", "end_turn", "error -32601", "session/request_permission", "acp-trace frames"):
        assert words in shown
    (row,) = home.json("ls")
    assert (row["state"], row["turns"]) == ("complete", 2)
    assert home.json("demo")["trace"]["complete"] is True


def test_ls(home: Home) -> None:
    """Newest first; limited; empty is no error."""
    assert home.json("ls") == []
    ids = _some(home)
    assert [row["id"] for row in home.json("ls")] == ids[::-1]
    assert [row["id"] for row in home.json("ls", "-n", "1")] == ids[-1:]
    for width in ("80", "140"):
        assert all(len(line) <= int(width) for line in home.run("ls", COLUMNS=width).splitlines())


def test_load_says_what_it_did(home: Home, tmp_path: Path) -> None:
    """New, again, and what cannot be loaded beside what can."""
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"nonsense\n")
    good = TRACES[0]
    assert home.run("load") == "the spool is empty\n"
    done = home.outcome("load", str(good), str(bad))
    assert done.returncode == 3
    assert b"loaded, " in done.stdout
    assert b"bad.jsonl is not a trace" in done.stderr
    assert "already there" in home.run("load", str(good))
    found = home.json("load", str(good))
    assert (found["loaded"][0]["state"], found["failed"]) == ("already there", [])


def test_a_bad_file_in_the_spool_is_named_and_kept(home: Home) -> None:
    """It stops nothing, and is not removed."""
    home.spool.mkdir(parents=True)
    (home.spool / "bad.jsonl").write_bytes(b"nonsense\n")
    os.symlink("/etc/hostname", home.spool / "link.jsonl")
    _some(home, 1)
    done = home.outcome("ls")
    assert done.returncode == 0
    assert done.stderr.decode().startswith(
        "acp-trace: bad.jsonl in the spool cannot be imported: is not a trace"
    )
    assert home.json("where")["waiting"] == ["bad"]


def test_export(home: Home, tmp_path: Path) -> None:
    """To a pipe, to a new file, one direction; never over a file."""
    original = TRACES[0].read_bytes()
    home.run("load", str(TRACES[0]))
    assert home.outcome("export").stdout == original
    out = tmp_path / "out.jsonl"
    assert home.json("export", "--out", str(out))["bytes"] == len(original)
    assert out.read_bytes() == original
    assert out.stat().st_mode & 0o777 == 0o600
    assert b"already exists" in home.outcome("export", "--out", str(out)).stderr
    raw = home.outcome("export", "--raw", "client").stdout
    assert [json.loads(line)["jsonrpc"] for line in raw.splitlines()] == ["2.0"] * len(raw.splitlines())
    assert home.outcome("export", str(out)).stdout == original


def test_export_and_progress_at_a_terminal(home: Home) -> None:
    """Raw traffic is not written to a terminal."""
    home.run("load", str(TRACES[0]))
    child, terminal = leads_a_terminal([*ACP_TRACE, "export"], home.environment)
    said = b""
    while True:
        try:
            said += os.read(terminal, 1000)
        except OSError:
            break
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    assert b"is not written to a terminal" in said


def test_frames(home: Home) -> None:
    """Lines, JSON, JSON lines; the same frames each time; 4 where nothing matches."""
    path = str(TRACES[0])
    lines = home.run("frames", path).splitlines()
    listed = home.json("frames", path)
    assert len(lines) == len(listed)
    assert [json.loads(one) for one in home.run("frames", path, "--jsonl").splitlines()] == listed
    assert home.run("frames", path, "--method", "nothing/*", code=4) == ""
    assert "protocolVersion" in home.run("frames", path, "--full", "--method", "initialize")
    home.run("load", path)
    assert home.json("frames") == listed


def test_query(home: Home) -> None:
    """Table, JSON, CSV; the store, or files alone."""
    ids = _some(home)
    sql = "SELECT trace_id, frames_client AS n FROM traces ORDER BY 1"
    assert home.json("query", sql) == [{"trace_id": one, "n": 1} for one in ids]
    assert home.run("query", sql, "--csv").splitlines() == ["trace_id,n", *(f"{one},1" for one in ids)]
    assert home.run("query", sql).split() == ["trace_id", "n", *(word for one in ids for word in (one, "1"))]
    assert home.json("query", "SELECT count(*) AS n FROM frames", "--trace", str(TRACES[0]))[0]["n"] > 2
    odd = "SELECT 'NaN'::DOUBLE AS a, '\\xFF'::BLOB AS b, 170141183460469231731687303715884105727::HUGEINT AS c, DATE '2026-01-01' AS d"
    assert home.json("query", odd) == [{"a": None, "b": "/w==", "c": 2**127 - 1, "d": "2026-01-01"}]
    described = home.json("query", "--schema")
    assert {"traces", "frames", "latency"} <= {thing["name"] for thing in described}
    assert "the session/prompt" in home.run("query", "--schema")


def test_a_time_with_a_zone(home: Home) -> None:
    """It is printed where DuckDB gives it; 2.0.0 needs a library for that, and then a line says what to do."""
    _some(home)
    sql = "SELECT TIMESTAMPTZ '2026-01-01 00:00:00+00' AS at"
    if duckdb.__version__ == "2.0.0":
        done = home.outcome("query", sql)
        assert (done.returncode, b"a time with a zone cannot be printed: cast it" in done.stderr) == (2, True)
    else:
        (row,) = home.json("query", sql)
        assert datetime.fromisoformat(row["at"]) == datetime(2026, 1, 1, tzinfo=UTC)


def test_rm_and_prune(home: Home) -> None:
    """By id, by age, by number; first as a rehearsal."""
    ids = _some(home)
    assert home.json("rm", ids[0], "--dry-run") == {
        "dry_run": True,
        "removed": [ids[0]],
        "compacted": False,
    }
    assert len(home.json("ls")) == 3
    assert home.run("rm", ids[0], ids[0]) == f"removed {ids[0]}\n"
    assert home.json("prune", "--keep", "1", "--dry-run")["removed"] == [ids[1]]
    assert home.json("prune", "--older-than", "99999w", "--keep", "0")["removed"] == []
    assert home.json("prune", "--older-than", "1m")["removed"] == ids[1:]
    assert home.run("prune", "--keep", "5") == "nothing to remove\n"
    for args in (["prune"], ["prune", "--older-than", "soon"], ["prune", "--keep", "-1"]):
        assert home.outcome(*args).returncode == 2
    with_rows = home.json("query", "SELECT (SELECT count(*) FROM frames) + (SELECT count(*) FROM lines) AS n")
    assert with_rows == [{"n": 0}]


def test_what_where_prints_can_be_copied(home: Home) -> None:
    """No line is folded, however long, and none ends in blanks; what is short fits 80 columns."""
    far = home.path / ("x" * 100)
    printed = home.run("where", ACP_TRACE_HOME=str(far), COLUMNS="80").splitlines()
    assert printed[0] == f"home      {far}"
    assert printed[-1].endswith(" -EP -m acp_trace record --")
    assert [line for line in printed if line != line.rstrip()] == []
    assert max(len(line) for line in printed if str(far) not in line and "recorder" not in line) <= 80


def test_where_names_some_of_many(home: Home, tmp_path: Path) -> None:
    """A spool that nobody loaded for a week is no screen of ids."""
    home.spool.mkdir(parents=True)
    for number in range(5):
        id_ = f"20261120T13050{number}Z-aaaaa{number}"
        (home.spool / f"{id_}.jsonl").write_bytes(trace(("client", {}), id=id_))
    said = home.run("where")
    assert "aaaaa4 and 2 more" in said
    assert "aaaaa0" not in said
    assert len(home.json("where")["waiting"]) == 5


def test_where(home: Home) -> None:
    """Before anything is there, and with a live recorder; the recorder's command works."""
    found = home.json("where")
    assert (found["live"], found["waiting"], found["store"]["bytes"]) == ([], [], 0)
    assert found["recorder"] == f"{sys.executable} -EP -m acp_trace record --"
    assert found["problem"] is found["note"] is None
    assert "is not a directory" in home.run("where", ACP_TRACE_HOME="/etc/passwd/x", COLUMNS="300")
    with home.start(["cat"]) as recording:
        until(home.spooled, "the trace file")
        (path,) = home.spooled()
        assert home.json("where")["live"] == [path.stem]
        told = home.outcome("query", "SELECT count(*) FROM traces").stderr.decode()
        assert told == f"acp-trace: still being recorded, so not in the store yet: {path.stem}\n"
        assert path.stem in home.outcome("rm", "last").stderr.decode()
        recording.finish()
    assert home.json("where")["waiting"] == [path.stem]
    assert str(home.path) in home.run("where")


def test_follow_shows_frames_as_they_come_and_ends_with_the_trace(home: Home) -> None:
    """From the newest live trace; the follower sees a frame while the agent still runs."""
    with home.start(agent("for line in lines: say(line)")) as recording:
        recording.say(b'{"n":1}\n')
        recording.hear()
        argv = [*ACP_TRACE, "follow", "--json"]
        following = subprocess.Popen(
            argv, env=home.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert following.stdout is not None
        assert json.loads(following.stdout.readline())["message"] == {"n": 1}
        following.stdout.readline()
        recording.say(b'{"n":2}\n')
        assert json.loads(following.stdout.readline())["message"] == {"n": 2}
        recording.finish()
        rest = following.stdout.read()
        _, err = following.communicate(timeout=DEADLINE_S)
    assert (len(rest.splitlines()), err, following.returncode) == (1, b"", 0)


def test_follow_ends_when_a_recorder_dies(home: Home) -> None:
    """Nothing changes in the file then; the lock is what tells."""
    with home.start(["cat"]) as recording:
        recording.say(b"{}\n")
        recording.hear()
        following = subprocess.Popen(
            [*ACP_TRACE, "follow", "--all"],
            env=home.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert following.stdout is not None
        following.stdout.readline()
        recording.process.kill()
        _, err = following.communicate(timeout=DEADLINE_S)
    assert (following.returncode, b"its recorder was killed; the trace is incomplete" in err) == (0, True)


def test_follow_with_nothing_live(home: Home) -> None:
    """Says so, or waits; a trace that has ended is shown whole."""
    done = home.outcome("follow")
    assert (done.returncode, b"no trace is live" in done.stderr) == (4, True)
    waiting = subprocess.Popen([*ACP_TRACE, "follow", "--wait"], env=home.environment, stdout=subprocess.PIPE)
    with home.start(["cat"]) as recording:
        recording.say(b'{"hello":1}\n')
        recording.hear()
        assert waiting.stdout is not None
        assert b"cat" in waiting.stdout.readline()  # the head: which trace
        assert b"bad" in waiting.stdout.readline()  # `{"hello":1}` is not JSON-RPC
        recording.finish()
    waiting.communicate(timeout=DEADLINE_S)
    assert waiting.returncode == 0
    told = [line for line in home.run("follow", str(TRACES[0])).splitlines() if "•" not in line]
    assert len(told) == len(home.run("frames", str(TRACES[0])).splitlines()) + 3  # head and closing line


@pytest.mark.parametrize(
    "words",
    ["frames TRACE", "frames TRACE --jsonl", "export TRACE", "query --trace TRACE 'FROM frames' --csv"],
)
def test_output_that_nobody_reads_is_no_error(home: Home, tmp_path: Path, words: str) -> None:
    """`| head -1`, of more than a pipe holds."""
    path = tmp_path / "long.jsonl"
    path.write_bytes(trace(*[("agent", {"method": "x", "params": "y" * 500})] * 1000))
    command = f"{' '.join(ACP_TRACE)} {words.replace('TRACE', str(path))} | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], env=home.environment, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_reports_fit_their_width(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line of the report is wider than the terminal: as the command prints it, and of every trace at hand."""
    for path in TRACES:
        facts, _ = analyzed(path.read_bytes())
        for width in (60, 80, 140):
            report = screens.shown(facts, width, all_=False)
            assert max(map(len, report.splitlines())) <= width, path
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, commands.passes("show", TRACES[0]).splitlines())) <= 60


def test_traces_from_pipes(home: Home) -> None:
    """What can be read only once is read once."""
    data = TRACES[0].read_bytes()
    done = home.outcome("load", "-", stdin=data)
    assert (done.returncode, b"loaded, " in done.stdout) == (0, True)
    sql = "SELECT count(*) AS n FROM traces"
    assert b'"n": 1' in home.outcome("query", "--trace", "-", sql, "--json", stdin=data).stdout
    script = f"{' '.join(ACP_TRACE)} show <(cat {TRACES[0]}) --json"
    done = subprocess.run(["bash", "-c", script], env=home.environment, capture_output=True, check=True)
    assert json.loads(done.stdout)["trace"]["id"] == home.json("ls")[0]["id"]
    assert b"Is a directory" in home.outcome("show", "/etc/").stderr


def test_a_terminal_without_arrows(home: Home) -> None:
    """Another encoding gets replacements, no traceback."""
    for command in ("show", "frames"):
        argv = [sys.executable, "-m", "acp_trace", command, str(TRACES[0])]
        env = {**home.environment, "PYTHONIOENCODING": "ascii"}
        done = subprocess.run(argv, env=env, capture_output=True, check=True)
        assert "?" in done.stdout.decode("ascii")


def test_an_agent_that_fails_shows_at_a_glance(home: Home) -> None:
    """Its code in `ls`, its last words in `show`, its noise flagged."""
    with home.start(
        agent("next(lines); say(b'noise\\n'); os.write(2, b'API key \x1bmissing\\n'); sys.exit(3)")
    ) as recording:
        recording.finish(b'{"id":0,"method":"initialize"}\n')
    assert "exit 3" in home.run("ls", COLUMNS="140")
    assert home.run("ls", COLUMNS="80").rstrip().endswith("×")
    end = {"exit_code": 3, "signal": None, "aborted": None, "by_client": False}
    assert home.json("ls")[0]["end"] == end
    shown = home.run("show")
    assert "API key \\emissing" in shown  # below the finding
    assert "! 1 frame of the agent: not a JSON-RPC message" in shown
    assert "never answered" in shown
