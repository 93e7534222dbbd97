"""`python tests/real/hermetic_sample.py DIR`: records sample_traces/gemini-model.jsonl anew, into DIR.

gemini-cli with nothing in its home, at its provider's own address, and with its model's side. Nothing of this
machine is in it: the run has directories of its own below the one for temporary files.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real import builds, chores, samples, stage
from tests.real.model import AS_RECORDED, Model
from tests.real.providers import KEY, MAPPED
from tests.support import ACP_TRACE, PYTHON

NAME = "gemini-model"
_RUN_S = 120


def main(directory: str) -> int:
    """The script: 0 if the sample was written."""
    os.environ["PATH"] = f"{builds.node_programs()}{os.pathsep}{os.environ['PATH']}"
    line = next(line for line in builds.LINES if line.name == "gemini-cli")
    modules = Path(line.install(line.versions[0])[0]).parents[1]
    with tempfile.TemporaryDirectory(prefix="acp-demo-") as made, Model(AS_RECORDED) as model:
        place = Path(made)
        project = place / "project"
        for path in (place / "home", place / "bin", project):
            path.mkdir()
        (place / "bin" / "node").symlink_to(stage.node())
        # A copy, because it tells its model where it is installed.
        shutil.copytree(modules, place / "node_modules", symlinks=True, copy_function=os.link)
        environment = {
            "PATH": f"{place / 'bin'}{os.pathsep}{os.defpath}",
            "HOME": str(place / "home"),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "ACP_TRACE_HOME": str(place / "traces"),
            "GEMINI_API_KEY": KEY,
            "ACP_TRACE_MODEL_MAP": " ".join(f"{host}={model.url}" for host in MAPPED),
        }
        written = place / f"{NAME}.jsonl"
        gemini = place / "node_modules" / ".bin" / "gemini"
        label = ["--label", f"scene={NAME}"]
        recorder = [
            *ACP_TRACE,
            "record",
            "--model",
            *label,
            "--out",
            str(written),
            "--",
            str(gemini),
            "--acp",
        ]
        options = json.dumps({"authenticate": "gemini-api-key", "short": True})
        client = [*PYTHON, chores.__file__, str(project), str(project), options]
        subprocess.run([*client, *recorder], env=environment, cwd=place, timeout=_RUN_S, check=False)
        faults = samples.write(Path(directory), NAME, written.read_bytes())
    for fault in faults:
        print(fault)
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
