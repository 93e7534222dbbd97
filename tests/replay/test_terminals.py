"""docs/replay.md, What is answered: commands that a run really runs, and what they cannot do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.drive import confined
from acp_trace.replay.drive.terminals import Terminals, _Terminal
from acp_trace.replay.incidents import Incident
from tests.faults.stage import over
from tests.support import DEADLINE_S


class Run:
    """A run's directory, and one beside it that nothing may touch."""

    def __init__(self, path: Path) -> None:
        self.directory, self.beside = path / "run", path / "beside"
        for each in (self.directory, self.beside, path / "home", path / "tmp"):
            each.mkdir()
        environment = {**os.environ, "PWD": "/elsewhere"}
        self._terminals = Terminals(
            [str(self.directory)], environment, str(path / "home"), str(path / "tmp"), {}, str
        )

    def serve(self, method: str, **params: Any) -> Any:
        return self._terminals.serve(method, {"sessionId": "s", **params})

    def start(self, command: str, *args: str, **params: Any) -> str:
        """A command, started: the id of its terminal."""
        made = self.serve("terminal/create", command=command, args=list(args), **params)
        id_: str = made["terminalId"]
        return id_

    def end_of(self, terminal: str) -> Any:
        later, deadline = (
            self.serve("terminal/wait_for_exit", terminalId=terminal),
            time.monotonic() + DEADLINE_S,
        )
        while (found := later()) is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        return found

    def run(self, command: str, *args: str, **params: Any) -> tuple[str, Any]:
        """A command, run to its end: what it printed, and how it ended."""
        terminal = self.start(command, *args, **params)
        status = self.end_of(terminal)
        output = self.serve("terminal/output", terminalId=terminal)
        assert output["exitStatus"] == status
        return output["output"], status["exitCode"]

    def finish(self) -> list[Incident]:
        return self._terminals.finish()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    made = Run(tmp_path)
    yield made
    made.finish()


def test_a_command_runs_in_the_directory_of_the_run(run: Run) -> None:
    """As words, or as a line for the shell; what it was and how it ended is told."""
    assert run.run("touch made.txt; pwd; echo $PWD; exit 3") == (f"{run.directory}\n" * 2, 3)
    assert run.run("echo", "a b", "$HOME") == ("a b $HOME\n", 0)
    (run.directory / "in").mkdir()
    printed, _ = run.run(
        "echo $A; ls ..", cwd=str(run.directory / "in"), env=[{"name": "A", "value": "x"}, 3, {"name": 3}]
    )
    assert printed == "x\nin\nmade.txt\n"
    assert run.run("no-such-command", "x")[1] == 127
    assert [note.message for note in run.finish()] == [
        "the replay ran `touch made.txt; pwd; echo $PWD; exit 3`: exit code 3",
        "the replay ran `echo 'a b' '$HOME'`: exit code 0",
        "the replay ran `echo $A; ls ..` in in: exit code 0",
        "the replay ran `no-such-command x`: exit code 127",
    ]


@pytest.mark.skipif(not confined.version(), reason="this system has no Landlock")
def test_nothing_outside_is_touched(run: Run, tmp_path: Path) -> None:
    """Neither by name nor through a link; it has a home and a directory for temporary files of its own."""
    (run.directory / "link").symlink_to(run.beside)
    (run.beside / "file").write_text("mine")
    run.run(
        f"echo x > {run.beside}/file; rm {run.beside}/file; touch link/made; mv {run.beside} {run.directory}/x; echo >/dev/null"
    )
    assert [(path.name, path.read_text()) for path in run.beside.iterdir()] == [("file", "mine")]
    printed, _ = run.run("touch ~/a && touch $TMPDIR/b && echo $HOME")
    assert printed == f"{tmp_path}/home\n"


@pytest.mark.skipif(not confined.version(), reason="this system has no Landlock")
def test_variables_that_a_loader_obeys(run: Run) -> None:
    """They reach the command, which is confined, and not the program that confines it."""
    asked = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": f"{run.beside}/log", "A": "x"}
    printed, _ = run.run("echo $A", env=[{"name": name, "value": value} for name, value in asked.items()])
    assert printed.splitlines()[-1] == "x"
    assert list(run.beside.iterdir()) == []


@pytest.mark.parametrize("cwd", ["/", "/no/such", "relative", 3, "/\0", "{beside}", "{run}/link"])
def test_no_terminal_elsewhere(run: Run, cwd: Any) -> None:
    """Nor one without a command."""
    (run.directory / "link").symlink_to(run.beside)
    named = cwd.format(beside=run.beside, run=run.directory) if isinstance(cwd, str) else cwd
    assert run.serve("terminal/create", command="ls", cwd=named) is None
    for command, args in ((3, []), ("", []), ("ls", [3]), ("ls", "x"), (None, [])):
        assert run.serve("terminal/create", command=command, args=args) is None
    assert run.serve("terminal/output", terminalId="other") is None
    assert run.finish() == []


