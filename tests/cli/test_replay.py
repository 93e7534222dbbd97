"""`acp-trace replay` as people and CI use it. The agent plays the same trace, or another."""

from __future__ import annotations

import json
import os
import select
import shlex
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests import playback
from tests.compare.conversation import Edit, base, both, chunk, drop, file, instead, put
from tests.posix import new_terminal
from tests.reading.talk import stop, up
from tests.support import ACP_TRACE, DEADLINE_S, WITHOUT_LOADER, Home

STOP = instead("stop 1", stop(3, "max_tokens"))
NO_TITLE = instead("title", up("session_info_update", updatedAt="2026-11-20T13:05:01Z"))
TEXT = instead("bye", chunk("Finished", messageId="m1"))


def trace(folder: Path, name: str, edit: Edit | None = None) -> str:
    """A trace file of the conversation, or of a changed one."""
    path = folder / name
    named = base()
    path.write_bytes(file(edit(named) if edit else named))
    return str(path)


def mock(path: str) -> list[str]:
    """The command of an agent that plays a trace: `acp-trace mock`."""
    return ["--", *WITHOUT_LOADER, "mock", path, "--quiet"]


def played(path: str) -> list[str]:
    """The same, of one that starts sooner, where only the client is the subject."""
    return ["--", sys.executable, "-I", "-S", playback.__file__, path]


@pytest.fixture
def one(tmp_path: Path) -> str:
    """The recording."""
    return trace(tmp_path, "one.jsonl")


@pytest.fixture
def other(tmp_path: Path) -> str:
    """What another build would do: another stop reason, no title."""
    return trace(tmp_path, "other.jsonl", both(STOP, NO_TITLE))


def _refused(home: Home, *args: str, code: int = 2, **environment: str) -> str:
    done = home.outcome("replay", *args, stdin=b"", **environment)
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (code, b""), said
    assert "Traceback" not in said
    return said


def test_the_same_build_passes(home: Home, one: str) -> None:
    """Exit 0, two lines and the times, nothing left beside the recording."""
    said = home.run("replay", one, *mock(one)).splitlines()
    assert said[0].startswith(f"passed  {one}  15 of 15 steps in ")
    assert "48 frames recorded · 48 compared · 0 values masked · 0 unmatched" in said[1]
    assert [line.split()[:1] for line in said[-3:]] == [["turns"], ["recorded"], ["run"]]
    assert not list(Path(one).parent.glob("*.new"))


def test_another_build_fails(home: Home, one: str, other: str) -> None:
    """Exit 1, the verdict first, each difference by its code, and a command that shows the first."""
    said = home.run("replay", one, *mock(other), code=1, CI="true")
    assert said.startswith(f"FAILED  {one}  15 of 15 steps in ")
    assert " stop-reason" in said
    assert "title-never-set" in said
    command = next(line for line in said.splitlines() if "--around" in line).split()
    assert home.run(*command[1:])
    assert not Path(f"{one}.new").exists(), "in CI nothing is left"


def test_the_live_run_is_a_trace(home: Home, one: str, tmp_path: Path) -> None:
    """In the store, with the recording's id in its header; as a file where that is wanted."""
    saved = tmp_path / "saved.jsonl"
    found = json.loads(home.run("replay", one, "--save", str(saved), "--json", *played(one)))
    (replayed,) = found["replays"]
    assert (found["passed"], replayed["passed"], replayed["died"]) == (True, True, False)
    assert (replayed["steps"], replayed["sent"]) == (15, 15)
    exported = home.run("export", replayed["live_id"])
    assert exported == saved.read_text()
    header = json.loads(exported.splitlines()[0])
    assert (header["origin"], header["replay_of"]) == ("replay", "20261120T130501Z-7f3a9c")
    assert header["id"] == replayed["live_id"]


def test_a_budget(home: Home, one: str) -> None:
    """Holds the live run's numbers; without a sample it is not kept."""
    said = home.run("replay", one, "--budget", "turn.duration max < 60s", *played(one))
    assert "budget turn.duration max < 60s:" in said
    said = home.run("replay", one, "--budget", "cancel.settle max < 1ns", *played(one), code=1)
    assert "over-budget" in said
    assert "acp-trace review" not in said, "it keeps a budget no better for being the recording"
    assert not Path(f"{one}.new").exists()


