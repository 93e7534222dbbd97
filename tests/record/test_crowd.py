"""Many recorders at once with one `--out`: an editor that starts all its agents."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support import ACP_TRACE, DEADLINE_S, Home, entries_in, frames_in


def test_a_crowd_of_recorders_with_one_name(home: Home, tmp_path: Path) -> None:
    """All end at once: each trace is there once, as lines, under the name or a number of its own."""
    crowd, out = 40, tmp_path / "crowd" / "t.jsonl"
    out.parent.mkdir()
    argv = [*ACP_TRACE, "record", "--no-load", "--out", str(out), "--", "cat"]
    running = [
        subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home.environment
        )
        for _ in range(crowd)
    ]
    for number, process in enumerate(running):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"n":%d}\n' % number)
        process.stdin.flush()
        assert process.stdout.readline() == b'{"n":%d}\n' % number
    for process in running:
        assert process.stdin is not None
        process.stdin.close()
    for process in running:
        assert process.stderr is not None
        assert (process.stderr.read(), process.wait(DEADLINE_S)) == (b"", 0)
        assert process.stdout is not None
        process.stdout.close()
        process.stderr.close()
    files = sorted(out.parent.iterdir())
    assert sorted(one.name for one in files) == sorted(
        ["t.jsonl", *(f"t.{n}.jsonl" for n in range(1, crowd))]
    )
    assert all(one.read_bytes().startswith(b'{"acp_trace":1,') for one in files)
    assert sorted(frames_in(one)[0]["frame"]["n"] for one in files) == list(range(crowd))
    assert {entries_in(one)[-1]["end"]["exit_code"] for one in files} == {0}
