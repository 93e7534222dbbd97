"""`just real`: python tests/real/run.py [--only NAME] [--samples DIR].

Runs every scene twice, directly and through the recorder, and compares. Ends with 1 when something
differs. What cannot be had here (no npm, no registry, no binary for this platform) is skipped.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real import packages, samples
from tests.real.client import Deadline, Fault, drive
from tests.real.proof import misled, noticed
from tests.real.scenes import SCENES, Scene
from tests.real.told import Told

#: For all parts of a scene, without installing.
_SCENE_S = 90
_WIDTHS = (24, 8, 6, 7, 11, 10)


@dataclass(slots=True)
class Result:
    """One line of the table, and what follows it where something is wrong."""

    scene: Scene
    result: str
    faults: list[str] = field(default_factory=list)
    turns: int | None = None
    frames: int | None = None
    end: str = ""
    added_s: float | None = None

    def line(self) -> str:
        """The line of the table."""
        cells = (
            self.scene.name,
            self.result,
            "" if self.turns is None else str(self.turns),
            "" if self.frames is None else str(self.frames),
            self.end,
            "" if self.added_s is None else f"{self.added_s:+.2f} s",
        )
        return _row(cells)


def main(argv: Sequence[str]) -> int:
    """The script: 0 when all is the same, or was skipped; 1 when something differs."""
    parser = argparse.ArgumentParser(
        description="Drive real agents with a real client, with and without the recorder, and compare.",
        epilog="scenes: " + "; ".join(f"{scene.name}: {scene.what}" for scene in SCENES),
    )
    parser.add_argument("--only", metavar="NAME", choices=[scene.name for scene in SCENES], help="one scene")
    parser.add_argument("--samples", metavar="DIR", type=Path, help="write the traces there")
    asked = parser.parse_args(argv)
    if sys.platform == "win32":
        print("skipped: named pipes and process groups are needed, which Windows has not")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that all is cleaned up
    scenes = [scene for scene in SCENES if asked.only in (None, scene.name)]
    _install(scenes)
    print(_row(("scene", "result", "turns", "frames", "agent ended", "added")))
    faulty = False
    for scene in scenes:
        result = _play(scene, asked.samples)
        print(result.line(), flush=True)
        for fault in result.faults:
            print(f"  {fault}", flush=True)
        faulty = faulty or result.result == "DIFFERS"
    print("added: the client's whole time with the recorder less that without it, one run each")
    print("kept: the recorder was killed; what the client had seen is in the trace")
    return int(faulty)


def _install(scenes: Sequence[Scene]) -> None:
    """Before time counts. What is missing is remembered, and said where it is needed."""
    client = [lambda: packages.npm(*packages.NODE), lambda: packages.npm(*packages.ACPX)]
    for install in (*client, *(scene.agent.install for scene in scenes)):
        with suppress(packages.OutOfReach):
            install()


def _play(scene: Scene, sample_folder: Path | None) -> Result:
    """One scene, in a folder of its own under a name that may stand in a trace."""
    neutral = Path("/tmp").resolve()
    with tempfile.TemporaryDirectory(prefix="acp-demo-", dir=neutral, ignore_cleanup_errors=True) as folder:
        try:
            return _prove(scene, Path(folder), sample_folder)
        except packages.OutOfReach as why:
            return Result(scene, "skipped", [f"skipped: {why}"])
        except Fault as fault:
            return Result(scene, "DIFFERS", [str(fault)])
        except subprocess.TimeoutExpired as late:
            return Result(scene, "DIFFERS", [f"{' '.join(map(str, late.cmd))} took too long"])


def _prove(scene: Scene, folder: Path, sample_folder: Path | None) -> Result:
    deadline = Deadline(_SCENE_S)
    direct = None if scene.kill_at else drive(scene, folder / "direct", deadline, recorded=False)
    recorded = drive(scene, folder / "recorded", deadline, recorded=True)
    faults = noticed(direct, recorded) if direct else []
    try:
        told = Told(recorded, deadline)
    except Fault as fault:
        return Result(scene, "DIFFERS", [*faults, str(fault)])
    faults += misled(scene, recorded, told)
    if sample_folder is not None and not faults:
        faults = samples.write(sample_folder, scene.name, told.file)
    end = told.report["trace"]["end"]
    return Result(
        scene,
        "DIFFERS" if faults else "same" if direct else "kept",
        faults,
        sum(len(session["turns"]) for session in told.report["sessions"]),
        len(told.frames),
        "" if end is None else f"signal {end['signal']}" if end["signal"] else f"exit {end['exit_code']}",
        recorded.took_s - direct.took_s if direct else None,
    )


def _row(cells: Sequence[str]) -> str:
    return " ".join(map(str.ljust, cells, _WIDTHS)).rstrip()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