def test_masks_and_levels(home: Home, one: str, tmp_path: Path) -> None:
    """A text differs at `exact`, and not where a mask hides it."""
    other = trace(tmp_path, "other.jsonl", TEXT)
    home.run("replay", one, *played(other))
    said = home.run("replay", one, "--match", "exact", *played(other), code=1)
    assert "frame-differs" in said
    text = "/params/update/content/text:string"
    said = home.run("replay", one, "--match", "exact", "--mask", text, *played(other))
    assert "values masked" in said
    done = home.outcome("replay", one, "--mask", "/params/nothing", *played(one))
    assert done.returncode == 2
    assert "nothing to hide for --mask /params/nothing" in done.stderr.decode()


def test_settings_beside_the_trace(home: Home, one: str, tmp_path: Path) -> None:
    """The agent too; the command line comes first."""
    other = trace(tmp_path, "other.jsonl", TEXT)
    agent = json.dumps(played(other)[1:])
    beside = tmp_path / "one.replay.toml"
    beside.write_text(f'agent = {agent}\nmatch = "exact"\n')
    assert "frame-differs" in home.run("replay", one, code=1)
    home.run("replay", one, "--match", "semantic")
    beside.write_text('mach = "exact"\n')
    assert "'mach' is not a setting; did you mean match?" in _refused(home, one, *played(one))
    beside.write_text("match = \n")
    assert "one.replay.toml" in _refused(home, one, *played(one))


def test_several(home: Home, one: str, other: str) -> None:
    """In their order, side by side; the worst decides; `--fail-fast` leaves the rest."""
    said = home.run("replay", one, other, "--jobs", "2", *played(one), code=1)
    assert said.index(f"passed  {one}") < said.index(f"FAILED  {other}")
    assert said.splitlines()[-1] == "1 passed, 1 failed"
    said = home.run("replay", other, one, "--fail-fast", *played(one), code=1)
    assert said.splitlines()[-1] == "1 failed, 1 not run"


def test_a_folder(home: Home, one: str, tmp_path: Path) -> None:
    """Is all the traces in it; one without any is told."""
    folder = tmp_path / "traces"
    folder.mkdir()
    assert "contains no trace" in _refused(home, str(folder), *played(one), code=4)
    for name in ("b.jsonl", "a.jsonl", "b.jsonl.new", "notes.txt"):
        (folder / name).write_bytes(Path(one).read_bytes())
    said = home.run("replay", str(folder), "--jobs", "2", *played(one)).splitlines()
    assert [line.split()[1] for line in said if line.startswith("passed")] == [
        str(folder / "a.jsonl"),
        str(folder / "b.jsonl"),
    ]


def test_junit_and_github(home: Home, one: str, other: str, tmp_path: Path) -> None:
    """From the same record: a case for each recording, an annotation for each code; and both as a page."""
    file = tmp_path / "replay.xml"
    page, document = tmp_path / "replay.html", tmp_path / "replay.json"
    said = home.run(
        *("replay", one, "--junit", str(file), "--html", str(page)),
        *("--json-file", str(document), "--github", *played(other)),
        code=1,
    )
    assert "::error" in said
    for part in ("a1/report.json", "b1/frames/0", "b1/diff.json", "b1/alignment.json"):
        assert f'id="part:{part}"' in page.read_text()
    (replay,) = json.loads(document.read_bytes())["replays"]
    assert "stop-reason" in [each["code"] for each in replay["divergences"]]
    (case,) = ET.parse(file).iter("testcase")
    (failure,) = case
    assert failure.get("type") == "stop-reason"
    assert "title-never-set: " in (failure.text or "")


