"""The database without what was removed: nothing of it left, nothing else lost."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from acp_trace.store import export, schema
from acp_trace.store.compact import NotCompacted, compact
from acp_trace.store.connect import reading, writing
from acp_trace.store.interruptible import InterruptibleConnection
from acp_trace.store.remove import remove
from acp_trace.store.sweep import sweep
from acp_trace.trace.home import Home as Folder
from tests.commands import Commands
from tests.support import DEADLINE_S, KILLED, PYTHON, Home, trace

_SECRET = b"SECRET-0123456789abcdef"


def _file(name: str) -> bytes:
    """A trace whose text no compression makes unreadable: each frame has something new around the secret."""
    frames = [
        {"n": n, "text": f"{_SECRET.decode()} {name} {sha256(f'{name}{n}'.encode()).hexdigest()}"}
        for n in range(300)
    ]
    return trace(*(("agent", frame) for frame in frames), id=name)


def _loaded(home: Home, *names: str) -> None:
    home.spool.mkdir(parents=True, exist_ok=True)
    for name in names:
        (home.spool / f"{name}.jsonl").write_bytes(_file(name))
    assert not sweep(Folder(home.path)).failed


def _copies(home: Home, name: str) -> int:
    """How often the text of a trace can be read in any file of the home."""
    text = _SECRET + b" " + name.encode()
    return sum(path.read_bytes().count(text) for path in home.path.rglob("*") if path.is_file())


def _exported(home: Home, name: str) -> bytes:
    return b"".join(export.file(partial(reading, home.store), name))


def test_nothing_of_a_removed_trace_is_left_and_all_of_the_others(home: Home) -> None:
    """Not in the database, nor its log, nor any other file; comments, views and the order of rows stay."""
    _loaded(home, "keep1", "gone", "keep2")
    described = "SELECT * FROM (FROM duckdb_columns() SELECT table_name, column_name, data_type, comment ORDER BY ALL)"
    with reading(home.store) as connection:
        before = connection.execute(described).fetchall()
    remove(home.store, ["gone"])
    assert _copies(home, "gone") > 0  # else this test says nothing
    spilled = Path(f"{home.store}.tmp")
    spilled.mkdir()
    (spilled / "duckdb_temp_block-1.block").write_bytes(_SECRET + b" gone")
    done = compact(home.store)
    assert _copies(home, "gone") == 0
    assert done.after_bytes == home.store.stat().st_size <= done.before_bytes
    assert [_exported(home, name) for name in ("keep1", "keep2")] == [_file("keep1"), _file("keep2")]
    with reading(home.store) as connection:
        assert connection.execute(described).fetchall() == before
        assert connection.execute("SELECT count(*) FROM latency").fetchone() == (0,)
    assert home.store.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in home.path.iterdir()) == ["spool", home.store.name]


def test_rm_and_prune_leave_no_text(commands: Commands) -> None:
    """By default; else they say that it stays, until when."""
    home = commands.home
    _loaded(home, "a", "b", "c", "d", "e")
    said = commands("rm", "b", "--no-compact")
    assert (said.out, said.code) == ("removed b\n", 0)
    assert said.err == (
        "acp-trace: the removed text can still be read in the store's file, until you run `acp-trace rm --compact`\n"
    )
    assert _copies(home, "b") > 0
    assert commands.passes("prune", "--compact").startswith("the store now takes ")
    assert _copies(home, "b") == 0
    assert commands.json("rm", "c") == {"dry_run": False, "removed": ["c"], "compacted": True}
    assert _copies(home, "c") == 0
    assert commands.json("prune", "--keep", "1", "--no-compact")["compacted"] is False
    assert _copies(home, "a") > 0
    assert commands.json("prune", "--keep", "1") == {"dry_run": False, "removed": [], "compacted": False}
    assert commands.json("prune", "--keep", "1", "--compact", "--dry-run")["compacted"] is False
    assert _copies(home, "a") > 0
    assert commands.json("prune", "--keep", "1", "--compact")["compacted"] is True
    assert [_copies(home, name) for name in "abcd"] == [0, 0, 0, 0]
    assert _exported(home, "e") == _file("e")
    assert commands("prune").code == 2


def test_a_disk_without_room_is_told(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows go all the same; the line says that the text is still there, and what to do."""
    home = commands.home
    _loaded(home, "a", "b", "c")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**6))
    said = commands("rm", "b")
    assert (said.out, said.code) == ("removed b\n", 3)
    assert said.err.startswith("acp-trace: the disk has no room for a copy of ")
    assert said.err.endswith(
        "can still be read in the store's file, until you run `acp-trace rm --compact`\n"
    )
    assert said.err.count("\n") == 1
    assert commands("show", "b").code == 3
    assert commands("prune", "--compact").code == 3
    assert _exported(home, "a") == _file("a")
    assert sorted(path.name for path in home.path.iterdir()) == ["spool", home.store.name]


