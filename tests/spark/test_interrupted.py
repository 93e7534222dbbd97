"""Ctrl-C while Spark builds: the command ends at once, and nothing of Spark is left."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.bucket.test_places import SAMPLES, opened, pushed
from tests.spark.conftest import DEADLINE_S
from tests.support import ACP_TRACE, until

pytestmark = [pytest.mark.spark]
#: The JVM may take some seconds; what is left behind stays for ever.
_END_S = 60
_BUILD = ("--engine", "spark", "--master", "local[1]")


def _below(pid: int) -> dict[int, str]:
    """The processes below one, and how they were started."""
    found: dict[int, str] = {}
    for each in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            command = (each / "cmdline").read_text("utf-8", "replace").replace("\0", " ")
        except OSError:
            continue
        if parent == pid:
            found |= {int(each.name): command, **_below(int(each.name))}
    return found


@pytest.mark.parametrize("when", ["SparkSubmit", "pyspark.daemon"])
def test_interrupted(tmp_path: Path, when: str) -> None:
    """Also before Java has answered, when pyspark would leave it behind; nothing is said of it."""
    place = tmp_path / "team"
    pushed(opened(str(place)), SAMPLES)
    argv = [*ACP_TRACE, "lake", "build", str(place), *_BUILD]
    environment = {**os.environ, "ACP_TRACE_HOME": str(tmp_path / "home")}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:

        def begun() -> dict[int, str] | None:
            assert process.poll() is None, process.communicate()
            below = _below(process.pid)
            return below if any(when in command for command in below.values()) else None

        below = until(begun, when, longest_s=DEADLINE_S)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, said) == (130, (b"", b""))
    until(lambda: not any(map(_is_running, below)), "the end of all of them", longest_s=_END_S)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