def test_pending_review_and_update(home: Home, one: str, other: str) -> None:
    """A run that differs waits for review; accepted, it is the recording, and passes from then on."""
    said = home.run("replay", one, *played(other), code=1)
    assert "acp-trace review" in said
    folder = str(Path(one).parent)
    listed = home.run("review", folder, code=1)
    assert "stop-reason" in listed
    assert f"left pending: {one}" in listed
    assert "accepted" in home.run("review", one, "--accept")
    assert home.run("review", folder) == "no runs to review\n"
    home.run("replay", one, *played(other))
    home.run("replay", one, *played(trace(Path(folder), "third.jsonl")), code=1)
    home.run("replay", one, *played(other))
    assert not Path(f"{one}.new").exists(), "a run that passes takes it away"
    home.run("replay", one, *played(trace(Path(folder), "third.jsonl")), code=1)
    assert "rejected" in home.run("review", folder, "--reject")
    third = trace(Path(folder), "third.jsonl")
    said = home.run("replay", one, "--update", *played(third))
    assert said.startswith(f"updated  {one}  ")
    assert "stop-reason" in said, "what was accepted is told"
    assert f"updated: {one} is now this run" in said
    budget = ("--budget", "turn.duration max < 1ns")
    said = home.run("replay", one, "--update", *budget, "--json", *played(other), code=1)
    (replayed,) = json.loads(said)["replays"]
    assert (replayed["updated"], replayed["passed"]) == (True, False), "updated, and too slow all the same"
    said = home.run("replay", one, "--update", "--github", *played(third))
    assert ",title=stop-reason::turn" in said
    assert "::notice file=" in said
    assert "::error" not in said
    home.run("replay", one, *played(trace(Path(folder), "third.jsonl")))


def test_a_recording_that_was_changed_meanwhile_is_not_replaced(home: Home, one: str, other: str) -> None:
    """The agent, or its user, may have put another file there while the run was under way."""
    swap = "import os, sys; os.replace(sys.argv[1], sys.argv[2]); os.execv(sys.argv[3], sys.argv[3:])"
    users = Path(one).with_name("users")
    users.write_text("users")
    swaps = [sys.executable, "-c", swap, str(users), one]
    said = home.run("replay", one, "--update", "--", *swaps, *played(other)[1:], code=1)
    assert f"not updated: {one} was changed meanwhile" in said
    assert Path(one).read_text() == "users"


def test_nothing_is_rewritten_in_ci(home: Home, one: str) -> None:
    """Neither by --update nor by review."""
    assert "--update" in _refused(home, one, "--update", *played(one), CI="true")
    done = home.outcome("review", "--accept", CI="true")
    assert done.returncode == 2


def test_explain(home: Home, one: str) -> None:
    """Each step, what it waits for, what is rewritten; without any agent."""
    said = home.run("replay", one, "--explain")
    assert "in the turn of #28: message" in said
    assert "/params/cwd ← /w from the new directory" in said
    assert "session of #4" in said
    (found,) = json.loads(home.run("replay", one, "--explain", "--json"))
    assert found["steps"][-1]["what"] == "end"
    assert len(found["steps"]) == 16


def test_allow(home: Home, one: str, other: str) -> None:
    """In the settings or as an option; what is allowed is told, and what had nothing to allow."""
    settings = Path(one).with_suffix(".replay.toml")
    settings.write_text('allow = ["title-never-set", "metadata-never-set", "noise"]\n')
    said = home.run("replay", one, *played(other), code=1)
    assert "1 divergence\n" in said
    assert "allowed  title-never-set" in said
    said = home.run("replay", one, "--allow", "stop-reason", *played(other))
    assert " allowed, stop-reason: turn 0: stopReason end_turn → max_tokens\n" in said
    assert " allow noise: nothing to allow here\n" in said
    found = json.loads(home.run("replay", one, "--allow", "stop-reason", "--json", *played(other)))[
        "replays"
    ][0]
    assert {row["allowance"]: row["uses"] for row in found["allowances"]}["noise"] == 0
    assert "stop-reason" in [row["allowed"] for row in found["divergences"]]
    settings.write_text('allow = ["nois"]\n')
    assert "did you mean noise?" in _refused(home, one, *played(one))
    settings.unlink()


