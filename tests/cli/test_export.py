"""`export`, while others change the store."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support import ACP_TRACE, DEADLINE_S, HEADER, Home, full, trace, until


@pytest.mark.slow
def test_a_trace_that_is_removed_while_it_is_exported(home: Home, tmp_path: Path) -> None:
    """Half of it was written when the reader paused: the exit code says that it is not all."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(trace(*[("agent", {"n": n, "pad": "x" * 300}) for n in range(3000)]))
    home.run("load", str(path))
    with subprocess.Popen(
        [*ACP_TRACE, "export", "last"], env=home.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as exporting:
        until(lambda: full(exporting), "a full pipe")
        assert home.run("rm", "last") == f"removed {HEADER['id']}\n"
        out, err = exporting.communicate(timeout=DEADLINE_S)
    assert path.read_bytes().startswith(out)
    assert exporting.returncode == 3
    assert err.decode() == (
        f"acp-trace: {HEADER['id']} was removed or replaced while it was being read: try again\n"
    )
