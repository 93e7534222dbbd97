"""`acp-trace check` as CI uses it: what it ends with, what it writes, what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.checking import CLEAN, noisy
from tests.support import ACP_TRACE, DEADLINE_S, Home


def _refused(home: Home, *args: str) -> str:
    """What a wrong command line is told. No trace is looked at: the one that is named does not exist."""
    done = home.outcome("check", "no/such.jsonl", *args)
    assert (done.returncode, done.stdout) == (2, b""), done.stderr
    return done.stderr.decode()


def test_a_clean_trace_passes(home: Home) -> None:
    """Exit 0, and the first line says so."""
    assert home.run("check", str(CLEAN)).startswith("ok: 1 trace\n")


def test_an_error_fails(home: Home, tmp_path: Path) -> None:
    """Exit 1; the finding, its message and the command that shows it."""
    path = noisy(tmp_path / f"{'x' * 100}.jsonl")
    said = home.run("check", str(path), code=1)
    assert said.startswith("FAILED: 1 error\n")
    assert "not-json" in said
    assert "oops" in said
    assert f"acp-trace frames {path} --around 3" in said


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--fail-on", "never"], 0),
        (["--fail-on", "batch"], 0),
        (["--fail-on", "batch", "--fail-on", "not-json"], 1),
        (["--fail-on", "batch,not-json"], 1),
        (["--fail-on", "note"], 1),
        (["--fail-on", "never", "--budget", "findings.not-json count = 1"], 0),
        (["--fail-on", "never", "--budget", "findings.not-json count = 0"], 1),
        (["--fail-on", "never", "--budget", "latency initialize max <= 2us"], 0),
        (["--fail-on", "never", "--budget", "latency initialize max < 2us"], 1),
        (["--fail-on", "never", "--budget", "turn.duration p95 < 1min"], 1),
        (["--budget", "latency initialize max <= 2us"], 1),
        (["--side", "agent"], 1),
        (["--side", "client"], 0),
        (["--side", "client", "--fail-on", "note"], 0),
        (["--side", "client", "--budget", "latency initialize max < 2us"], 1),
    ],
)
def test_what_fails(home: Home, tmp_path: Path, options: list[str], code: int) -> None:
    """Severities, codes, budgets; an error fails as well where only a budget was given."""
    home.run("check", str(noisy(tmp_path / "x.jsonl")), *options, code=code)


def test_budgets_hold_over_all_traces(home: Home, tmp_path: Path) -> None:
    """The samples of all are one; a trace that is given twice counts once."""
    one, two = noisy(tmp_path / "1.jsonl"), noisy(tmp_path / "2.jsonl", id_="20261120T130502Z-7f3a9d")
    told = json.loads(
        home.run(
            "check", str(one), str(two), str(one), "--json", "--fail-on", "never",
            "--budget", "latency initialize count = 2", "--budget", "latency  initialize count=2",
            "--budget", "latency initialize count = 2",
        )
    )  # fmt: skip
    assert [trace["id"] for trace in told["traces"]] == ["20261120T130501Z-7f3a9c", "20261120T130502Z-7f3a9d"]
    assert [one["budget"] for one in told["budgets"]] == [
        "latency initialize count = 2",
        "latency initialize count=2",
    ]


def test_traces_without_a_frame_are_no_success(home: Home, tmp_path: Path) -> None:
    """Exit 4: a job whose agent was never talked to must not be green. A budget that fails comes first."""
    path = tmp_path / "x.jsonl"
    home.outcome("record", "--out", str(path), "--", "no-such-agent")
    done = home.outcome("check", str(path))
    assert (done.returncode, done.stderr) == (4, b""), "the report says it"
    done_json = home.outcome("check", str(path), "--json")
    assert done_json.stderr == b"acp-trace: nothing was checked: no trace has a frame\n"
    assert done.stdout.startswith(b"nothing was checked: no trace has a frame\n"), "and not with ok"
    assert "no-such-agent  no findings  not started, no frames\n" in done.stdout.decode()
    home.run("check", str(path), str(CLEAN))
    home.run("check", str(path), "--budget", "turn.duration max < 1s", code=1)


def test_last_is_what_is_checked(home: Home, tmp_path: Path) -> None:
    """A trace of the store, named by nothing, by `last` or by its id; 4 where there is none yet."""
    assert b"there is no trace yet" in home.outcome("check").stderr
    home.run("check", code=4)
    home.run("load", str(noisy(tmp_path / "x.jsonl")))
    for names in ([], ["last"], ["7f3a9c"]):
        told = json.loads(home.run("check", *names, "--json", code=1))
        assert told["failed"][0]["trace"] == "20261120T130501Z-7f3a9c"
    found = json.loads(home.run("check", "--sarif", "-", code=1))
    (physical,) = [one["locations"][0]["physicalLocation"] for one in found["runs"][0]["results"]]
    assert physical["artifactLocation"]["uri"] == "20261120T130501Z-7f3a9c.jsonl"
    assert physical["region"]["startLine"] == 5


def test_an_incomplete_trace_is_checked_and_said_to_be(home: Home, tmp_path: Path) -> None:
    """Its findings count like any other's."""
    path = noisy(tmp_path / "x.jsonl", end=False)
    assert "incomplete" in home.run("check", str(path), code=1)
    told = home.json("check", str(path), "--fail-on", "never")
    assert told["traces"][0]["complete"] is False