def _in_turn(tmp_path: Path, *traces: str) -> list[str]:
    """An agent that plays one trace when it is first started, then the next; the last one from then on."""
    count, table = tmp_path / "count", " ".join(traces)
    script = (
        f"n=$(cat {count} 2>/dev/null || echo 0); echo $((n + 1)) > {count}; set -- {table}; "
        f'[ $n -ge $# ] && n=$(($# - 1)); shift $n; exec {shlex.join(played("")[1:-1])} "$1"'
    )
    return ["--", "sh", "-c", script]


def test_a_flaky_agent(home: Home, one: str, other: str, tmp_path: Path) -> None:
    """Tried again, it passes, and is told as flaky; in JSON and JUnit as well. Allowances count in all attempts."""
    xml = tmp_path / "replay.xml"
    agent = _in_turn(tmp_path, other, one)
    options = ["--retries", "2", "--allow", "title-never-set", "--junit", str(xml)]
    lines = home.run("replay", one, *options, *agent).splitlines()
    assert lines[0].startswith(f"passed  {one}")
    assert lines[1] == " flaky: failed, and passed at attempt 2"
    assert lines[2].startswith(" attempt 1, ")
    assert lines[2].endswith(": stop-reason: turn 0: stopReason end_turn → max_tokens")
    assert "nothing to allow" not in "".join(lines)
    assert not Path(f"{one}.new").exists()
    (suite,) = ET.parse(xml).getroot()
    assert (suite.get("failures"), suite.find(".//property[@name='flaky']") is not None) == ("0", True)
    assert "flaky: failed, and passed at attempt 2" in (suite.findtext(".//system-out") or "")
    (tmp_path / "count").unlink()
    (found,) = json.loads(home.run("replay", one, "--retries", "1", "--json", *agent))["replays"]
    assert (found["passed"], found["flaky"], found["alternative"]) == (True, True, None)
    assert [attempt["passed"] for attempt in found["attempts"]] == [False, True]
    assert found["attempts"][0]["codes"] == ["stop-reason", "title-never-set"]
    assert found["attempts"][1]["live_id"] == found["live_id"]


def test_an_agent_that_fails_each_time(home: Home, one: str, other: str) -> None:
    """It is tried as often as was asked for; one that cannot be started is not tried again."""
    said = home.run("replay", one, "--retries", "1", *played(other), code=1, CI="true")
    assert " all 2 attempts failed; below, attempt 2\n attempt 1, " in said
    said = home.run("replay", one, "--retries", "1", "--", "/no/such/agent", code=5)
    assert "attempt" not in said


def test_alternatives(home: Home, one: str, other: str, tmp_path: Path) -> None:
    """It is enough if one passes: the run as it is, or the alternative played anew. In a directory they are one."""
    directory = tmp_path / "traces"
    directory.mkdir()
    for name, trace_ in (("a", one), ("b", other)):
        (directory / f"{name}.jsonl").write_bytes(Path(trace_).read_bytes())
    (directory / "a.replay.toml").write_text('alternatives = ["b.jsonl"]\n')
    said = home.run("replay", str(directory), *played(other)).splitlines()
    assert said[0].startswith(f"passed  {directory / 'a.jsonl'}")
    assert said[1].startswith(" passed as in ")
    assert said[1].endswith("traces/b.jsonl")
    assert "attempt" not in "".join(said), "the run of the first recording is compared with both"
    third = trace(tmp_path, "third.jsonl", instead("stop 1", stop(3, "refusal")))
    assert "flaky" not in home.run("replay", str(directory / "a.jsonl"), *_in_turn(tmp_path, third, other))
    failed = home.run("replay", str(directory / "a.jsonl"), *played(third), code=1, CI="true")
    assert " all 2 attempts failed; below, attempt 1\n attempt 2, " in failed


