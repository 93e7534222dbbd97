"""`acp-trace bisect`: the build that changed something, among processes, a registry's versions, or commits."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.builds import small_agent, stage
from tests.builds.stage import version
from tests.support import ACP_TRACE, DEADLINE_S, Home, until

pytestmark = pytest.mark.slow


@pytest.fixture
def recording(tmp_path: Path) -> str:
    """A recording of the good agent."""
    return stage.recording(tmp_path / "one.jsonl")


def bisect(home: Home, *words: str, code: int = 0, **environment: Any) -> Any:
    """The document of a search that ends with this code."""
    done = home.outcome("bisect", words[0], "--json", *words[1:], **environment)
    assert done.returncode == code, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    return json.loads(done.stdout)


def tried(document: Any) -> dict[str, Any]:
    return {each["name"]: each["verdict"] for each in document["tried"]}


def chain(seed: int) -> tuple[list[list[str]], int, set[int]]:
    """Sixteen builds, where the fault begins, and which two do not start. Another one is flaky."""
    chance = random.Random(seed)
    place = chance.randrange(1, 16)
    builds = [["bad"] if at >= place else [] for at in range(16)]
    *mute, flaky = chance.sample([at for at in range(1, 15) if at != place], 3)
    for at in mute:
        builds[at] = ["mute"]
    builds[flaky].append("flaky")
    return builds, place, set(mute)


@pytest.mark.parametrize("seed", [1, 3])  # builds that do not start beside the fault, and elsewhere
def test_a_planted_fault_is_found(home: Home, recording: str, tmp_path: Path, seed: int) -> None:
    """Among processes: at most four builds beyond the ends, without those that are skipped and repeats."""
    builds, place, mute = chain(seed)
    file = stage.builds(tmp_path / "builds.tsv", builds)
    document = bisect(home, recording, "--builds", file, "--times", "12", "--jobs", "3")
    before = place - 1
    while before in mute:
        before -= 1
    assert document["last_good"] == f"1.{before}"
    assert document["candidates"] == [f"1.{at}" for at in range(before + 1, place + 1)]
    assert document["first_bad"] == (f"1.{place}" if before == place - 1 else None)
    judged = [name for name, verdict in tried(document).items() if verdict != "skipped"]
    assert len(judged) <= 2 + 4
    assert {each["name"] for each in document["skipped"]} <= {f"1.{at}" for at in mute}
    assert document["divergence"]["code"] == "stop-reason"


def files(path: Path, *chain_: Sequence[str]) -> list[str]:
    return ["--builds", stage.builds(path / "builds.tsv", chain_)]


def test_the_end_tells_all(home: Home, recording: str, tmp_path: Path) -> None:
    """Who is good and bad, the frames of both sides, and a block for an issue, in which nothing is obeyed."""
    words = files(tmp_path, [], [], ["hostile"], ["hostile", "bad"])
    document = bisect(home, recording, *words, "--match", "content")
    assert (document["acp_trace_bisect"], document["outcome"]) == (1, "found")
    assert (document["last_good"], document["first_bad"]) == ("1.1", "1.2")
    found = document["divergence"]
    assert found["expected"]["number"] == found["actual"]["number"]
    assert "\n``````json\n" in document["report"]
    text = home.run("bisect", recording, *words, "--match", "content")
    assert text.startswith("first bad build: 1.2; last good one: 1.1\n")
    assert "acp-trace bisect" in text
    assert found["actual"]["text"] in text


def test_the_ends_must_be_what_they_are_said_to_be(home: Home, recording: str, tmp_path: Path) -> None:
    """Exit code 2, and why."""
    for builds, why in (
        ([["bad"], ["bad"], ["bad"]], "1.0 is not good"),
        ([[], [], []], "1.2 is not bad"),
        ([["mute"], [], ["bad"]], "the good end of the range, cannot be tried"),
        ([[], [], ["mute"]], "the bad end of the range, cannot be tried"),
    ):
        document = bisect(home, recording, *files(tmp_path, *builds), code=2)
        assert why in document["problem"]
        assert (document["outcome"], document["first_bad"]) == ("wrong-range", None)


def test_a_fix_is_found(home: Home, recording: str, tmp_path: Path) -> None:
    """The first good build after bad ones."""
    words = files(tmp_path, ["bad"], ["bad"], [], [])
    document = bisect(home, recording, *words, "--find-fix")
    assert (document["last_bad"], document["first_good"]) == ("1.1", "1.2")
    assert (document["last_good"], document["first_bad"]) == (None, None)
    assert document["divergence"]["code"] == "stop-reason"
    done = home.outcome("bisect", recording, *words, "--good", "1.3", "--bad", "1.0")
    assert (done.returncode, b"--find-fix finds the first good one" in done.stderr) == (2, True)


def test_only_what_is_looked_for_is_bad(home: Home, recording: str, tmp_path: Path) -> None:
    """A code, or what a command says; what it cannot say is skipped."""
    words = [*files(tmp_path, [], ["unlike"], ["unlike"], ["bad"], ["bad", "unlike"]), "--match", "content"]
    assert bisect(home, recording, *words)["first_bad"] == "1.1"
    assert bisect(home, recording, *words, "--check", "divergence=stop-reason")["first_bad"] == "1.3"
    early = files(tmp_path, [], ["slow"], ["bad"], ["bad"])
    document = bisect(home, recording, *early, "--check", "divergence=stop-reason", "--timeout", "1")
    assert (document["candidates"], document["first_bad"]) == (["1.1", "1.2"], None)
    assert "ended too early" in document["skipped"][0]["why"]
    words = [*files(tmp_path, [], ["unlike"], ["unlike"], ["bad"], ["bad", "unlike"]), "--match", "content"]
    says = ["--check-command", '! grep -q max_tokens "$ACP_TRACE_RUN"']
    assert bisect(home, recording, *words, *says)["first_bad"] == "1.3"
    cannot = [
        "--check-command",
        'grep -q Bye "$ACP_TRACE_RUN" && exit 125; ! grep -q max_tokens "$ACP_TRACE_RUN"',
    ]
    document = bisect(home, recording, *words, *cannot, "--bad", "1.3")
    assert (document["candidates"], document["first_bad"]) == (["1.1", "1.2", "1.3"], None)


def test_versions_of_a_registry(home: Home, recording: str, tmp_path: Path) -> None:
    """Pre-releases in their order if they are asked for; an install script that is missing is named."""
    versions = {
        "1.0.0": version(),
        "1.1.0": version("bad", script=True),
        "1.2.0-rc.1": version("bad"),
        "1.2.0": version("bad"),
        "0.9.0": version("mute"),
    }
    shelf = stage.registry(tmp_path / "registry", versions)
    ends = ["--npm", "small", "--good", "1.0.0", "--bad", "v1.2.0"]
    document = bisect(home, recording, *ends, **shelf)
    assert document["builds"] == ["1.0.0", "1.1.0", "1.2.0"]
    assert document["candidates"] == ["1.1.0", "1.2.0"]
    assert "--install-scripts small permits one" in document["skipped"][0]["why"]
    document = bisect(home, recording, *ends, "--pre", "--install-scripts", "small", **shelf)
    assert (document["first_bad"], document["builds"][2]) == ("1.1.0", "1.2.0-rc.1")
    done = home.outcome("bisect", recording, *ends[:4], "--bad", "1.2.1", **shelf)
    assert (done.returncode, b"the nearest is 1.2.0" in done.stderr) == (2, True)
    done = home.outcome("bisect", recording, *ends[:4], "--bad", "1.0.0", **shelf)
    assert (done.returncode, b"nothing to try" in done.stderr) == (4, True)


def test_installs_beside_a_run_are_not_held_against_it(home: Home, recording: str, tmp_path: Path) -> None:
    """A build that is bad only while others are installed is run again alone, and is good."""
    versions = {
        "1.0.0": version("loaded"),
        "1.1.0": version("loaded", waits=True),
        "1.2.0": version("bad", waits=True),
    }
    shelf = stage.registry(tmp_path / "registry", versions)
    words = [recording, "--npm", "small", "--good", "1.0.0", "--bad", "1.2.0", "--json"]
    done = home.outcome("bisect", *words, **shelf)
    assert done.returncode == 0, done.stderr.decode()
    document = json.loads(done.stdout)
    assert (document["last_good"], document["first_bad"]) == ("1.1.0", "1.2.0")
    assert [each["runs"] for each in document["tried"]] == [1, 1, 1]
    assert b"1.0.0: not good while builds were installed: it will run again, alone" in done.stderr


def test_there_may_be_nothing_to_try(home: Home, recording: str, tmp_path: Path) -> None:
    """Exit code 4 and one line: a file without builds, or with one."""
    chains: list[list[list[str]]] = [[], [[]]]
    for builds in chains:
        done = home.outcome("bisect", recording, *files(tmp_path, *builds))
        assert (done.returncode, done.stderr.count(b"\n")) == (4, 1), done.stderr


def test_no_build_could_be_run(home: Home, recording: str, tmp_path: Path) -> None:
    """Exit code 5."""
    document = bisect(home, recording, *files(tmp_path, ["mute"], ["mute"], ["mute"]), code=5)
    assert document["first_bad"] is None
    versions = {name: version(fails="gone") for name in ("1.0.0", "1.1.0")}
    shelf = stage.registry(tmp_path / "registry", versions)
    ends = ["--npm", "small", "--good", "1.0.0", "--bad", "1.1.0"]
    document = bisect(home, recording, *ends, code=5, **shelf)
    assert "npm cannot install it" in document["problem"]


def test_a_registry_that_goes_away_in_the_middle(home: Home, recording: str, tmp_path: Path) -> None:
    """What was found is kept, no build is skipped for it, and the same command goes on."""
    versions = {f"1.{at}.0": version(*["bad"] * (at > 5)) for at in range(9)}
    shelf = stage.registry(tmp_path / "registry", versions)
    words = [recording, "--npm", "small", "--good", "1.0.0", "--bad", "1.8.0"]
    home.outcome("matrix", recording, "--npm", "small@1.0.0 || 1.8.0", **shelf)
    (tmp_path / "registry" / "away").touch()
    document = bisect(home, *words, code=5, **shelf)
    assert (document["outcome"], document["skipped"]) == ("unfinished", [])
    assert tried(document) == {"1.0.0": "good", "1.8.0": "bad"}
    (tmp_path / "registry" / "away").unlink()
    after = bisect(home, *words, **shelf)
    assert (after["last_good"], after["first_bad"]) == ("1.5.0", "1.6.0")
    assert after["tried"][0]["trace"] == document["tried"][0]["trace"]


def test_ctrl_c_keeps_what_was_found(home: Home, recording: str, tmp_path: Path) -> None:
    """The same command goes on; one that is over begins anew."""
    words = files(tmp_path, [], [], ["slow"], ["bad"], ["bad"])
    argv = [*ACP_TRACE, "bisect", recording, *words]
    started = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home.environment)
    assert started.stderr is not None
    stderr = started.stderr
    until(lambda: b"1.4: bad" in stderr.readline(), "both ends")
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=DEADLINE_S)
    assert (started.returncode, b"to continue from here" in err) == (130, True)
    on = bisect(home, recording, *words, "--timeout", "1")
    assert on["first_bad"] == "1.2"
    done = home.outcome("bisect", recording, *words[:2], "--again", "--timeout", "1", "--jobs", "2")
    assert b"1.0: good" in done.stderr


def test_commits_of_a_repository(home: Home, recording: str, tmp_path: Path) -> None:
    """Each is built in a checkout of its own; one that cannot be built is skipped."""
    repository = tmp_path / "repository"
    repository.mkdir()
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    (repository / "agent.py").write_bytes(Path(small_agent.__file__).read_bytes())
    commits = []
    for number, variant in enumerate(["", "", "broken", "bad", "bad", "bad"]):
        (repository / "variant").write_text(f"{variant}\n{number}\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", str(number)], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True, text=True)
        commits.append(head.stdout.strip()[:12])
    build = "! grep -q broken variant && head -1 variant > built"
    agent = ["sh", "-c", f'exec {sys.executable} -I -S "$0"/agent.py $(cat "$0"/built)', "{build}"]
    words = ["--git", str(repository), "--build-command", build, "--good", "HEAD~5", "--bad", "main"]
    document = bisect(home, recording, *words, "--", *agent)
    assert document["builds"] == commits
    assert document["last_good"] == commits[1]
    assert document["candidates"] == [commits[2], commits[3]]
    assert [each["name"] for each in document["skipped"]] == [commits[2]]
    status = subprocess.run([*git, "status", "--porcelain"], capture_output=True, check=True)
    assert not status.stdout
    done = home.outcome("bisect", recording, *words[:4], "--good", "main", "--bad", "HEAD~5", "--", "x")
    assert (done.returncode, b"is not a commit before" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "no builds were given"),
        (["--npm", "small"], "give both ends"),
        (["--npm", "small", "--git", "."], "cannot be combined"),
        (["--npm", "small@1", "--good", "1.0.0", "--bad", "2.0.0"], "leave out the range"),
        (["--git", ".", "--good", "a", "--bad", "b"], "give the agent's command"),
        (["--git", "nowhere", "--good", "a", "--bad", "b", "--", "x"], "there is no directory"),
        (["--builds", "b.tsv", "--good", "1.9"], "has no build '1.9'"),
        (["--builds", "b.tsv", "--check", "stop-reason"], "is not divergence=CODE"),
        (["--builds", "b.tsv", "--build-command", "make"], "--build-command needs --git"),
    ],
)
def test_what_cannot_be(
    home: Home, recording: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], why: str
) -> None:
    """One line, exit code 2, and nothing is started."""
    monkeypatch.chdir(tmp_path)
    stage.builds(tmp_path / "b.tsv", [[], ["bad"]])
    done = home.outcome("bisect", recording, *words)
    assert done.returncode == 2, done
    assert why in " ".join(done.stderr.decode().split())
    assert not home.spooled()