def test_each_session_has_its_directory(tmp_path: Path) -> None:
    """If no directory is named."""
    for name in "abht":
        (tmp_path / name).mkdir()
    a, b, home, tmp = (str(tmp_path / name) for name in "abht")
    terminals = Terminals([a, b], dict(os.environ), home, tmp, {"S": a, "T": b}, str.upper)
    for session, directory in (("t", b), ("s", a), ("unknown", a)):
        answer = terminals.serve("terminal/create", {"sessionId": session, "command": "pwd"})
        assert isinstance(answer, dict)
        later = terminals.serve("terminal/wait_for_exit", answer)
        deadline = time.monotonic() + DEADLINE_S
        while callable(later) and later() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        output = terminals.serve("terminal/output", answer)
        assert isinstance(output, dict)
        assert output["output"] == f"{directory}\n"
    terminals.finish()


def test_output_is_cut_to_its_end(run: Run) -> None:
    """At a character, not in the middle of one."""
    terminal = run.start("printf 'aäää'", outputByteLimit=5)
    run.end_of(terminal)
    assert run.serve("terminal/output", terminalId=terminal) == {
        "output": "ää", "truncated": True, "exitStatus": {"exitCode": 0, "signal": None}
    }  # fmt: skip


def test_output_of_a_command_that_ends_meanwhile_is_whole(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may end at any moment of the request: an exit status comes with all that was printed."""
    plain = _Terminal.exit

    def end(terminal: _Terminal) -> dict[str, Any] | None:
        (run.directory / "go").touch()
        terminal._process.wait(DEADLINE_S)
        terminal._reader.join(DEADLINE_S)
        return plain(terminal)

    terminal = run.start("while [ ! -f go ]; do sleep 0.01; done; echo last words")
    monkeypatch.setattr(_Terminal, "exit", end)
    assert run.serve("terminal/output", terminalId=terminal) == {
        "output": "last words\n", "truncated": False, "exitStatus": {"exitCode": 0, "signal": None}
    }  # fmt: skip


def test_it_is_ended_when_it_is_killed_or_released(run: Run) -> None:
    """A released one is not known any more."""
    killed, released = run.start("sleep", "600"), run.start("sleep", "601")
    assert run.serve("terminal/wait_for_exit", terminalId=killed)() is None
    assert "exitStatus" not in run.serve("terminal/output", terminalId=killed)
    assert run.serve("terminal/kill", terminalId=killed) == {}
    assert run.end_of(killed) == {"exitCode": None, "signal": "SIGKILL"}
    assert run.serve("terminal/release", terminalId=released) == {}
    assert run.serve("terminal/output", terminalId=released) is None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is found")
def test_nothing_is_left_behind(run: Run) -> None:
    """Not even what left the group, and let go of the output."""
    number = run.directory / "number"
    run.run("setsid sh -c 'echo $$ > number.new; mv number.new number; exec sleep 600' >/dev/null 2>&1 & "
            "while [ ! -f number ]; do sleep 0.01; done")  # fmt: skip
    still = run.start("sleep", "600")
    notes = [note.message for note in run.finish()]
    assert notes[1] == "the replay ran `sleep 600`: it was still running, and was ended"
    assert run.end_of(still)["signal"] == "SIGKILL"
    assert over(int(number.read_text()))


@pytest.mark.skipif(not confined.version(), reason="this system has no Landlock")
def test_the_words_of_the_program(tmp_path: Path) -> None:
    """A directory that is not there confines nothing: the command is not run."""
    argv = [
        sys.executable,
        "-IS",
        confined.__file__,
        str(tmp_path / "gone"),
        "--",
        "touch",
        str(tmp_path / "made"),
    ]
    assert subprocess.run(argv, capture_output=True, check=False).returncode == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not confined.version(), reason="this system has no Landlock")
def test_a_directory_that_became_a_link_is_not_opened_to_commands(tmp_path: Path) -> None:
    """An agent may put a link to a directory of the user's in the place of the run's second one."""
    names = ("one", "two", "home", "tmp", "users")
    one, two, home, tmp, users = (tmp_path / name for name in names)
    for each in (one, two, home, tmp, users):
        each.mkdir()
    terminals = Terminals([str(one), str(two)], dict(os.environ), str(home), str(tmp), {None: str(one)}, str)
    two.rmdir()
    two.symlink_to(users)
    asked = {"sessionId": "s", "command": f"touch {users}/made", "cwd": str(one)}
    assert terminals.serve("terminal/create", asked) is None
    assert terminals.finish() == []
    assert list(users.iterdir()) == []