def test_learn(home: Home, one: str, tmp_path: Path) -> None:
    """What varies gets a mask; what came or went gets none."""
    changed = both(TEXT, drop("usage"))
    other = trace(tmp_path, "other.jsonl", changed)
    said = home.run("replay", one, "--learn", "2", *played(other))
    assert "/params/update/content/text:string" in said
    assert "2 of 2" in said
    (found,) = json.loads(home.run("replay", one, "--learn", "2", "--json", *played(other)))["traces"]
    assert [mask["mask"] for mask in found["masks"]] == ["/params/update/content/text:string"]
    assert {row["code"] for row in found["not_maskable"]} <= {"frame-missing", "update-missing"}
    assert {row["allow"] for row in found["not_maskable"]} == {"update-missing usage_update"}
    assert 'allow = [\n  "update-missing usage_update",\n]' in said
    assert "no mask is needed" in home.run("replay", one, "--learn", "1", *played(one))


@pytest.mark.parametrize(
    ("agent", "seconds", "says"),
    [
        (["/no/such/agent"], "30", "cannot-start"),
        (["sh", "-c", "exit 3"], "30", "agent-gone"),
        (["sh", "-c", "exec sleep 600"], "1", "timeout"),
    ],
)
def test_an_agent_that_is_none(home: Home, one: str, agent: list[str], seconds: str, says: str) -> None:
    """Exit 5, its own code first."""
    said = home.run("replay", one, "--timeout", seconds, "--", *agent, code=5)
    assert f" 1  {says}\n" in said


def test_bad_words(home: Home, one: str, tmp_path: Path) -> None:
    """One clear line each, before any agent is started."""
    assert "has no agent" in _refused(home, one)
    assert "'soon' is not a pace" in _refused(home, one, "--pace", "soon", *played(one))
    assert "seconds above 0" in _refused(home, one, "--timeout", "-1", *played(one))
    assert "unmatched is 'x'" in _refused(home, one, "--unmatched", "x", *played(one))
    assert "there is no directory" in _refused(home, one, "--workspace", "no/such", *played(one))
    assert "--jobs" in _refused(home, one, "--jobs", "0", *played(one))
    assert "--learn" in _refused(home, one, "--learn", "many", *played(one))
    assert "both write to standard output" in _refused(home, one, "--json", "--github", *played(one))
    assert "one TRACE" in _refused(home, one, one, "--save", str(tmp_path / "x"), *played(one))
    _refused(home, str(tmp_path / "none.jsonl"), *played(one), code=3)
    assert "mask: " in _refused(home, one, "--mask", "nothing", *played(one))
    assert "budget: " in _refused(home, one, "--budget", "nothing", *played(one))
    assert "does not have the model's side" in _refused(home, one, "--model", "recorded", *played(one))


@pytest.mark.parametrize("agent", [["python", "-m", "agent"], ["node", "agent.js"]])
def test_an_agent_without_its_dashes(home: Home, one: str, agent: list[str]) -> None:
    """The first mistake that people make; the words alone say nothing of it."""
    assert "put the agent's command after `--`" in _refused(home, one, *agent)


def test_what_is_no_agent_is_never_taken(home: Home, one: str) -> None:
    """`cat` sends back what it is sent: nobody wants that for a recording."""
    before = Path(one).read_bytes()
    said = home.run("replay", one, "--timeout", "5", "--", "cat", code=1)
    assert "acp-trace review" not in said
    said = home.run("replay", one, "--update", "--timeout", "5", "--", "cat", code=1)
    assert "not updated: initialize was not answered" in said
    assert Path(one).read_bytes() == before
    assert not Path(f"{one}.new").exists()


def test_a_reader_that_goes_changes_nothing(home: Home, one: str, other: str) -> None:
    """A failure that nobody reads is one."""
    for agent, code in ((other, 1), (one, 0)):
        words = shlex.join([*ACP_TRACE, "replay", one, *played(agent)])
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", f"{words} | true"],
            env=home.environment,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, b"")


def test_a_saved_run_replaces_no_recording(home: Home, one: str, other: str, tmp_path: Path) -> None:
    """Only what an earlier `--save` wrote; a recording that was named by mistake is still there."""
    before = Path(one).read_bytes()
    assert "an input of this command" in _refused(home, one, "--save", one, *played(one))
    assert "not a run of a replay" in _refused(home, one, "--save", other, *played(one))
    assert Path(one).read_bytes() == before
    saved = tmp_path / "saved.jsonl"
    for _ in range(2):
        home.run("replay", one, "--save", str(saved), *played(one))
    assert saved.read_bytes().count(b'"replay_of"') == 1


