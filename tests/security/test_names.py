"""What stands in a trace is never a name of a file, and ids that collide take nothing away."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.commands import Commands
from tests.support import request, result, trace

_IDS = [
    "../../x",
    "/etc/passwd",
    "..",
    ".",
    "",
    "a/b",
    "a\\b",
    "con",
    "x\0y",
    "-rf",
    "last",
    "~",
    "x" * 300,
    "é",
    "id\n",
]
_FRAMES = (
    ("client", request(0, "initialize", protocolVersion=1)),
    ("agent", result(0, protocolVersion=1)),
    ("client", request(1, "session/new", cwd="/w")),
    ("agent", result(1, sessionId="../../s")),
)
_GONE = [sys.executable, "-IS", "-c", "pass"]


def everything(folder: Path) -> set[str]:
    """All that lies below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_an_id_is_no_path(commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through spool, store and export: nothing is made but what has a name of our own."""
    home, work = commands.home, tmp_path / "work"
    home.spool.mkdir(parents=True)
    work.mkdir()
    monkeypatch.chdir(work)
    for number, id_ in enumerate(_IDS):
        (home.spool / f"{number}.jsonl").write_bytes(trace(*_FRAMES, id=id_, labels={"n": str(number)}))
    before = everything(tmp_path)
    rows = json.loads(commands("ls", "--json").out)
    assert len(rows) == len(_IDS)
    assert all(row["id"] in _IDS or row["id"].startswith("file-") for row in rows)
    odd = rows[:3]  # each export opens the store
    for at, row in enumerate(odd):
        assert commands("export", row["id"], "--out", f"{at}.jsonl").code == 0
    made = everything(tmp_path) - before - {"home/store.duckdb"}
    assert made == {f"work/{at}.jsonl" for at in range(len(odd))}
    assert not (tmp_path.parent / "x").exists()


def test_an_id_names_no_live_run(commands: Commands, tmp_path: Path) -> None:
    """A replay of such a trace has an id of its own, and its file has that name."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(trace(*_FRAMES, id="../../x"))
    before = everything(tmp_path)
    commands("replay", path, "--timeout", "0.1", "--", *_GONE)
    made = everything(tmp_path) - before - {"a.jsonl.new", "home", "home/spool"}
    assert len(made) == 1
    assert re.fullmatch(r"home/spool/\d{8}T\d{6}Z-[0-9a-f]{6}\.capture", made.pop())


def test_ids_that_collide(commands: Commands, tmp_path: Path) -> None:
    """The second trace of an id is refused, and stays where it is; the first one is not touched.

    Nor by one that begins like it, and goes on.
    """
    home = commands.home
    home.spool.mkdir(parents=True)
    one, other = trace(("client", {"n": 1}), id="same"), trace(("client", {"n": 2}), id="same")
    (home.spool / "a.jsonl").write_bytes(one)
    (home.spool / "b.jsonl").write_bytes(other)
    said = commands("export", "same", "--out", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == one
    assert "the store has another trace with the id same" in said.err
    assert [path.name for path in home.spooled()] == ["b.jsonl"]
    for data in (other, one + b'{"t":9,"from":"agent","frame":{"forged":1}}\n'):
        (tmp_path / "c.jsonl").write_bytes(data)
        assert commands("load", tmp_path / "c.jsonl").code == 3
        assert commands.passes("export", "same").encode() == one


def test_options_in_the_place_of_names(commands: Commands, tmp_path: Path) -> None:
    """A hint that is to be copied quotes the names in it, for the shell."""
    path = tmp_path / "a b;$(touch x).jsonl"
    path.write_bytes(trace(*_FRAMES))
    said = commands("replay", path, "--timeout", "0.1", "--", *_GONE)
    for line in said.out.splitlines():
        if "acp-trace " in line and path.name in line:
            assert f"'{path}'" in line, line


def test_a_trace_that_is_called_last(commands: Commands, tmp_path: Path) -> None:
    """`last` is the newest trace, whatever a stranger's one is called: `rm last` removes no other."""
    for name, began in (("last", "2020-01-01T00:00:00Z"), ("mine", "2026-01-01T00:00:00Z")):
        file = tmp_path / f"{name}.jsonl"
        file.write_bytes(trace(*_FRAMES, id=name, started_at=began))
        commands.passes("load", file)
    ids = [row["id"] for row in commands.json("ls")]
    assert ids[0] == "mine"
    assert ids[1].startswith("file-")
    commands.passes("rm", ids[1], "--no-compact")
    assert commands("rm", "last", "--no-compact").out == "removed mine\n"
