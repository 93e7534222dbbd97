"""What the analysis costs: frames a second, beside decoding the same lines and doing nothing with them."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from tests.bench.storing import prepared
from tests.bench.timing import Row, compared, rounds

#: Scripts with the trace file as argument. They print how many seconds the work took, and the lines.
_ANALYSE = """
import sys, time
from acp_trace.analyze.analyzer import Analyzer
from acp_trace.trace.parse import Parser
since = time.perf_counter()
parser, analyzer = Parser(), Analyzer()
with open(sys.argv[1], "rb") as stream:
    while block := stream.read(1 << 20):
        for entry in parser.entries(block):
            analyzer.feed(entry)
parser.finish()
trace = analyzer.facts().trace
print(time.perf_counter() - since, trace.frames_client + trace.frames_agent)
"""
_DECODE = """
import sys, time
DECODER
since = time.perf_counter()
lines = 0
with open(sys.argv[1], "rb") as stream:
    for line in stream:
        decode(line)
        lines += 1
print(time.perf_counter() - since, lines - 2)  # the header and the footer are lines, too
"""
_MSGSPEC = _DECODE.replace("DECODER", "import msgspec; decode = msgspec.json.Decoder().decode")
_STANDARD = _DECODE.replace("DECODER", "import json; decode = json.loads")


def _seconds(script: str, trace: Path, frames: int) -> float:
    argv = [sys.executable, "-I", "-c", script, str(trace)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=100, check=True)
    seconds, count = done.stdout.split()
    if int(count) != frames:
        raise RuntimeError(f"{int(count)} of {frames} frames were read")
    return float(seconds)


def analyse(folder: Path, *, quick: bool) -> list[Row]:
    """Every frame of a trace through the reader and the analyser, and all facts at the end."""
    _, trace, frames = prepared(folder, quick=quick)
    ways = {
        "msgspec": partial(_seconds, _MSGSPEC, trace, frames),
        "standard": partial(_seconds, _STANDARD, trace, frames),
        "ours": partial(_seconds, _ANALYSE, trace, frames),
    }
    runs = rounds(5 if quick else 3, ways)
    what = f"analyse {frames:,} frames"
    fastest = min(run["ours"] for run in runs)
    return [
        Row("frames analysed a second (fastest run)", "", frames / fastest),
        compared(what, "s", [(run["ours"], run["msgspec"]) for run in runs], "msgspec, decoding only"),
        compared(what, "s", [(run["ours"], run["standard"]) for run in runs], "json, decoding only"),
    ]