def test_the_json(home: Home, tmp_path: Path) -> None:
    """What the page says, and nothing else on standard output."""
    told = home.json("check", str(noisy(tmp_path / "x.jsonl")), "--budget", "trace.duration max < 1s", code=1)
    assert set(told) == {"acp_trace_check", "ok", "side", "traces", "budgets", "failed"}
    assert told["ok"] is False
    assert told["budgets"] == [
        {"budget": "trace.duration max < 1s", "ok": True, "value_ns": 9000, "n": 1, "open": 0, "without_times": 0,
         "trace": "20261120T130501Z-7f3a9c", "frame": None},
    ]  # fmt: skip
    assert [(one["code"], one["frame"]) for one in told["failed"]] == [("not-json", 3)]


def test_standard_input(home: Home, tmp_path: Path) -> None:
    """`-` is a trace like any other, but cannot be opened again."""
    data = noisy(tmp_path / "x.jsonl").read_bytes()
    said = home.run("check", "-", stdin=data, code=1)
    assert " standard input" in said
    assert "acp-trace frames" not in said
    home.run("check", "-", "--sarif", "-", "--junit", str(tmp_path / "x.xml"), stdin=data, code=1)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--fail-on", "not-jsn"], "did you mean not-json"),
        (["--fail-on", "never,error"], "never cannot be combined with others"),
        (["--budget", "turn.duration max < 2s", "--budget", "turn.duration p95 < 2"], "expected a unit"),
        (["--junit", "no/such/x.xml"], "there is no directory"),
        (["--sarif", "."], "'.' is not a file"),
        (["--sarif", ""], "'' is not a file"),
        (["--junit", "x", "--sarif", "x"], "x is already used by --junit"),
        (["--junit", "-", "--sarif", "-"], "--junit - and --sarif - both write to standard output"),
        (["--junit", "-", "--json"], "--junit - and --json both write to standard output"),
        (["--sarif", "-", "--github"], "--sarif - and --github both write to standard output"),
        (["--github", "--json"], "--json and --github both write to standard output"),
    ],
)
def test_wrong_words(home: Home, args: list[str], says: str) -> None:
    """Exit 2, before any trace is read."""
    assert says in _refused(home, *args)


def test_a_bad_budget_is_pointed_at(home: Home) -> None:
    """What was expected, the expression, and a caret under the place."""
    said = _refused(home, "--budget", "cancel.settle  p95 <  2h")
    *_, message, source, caret = said.rstrip("\n").split("\n")
    assert message.endswith("expected a unit: one of ns, us, ms, s, min")
    assert source == "    cancel.settle p95 < 2h"
    assert caret == "                         ^"
    assert "\x1b" not in _refused(home, "--budget", "\x1b]0;x\x07 p95 < 2s")


def test_a_trace_that_cannot_be_read(home: Home, tmp_path: Path) -> None:
    """Exit 3 and its name, also beside one that can; nothing is written."""
    (tmp_path / "bad.jsonl").write_bytes(b"nonsense\n")
    out = tmp_path / "check.xml"
    for name, says in (("bad.jsonl", "is not a trace"), ("missing.jsonl", "No such file")):
        done = home.outcome("check", str(CLEAN), str(tmp_path / name), "--junit", str(out))
        assert (done.returncode, done.stdout) == (3, b"")
        assert name.encode() in done.stderr
        assert says.encode() in done.stderr
    assert not out.exists()


@pytest.mark.slow
def test_a_reader_that_goes_changes_nothing(home: Home, tmp_path: Path) -> None:
    """`check | head` ends as `check` would: with `pipefail`, a failure stays one."""
    found = noisy(tmp_path / "x.jsonl")
    runs = [(found, 1, options) for options in ([], ["--json"], ["--github"], ["--junit", "-"])]
    for path, code, options in [*runs, (CLEAN, 0, [])]:
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [*ACP_TRACE, "check", str(path), *options],
            stdout=writing, stderr=subprocess.PIPE, env=home.environment, timeout=DEADLINE_S, check=False,
        )  # fmt: skip
        os.close(writing)
        assert (done.returncode, done.stderr) == (code, b""), options


@pytest.mark.parametrize("width", ["80", "140"])
def test_control_characters_never_reach_the_terminal(home: Home, tmp_path: Path, width: str) -> None:
    """Hostile output of an agent, in every form that goes to a log."""
    path = str(noisy(tmp_path / "x.jsonl", words=("\x1b]0;owned\x07\x9b31m\u202e",)))
    for options in (["--all"], ["--github"], ["--junit", "-"], ["--sarif", "-"]):
        said = home.run("check", path, *options, code=1, COLUMNS=width)
        assert not set(said) & set("\x1b\x07\x9b\u202e\r"), options
