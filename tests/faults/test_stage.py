"""What a stage of the fault scenarios ends, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.faults.stage import Notes, Stage, kill, over
from tests.support import until


def test_a_process_with_the_number_of_a_former_agent_is_left_alone(tmp_path: Path) -> None:
    """Numbers of processes are given again; the agent itself is known by the file that it writes."""
    with Stage(tmp_path / "stage") as stage:
        notes = stage.notes("agent")
        stage._agents.append(notes)
        waits = [sys.executable, "-c", "import sys; sys.stdin.read()"]
        with subprocess.Popen(waits, stdin=subprocess.PIPE) as other:
            notes.said_file.write_text(f"{other.pid:020}")
            assert not notes.is_of(other.pid)
            stage.__exit__()
            assert not over(other.pid, 0)


def test_the_agent_that_stays_is_ended(tmp_path: Path) -> None:
    """It has the file in its words."""
    notes = Notes(tmp_path / "saw", tmp_path / "said")
    waits = [sys.executable, "-c", "import sys; sys.stdin.read()", str(notes.said_file)]
    with Stage(tmp_path / "stage") as stage:
        stage._agents.append(notes)
        with subprocess.Popen(waits, stdin=subprocess.PIPE) as agent:
            try:
                notes.said_file.write_text(f"{agent.pid:020}")
                until(lambda: notes.is_of(agent.pid), "the agent's words, which /proc has a moment later")
                stage.__exit__()
                assert over(agent.pid, 10)
            finally:
                kill(agent.pid)
