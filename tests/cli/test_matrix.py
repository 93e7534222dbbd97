"""`acp-trace matrix`: recordings against builds that are commands, versions of a registry, or clients."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builds import stage
from tests.builds.stage import version
from tests.posix import limit
from tests.support import ACP_TRACE, DEADLINE_S, Home, until

pytestmark = pytest.mark.slow

VERSIONS = {
    "1.0.0": version(),
    "1.1.0": version("mute"),
    "1.2.0": version("bad"),
    "1.3.0-rc.1": version(),
    "1.10.0": version(fails="no such tarball"),
}


@pytest.fixture
def recording(tmp_path: Path) -> str:
    """A recording of the good agent."""
    return stage.recording(tmp_path / "one.jsonl")


@pytest.fixture
def shelf(tmp_path: Path) -> dict[str, Any]:
    """The environment of a registry with a few versions."""
    return stage.registry(tmp_path / "registry", VERSIONS)


def matrix(home: Home, *words: str, **environment: Any) -> tuple[Any, int, str]:
    """What a matrix says: its document, its exit code, standard error."""
    done = home.outcome("matrix", *words[:1], "--json", *words[1:], **environment)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    document = json.loads(done.stdout) if done.stdout else None
    return document, done.returncode, done.stderr.decode()


def verdicts(document: Any) -> dict[str, Any]:
    return {cell["build"]: cell["verdict"] for cell in document["cells"]}


def test_builds_are_commands(home: Home, recording: str, tmp_path: Path) -> None:
    """Each recording against each; a table, a document, JUnit XML and a page say the same."""
    other = stage.recording(tmp_path / "two.jsonl")
    junit, page = tmp_path / "junit.xml", tmp_path / "page.html"
    builds = ["--build", f"old={stage.command()}", "--build", f"<new>={stage.command('bad', 'hostile')}"]
    words = [recording, other, *builds, "--jobs", "2", "--junit", str(junit), "--html", str(page)]
    document, code, _ = matrix(home, *words)
    assert (document["acp_trace_matrix"], document["passed"], code) == (1, False, 1)
    assert [build["name"] for build in document["builds"]] == ["old", "<new>"]
    assert [(cell["verdict"], cell["code"], cell["change"]) for cell in document["cells"]] == [
        ("passed", None, None),
        ("failed", "stop-reason", None),
    ] * 2
    cell = document["cells"][1]
    assert '"max_tokens"' in cell["divergence"]["actual"]["text"]
    assert cell["turn_ns"] > 0
    suites = ET.parse(junit).getroot().findall("testsuite")
    assert [(suite.get("tests"), suite.get("failures")) for suite in suites] == [("2", "1")] * 2
    html = page.read_text("utf-8")
    assert "<new>" not in html
    assert "&lt;new&gt;" in html
    assert "<script" not in html
    table = home.run("matrix", *words[:6], code=1)
    assert "2 passed, 2 FAILED" in table


def test_versions_of_a_registry_stand_in_their_order(
    home: Home, recording: str, shelf: dict[str, Any]
) -> None:
    """One that does not start, and one that cannot be installed, are told apart from one that fails."""
    document, code, _ = matrix(home, recording, "--npm", "small@1.0.0..", "--pre", **shelf)
    assert verdicts(document) == {
        "1.0.0": "passed",
        "1.1.0": "not-started",
        "1.2.0": "failed",
        "1.3.0-rc.1": "passed",
        "1.10.0": "not-installed",
    }
    assert code == 5
    why = {cell["build"]: cell["why"] for cell in document["cells"]}
    assert why["1.1.0"].endswith("Error: this build is broken")
    assert "npm cannot install it" in why["1.10.0"]
    newest, _, _ = matrix(home, recording, "--npm", "small@<1.10.0", "--newest", "2", **shelf)
    assert list(verdicts(newest)) == ["1.1.0", "1.2.0"]


def test_the_same_again_is_known_and_what_is_new_is_marked(
    home: Home, recording: str, shelf: dict[str, Any], tmp_path: Path
) -> None:
    """Published versions are not played again, unless asked for; a version more is new."""
    first, _, _ = matrix(home, recording, "--npm", "small@1.0.0", **shelf)
    known, _, said = matrix(home, recording, "--npm", "small@1.0.0 || 1.2.0", **shelf)
    assert [cell["change"] for cell in known["cells"]] == [None, "new"]
    assert known["cells"][0] == {**first["cells"][0], "change": None}
    assert "2 of 2: 1.2.0" in said
    assert "1.0.0," not in said
    again, _, _ = matrix(home, recording, "--npm", "small@1.0.0", "--again", **shelf)
    assert again["cells"][0]["run_traces"] != first["cells"][0]["run_traces"]
    command = [recording, "--build", f"mine={stage.command()}"]
    matrix(home, *command)
    changed, _, _ = matrix(home, *command[:2], f"mine={stage.command('bad')}")
    assert [cell["change"] for cell in changed["cells"]] == ["changed"]
    assert tmp_path.is_dir()


def test_installs_beside_a_run_are_not_held_against_it(home: Home, recording: str, tmp_path: Path) -> None:
    """A build that differs only while others are installed is played again alone, and passes."""
    versions = {"1.0.0": version("loaded"), "1.1.0": version("bad", waits=True)}
    shelf = stage.registry(tmp_path / "registry", versions)
    done = home.outcome("matrix", recording, "--npm", "small@1.0.0..1.1.0", "--json", **shelf)
    assert done.returncode == 1, done.stderr.decode()
    verdicts = {each["build"]: each["verdict"] for each in json.loads(done.stdout)["cells"]}
    assert verdicts == {"1.0.0": "passed", "1.1.0": "failed"}
    assert b"FAILED while builds were installed: it will run again, alone" in done.stderr


def test_a_flaky_build_has_a_rate(home: Home, recording: str) -> None:
    """It fails some of its runs."""
    build = f"it={stage.command('flaky')}"
    document, code, _ = matrix(home, recording, "--build", build, "--times", "12", "--jobs", "3")
    (cell,) = document["cells"]
    assert (cell["verdict"], cell["runs"], code) == ("flaky", 12, 1)
    assert 0 < cell["passed"] < 12
    assert len(set(cell["run_traces"])) == 12


def test_settings_of_replay_apply(home: Home, recording: str, tmp_path: Path) -> None:
    """Those of the command line, and NAME.replay.toml."""
    build = ["--build", f"new={stage.command('unlike')}"]
    _, code, _ = matrix(home, recording, *build, "--match", "content")
    assert code == 1
    (tmp_path / "one.replay.toml").write_text('match = "outcome"\nagent = ["no-such-agent"]\n')
    _, code, _ = matrix(home, recording, *build)
    assert code == 0


def test_a_registry_that_is_away(home: Home, recording: str, shelf: dict[str, Any], tmp_path: Path) -> None:
    """What is there is played, the rest later; if nothing is known of the package, that is all to say."""
    away = tmp_path / "registry" / "away"
    away.touch()
    document, code, said = matrix(home, recording, "--npm", "small@1.0.0..1.2.0", **shelf)
    assert (document, code) == (None, 5)
    assert "the registry cannot be reached" in said
    away.unlink()
    matrix(home, recording, "--npm", "small@1.0.0", **shelf)
    away.touch()
    document, code, said = matrix(home, recording, "--npm", "small@1.0.0..1.2.0", **shelf)
    assert verdicts(document) == {"1.0.0": "passed", "1.1.0": "not-installed", "1.2.0": "not-installed"}
    assert "the versions listed earlier" in said
    assert code == 5
    away.unlink()
    document, _, _ = matrix(home, recording, "--npm", "small@1.0.0..1.2.0", **shelf)
    assert verdicts(document) == {"1.0.0": "passed", "1.1.0": "not-started", "1.2.0": "failed"}


def test_ctrl_c_keeps_what_was_done(home: Home, recording: str) -> None:
    """The table of what there is, exit code 130, no agent left; the same command goes on."""
    builds = ["--build", f"old={stage.command()}", "--build", f"hangs={stage.command('slow')}"]
    argv = [*ACP_TRACE, "matrix", recording, "--json", *builds]
    started = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home.environment)
    assert started.stderr is not None
    stderr = started.stderr
    until(lambda: b"1 of 2: old" in stderr.readline(), "the first cell")
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=DEADLINE_S)
    assert started.returncode == 130, err
    document = json.loads(out)
    assert (verdicts(document), document["missing"], document["passed"]) == ({"old": "passed"}, 1, False)
    after, _, said = matrix(home, recording, *builds[:2], "--build", f"hangs={stage.command()}")
    assert verdicts(after) == {"old": "passed", "hangs": "passed"}
    assert "old," not in said
    assert after["cells"][0]["run_traces"] == document["cells"][0]["run_traces"]


def test_an_install_that_is_broken_off_is_not_taken_for_one(
    home: Home, recording: str, shelf: dict[str, Any], tmp_path: Path
) -> None:
    """Ctrl-C in the middle of an install; then it is installed anew."""
    (tmp_path / "registry" / "hang").touch()
    argv = [*ACP_TRACE, "matrix", recording, "--json", "--npm", "small@1.0.0"]
    started = subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**home.environment, **shelf}
    )
    until((tmp_path / "registry" / "hanging").exists, "an install")
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=DEADLINE_S)
    assert started.returncode == 130
    assert [path.name for path in (home.path / "builds" / "npm" / "small").iterdir()] == ["1.0.0.lock"]
    (tmp_path / "registry" / "hang").unlink()
    document, code, _ = matrix(home, recording, "--npm", "small@1.0.0", **shelf)
    assert (verdicts(document), code) == ({"1.0.0": "passed"}, 0)


def test_a_full_disk_makes_no_verdict(
    home: Home, recording: str, shelf: dict[str, Any], tmp_path: Path
) -> None:
    """A run that could not be recorded says nothing of its build, and nothing of it is kept."""
    builds = ["--build", f"old={stage.command()}"]
    matrix(home, recording, *builds)
    done = subprocess.run(
        [*ACP_TRACE, "matrix", recording, "--json", *builds, "--build", f"new={stage.command()}"],
        capture_output=True,
        env=home.environment,
        timeout=DEADLINE_S,
        preexec_fn=_small_files(),
        check=False,
    )
    assert done.returncode == 3, done
    assert b"could not be recorded" in done.stderr
    document, code, _ = matrix(home, recording, *builds, "--build", f"new={stage.command()}")
    assert (set(verdicts(document).values()), code) == ({"passed"}, 0)
    (tmp_path / "registry" / "full").touch()
    document, code, said = matrix(home, recording, "--npm", "small@1.0.0", **shelf)
    assert "the disk is full" in said or "cannot be" in said
    assert code == 5


def _small_files() -> Callable[[], None]:
    bound = limit("FSIZE", 600)

    def put() -> None:
        if sys.platform != "win32":
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        bound()

    return put


#: Plays the first COUNT requests to the agent that it is given.
CLIENT = """
import json, os, subprocess, sys
from tests.builds import small_agent
agent = subprocess.Popen(sys.argv[1:] or [os.environ["ACP_TRACE_AGENT"]],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for request in small_agent.requests()[:COUNT]:
    agent.stdin.write(json.dumps(request).encode() + b"\\n")
    agent.stdin.flush()
    while json.loads(agent.stdout.readline()).get("id") != request["id"]:
        pass
agent.stdin.close()
agent.wait()
"""


def test_clients_instead_of_builds(home: Home, recording: str, tmp_path: Path) -> None:
    """Each starts the mock as its agent: by its words, or by the variable."""
    whole, short = tmp_path / "whole.py", tmp_path / "short.py"
    whole.write_text(CLIENT.replace("COUNT", ""))
    short.write_text(CLIENT.replace("COUNT", "2"))
    python = f"{shlex.quote(sys.executable)} -P"
    clients = {
        "words": f"{python} {whole} {{agent}}",
        "variable": f"{python} {whole}",
        "short": f"{python} {short}",
        "none": f"{shlex.quote(sys.executable)} -c pass",
    }
    words = [word for name, command in clients.items() for word in ("--client", f"{name}={command}")]
    repository = str(Path(__file__).resolve().parents[2])
    document, code, _ = matrix(
        home, recording, "--mock", *words, "--jobs", "2", PYTHONPATH=repository, PYTHONSAFEPATH="1"
    )
    assert verdicts(document) == {
        "words": "passed",
        "variable": "passed",
        "short": "failed",
        "none": "not-started",
    }
    assert code == 5
    assert all(cell["run_traces"] for cell in document["cells"][:3])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "no build was given"),
        (["--build", "a=x", "--npm", "small"], "cannot be combined"),
        (["--build", "a=x", "--build", "a=y"], "two builds named"),
        (["--build", "a"], "is not NAME=COMMAND"),
        (["--npm", "../small"], "is not the name of a package"),
        (["--npm", "small@=>1"], "is not a version"),
        (["--build", "a=x", "--bin", "b"], "--bin needs --npm"),
        (["--npm", "small", "--python", "b"], "--python needs --pypi"),
        (["--mock"], "belong together"),
        (["--client", "a=b"], "belong together"),
        (["--mock", "--client", "a=b", "--npm", "small"], "not to builds"),
        (["--mock", "--client", "a=b", "--home", "/tmp"], "--home is not for --mock"),
        (["--build", "a=x", "--times", "0"], "is not a number above 0"),
        (["--build", "a=x", "--model", "recorded"], "does not have the model's side"),
    ],
)
def test_what_cannot_be(
    home: Home, recording: str, shelf: dict[str, Any], words: list[str], why: str
) -> None:
    """One line, exit code 2, and nothing is started."""
    done = home.outcome("matrix", recording, *words, **shelf)
    assert done.returncode == 2, done
    assert why in " ".join(done.stderr.decode().split())
    assert not home.spooled()


def test_there_may_be_nothing_to_try(
    home: Home, recording: str, shelf: dict[str, Any], tmp_path: Path
) -> None:
    """Exit code 4."""
    assert home.outcome("matrix", recording, "--npm", "small@9.x", **shelf).returncode == 4
    assert home.outcome("matrix", recording, "--npm", "other", **shelf).returncode == 4
    (tmp_path / "none").write_text("\ufeff# none, from Windows\r\n")
    assert home.outcome("matrix", recording, "--builds", str(tmp_path / "none")).returncode == 4
    assert os.listdir(tmp_path)