def test_a_truncated_recording(home: Home, one: str, tmp_path: Path) -> None:
    """Is played and compared up to its end, and says so."""
    whole = Path(one).read_bytes().splitlines(keepends=True)
    torn = tmp_path / "torn.jsonl"
    for count in (8, 20, 31, len(whole) - 2):
        torn.write_bytes(b"".join(whole[:count]) + b'{"t":5,"fr')
        said = home.run("replay", str(torn), "--timeout", "5", *played(one))
        assert "truncated" in said


def test_a_redacted_recording(home: Home, one: str, tmp_path: Path) -> None:
    """Still replays: equalities are kept."""
    redacted = tmp_path / "redacted.jsonl"
    home.run("redact", one, "--out", str(redacted))
    home.run("replay", str(redacted), *played(one))


def test_watch(home: Home, one: str, other: str, tmp_path: Path) -> None:
    """Replays again when the build changes, and shows the new verdict."""
    build = tmp_path / "build"
    build.mkdir()
    link = build / "agent.jsonl"

    def put(trace: str) -> None:
        """All at once: a replay may be quick enough to see half of it."""
        os.replace(shutil.copy(trace, tmp_path / "new"), link)

    put(one)
    argv = [*ACP_TRACE, "replay", one, "--watch", str(build), *played(str(link))]
    master, slave = new_terminal()
    env = {**home.environment, "CI": "true"}
    process = subprocess.Popen(argv, stdout=slave, stderr=slave, stdin=slave, env=env, start_new_session=True)
    os.close(slave)
    try:
        _until(master, b"watching")
        put(other)
        assert b"stop-reason" in _until(master, b"watching")
        put(one)
        assert b"passed" in _until(master, b"watching")
    finally:
        os.write(master, b"\x03")
        os.kill(process.pid, 2)
        assert process.wait(DEADLINE_S) == 130
        os.close(master)


def test_the_bar_is_gone_before_a_report(home: Home, one: str, other: str) -> None:
    """On a terminal, a report begins on a line of its own."""
    master, slave = new_terminal()
    argv = [*ACP_TRACE, "replay", one, other, *played(one)]
    process = subprocess.Popen(argv, stdout=slave, stderr=slave, stdin=slave, env=home.environment)
    os.close(slave)
    try:
        seen = _until(master, b"1 passed, 1 failed")
        assert process.wait(DEADLINE_S) == 1
    finally:
        os.close(master)
    for word in (b"passed", b"FAILED"):
        left = seen.partition(word)[0].rpartition(b"\x1b[2K")[2]  # what was not erased any more
        assert b"replaying" not in left


def _until(fd: int, word: bytes) -> bytes:
    """What a terminal shows up to a word."""
    seen = b""
    deadline = time.monotonic() + DEADLINE_S
    while word not in seen:
        assert time.monotonic() < deadline, seen
        if select.select([fd], [], [], 1)[0]:
            seen += os.read(fd, 65536)
    return seen


def test_ctrl_c_leaves_nothing_behind(home: Home, one: str, tmp_path: Path) -> None:
    """The agent's group is ended, and the exit code is that of an interrupted command."""
    pid = tmp_path / "pid"
    agent = ["sh", "-c", f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 600"]
    process = subprocess.Popen(
        [*ACP_TRACE, "replay", one, "--", *agent], env=home.environment, stdout=-1, stderr=-1
    )
    deadline = time.monotonic() + DEADLINE_S
    while not pid.exists():
        assert time.monotonic() < deadline
        select.select([], [], [], 0.02)
    process.send_signal(2)
    _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 130
    assert b"Traceback" not in said
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_an_extra_chunk_passes(home: Home, one: str, tmp_path: Path) -> None:
    """One more or less makes no difference."""
    home.run("replay", one, *played(trace(tmp_path, "more.jsonl", put("hello 1", chunk("really ")))))
    home.run("replay", one, *played(trace(tmp_path, "less.jsonl", drop("hello 2"))))