def test_a_log_that_somebody_left_is_taken_in_first(home: Home) -> None:
    """What stands in it is kept, and the log is gone."""
    _loaded(home, "a")
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom acp_trace.store.connect import writing\n"
        "with writing(Path(sys.argv[1])) as connection:\n"
        "    connection.execute(\"INSERT INTO logs VALUES ('killed', 1, 1, 'x')\")\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([*PYTHON, "-c", code, str(home.store)], check=False, timeout=DEADLINE_S)
    assert ended.returncode == KILLED
    assert Path(f"{home.store}.wal").stat().st_size
    with reading(home.store, apart=True) as connection:  # as `query` does
        assert connection.execute("SELECT trace_id FROM logs").fetchall() == [("killed",)]
    compact(home.store)
    with reading(home.store) as connection:
        assert connection.execute("SELECT trace_id FROM logs").fetchall() == [("killed",)]
    assert not Path(f"{home.store}.wal").exists()


_KILLED = """
import os, sys
from pathlib import Path
import acp_trace.store.compact as compacting
store, left = Path(sys.argv[1]), int(sys.argv[2])
plain = compacting.InterruptibleConnection.execute
def execute(self, sql, tick=None):
    global left
    left -= 1
    if left < 0: os.kill(os.getpid(), 9)
    return plain(self, sql, tick)
compacting.InterruptibleConnection.execute = execute
compacting.compact(store)
"""


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing(home: Home) -> None:
    """Every trace is there, whole; once it is done again, nothing of what was removed."""
    _loaded(home, "a", "b", "c")
    remove(home.store, ["b"])
    statements = 2 * (len(schema.rewritten()) + 3) + 4
    codes = set()
    for moment in range(0, statements + 2, 97):
        argv = [*PYTHON, "-c", _KILLED, str(home.store), str(moment)]
        ended = subprocess.run(argv, check=False, capture_output=True, timeout=DEADLINE_S)
        codes.add(ended.returncode)
        assert [_exported(home, name) for name in "ac"] == [_file(name) for name in "ac"], moment
    assert codes >= {KILLED}
    compact(home.store)
    assert _copies(home, "b") == 0
    assert [_exported(home, name) for name in "ac"] == [_file(name) for name in "ac"]
    with reading(home.store) as connection:
        assert schema.FILLER not in {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
    assert sorted(path.name for path in home.path.iterdir()) == ["spool", home.store.name]


def test_an_error_in_the_middle_changes_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk fills after all, or Ctrl-C: the copy is rolled back, and the next one does it all."""
    _loaded(home, "a", "b")
    remove(home.store, ["b"])
    plain = InterruptibleConnection.execute

    def fails(self: InterruptibleConnection, sql: str, tick: Callable[[], None] | None = None) -> list[str]:
        if sql == "COMMIT":
            raise duckdb.IOException("No space left on device")
        return plain(self, sql, tick)

    with monkeypatch.context() as patch:
        patch.setattr(InterruptibleConnection, "execute", fails)
        with pytest.raises(NotCompacted, match="No space left"):
            compact(home.store)
    assert _exported(home, "a") == _file("a")
    compact(home.store)
    assert (_copies(home, "b"), _exported(home, "a")) == (0, _file("a"))


_CROWD = """
import sys
from pathlib import Path
from acp_trace.store.compact import compact
from acp_trace.store.connect import writing
from acp_trace.store.load import load
from acp_trace.store.remove import remove
store, folder, me, rounds = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
writing.__wrapped__.__kwdefaults__["patience"] = 100  # of removers, too: a busy machine is no fault
done = 0
for n in range(rounds):
    with writing(store) as connection: load(connection, folder / f"{me}-{n}.jsonl")
    if me.startswith("load"): continue
    remove(store, [f"{me}-{n}"])
    compact(store)
    done += 1
print(done)
"""


@pytest.mark.slow
def test_loaders_and_removers_at_once_lose_no_trace(home: Home, tmp_path: Path) -> None:
    """What was committed is there, whoever writes the database anew meanwhile."""
    rounds, loaders, removers = 2, 2, 2
    crowd = [f"load{n}" for n in range(loaders)] + [f"remove{n}" for n in range(removers)]
    for name in crowd:
        for n in range(rounds):
            (tmp_path / f"{name}-{n}.jsonl").write_bytes(trace(("client", {"n": n}), id=f"{name}-{n}"))
    with writing(home.store):
        pass
    running = [
        subprocess.Popen(
            [*PYTHON, "-c", _CROWD, str(home.store), str(tmp_path), name, str(rounds)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in crowd
    ]
    ended = [one.communicate(timeout=DEADLINE_S * 8) for one in running]
    assert [err for _, err in ended] == [b""] * len(crowd)
    assert sum(int(out) for out, _ in ended) == removers * rounds
    with reading(home.store) as connection:
        found = {name for (name,) in connection.execute("SELECT trace_id FROM traces").fetchall()}
        assert connection.execute("SELECT count(*) FROM frames").fetchone() == (loaders * rounds,)
    assert found == {f"{name}-{n}" for name in crowd if name.startswith("load") for n in range(rounds)}
    assert [path.name for path in home.path.iterdir()] == [home.store.name]
