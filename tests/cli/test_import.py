"""`import`: logs of other tools become traces; what cannot be read is said, and costs nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.support import TRACES, Home

DATA = Path(__file__).parent.parent / "formats" / "data"
TOAD = DATA / "toad" / "toad.log"
OPENCODE = next(path for path in TRACES if path.stem == "opencode-story")
ACPX = sorted((DATA / "acpx").glob("*.ndjson"))


def _imported(home: Home, *args: str, code: int = 0) -> list[dict[str, object]]:
    """What `--json` says of the traces."""
    return list(json.loads(home.run("import", *args, "--json", code=code))["imported"])


def test_a_log_becomes_a_trace_in_the_store(home: Home) -> None:
    """Once, however often it is imported; it is shown with what its log has."""
    first, again = (_imported(home, str(TOAD))[0] for _ in range(2))
    assert (first["format"], first["state"], again["state"]) == ("toad", "loaded", "already there")
    assert first["id"] == again["id"]
    shown = home.run("show", str(first["id"]))
    assert "imported from toad" in shown
    assert "no times" in shown
    assert "incomplete" not in shown
    assert json.loads(home.run("show", str(first["id"]), "--json"))["trace"]["duration_ns"] is None
    assert str(first["id"])[-6:] in home.run("ls")


def test_stderr_has_no_time_where_nothing_has(home: Home) -> None:
    """Neither between the frames nor in a section of its own."""
    id_ = str(_imported(home, str(DATA / "zed" / "copy-all.json"))[0]["id"])
    for said in (home.run("frames", id_), home.run("show", id_, "--section", "logs")):
        assert "0.000" not in said
    rows = json.loads(home.run("frames", id_, "--json", "--logs"))
    assert {row["t_ns"] for row in rows} == {None}
    assert any("log" in row for row in rows)


def test_from_standard_input_into_a_file(home: Home, tmp_path: Path) -> None:
    """As `-`; the file is a trace, and never written over."""
    out = str(tmp_path / "out.jsonl")
    assert "written to" in home.run("import", "-", "--out", out, stdin=TOAD.read_bytes())
    assert home.run("check", out)
    assert b"already exists" in home.outcome("import", str(TOAD), "--out", out).stderr
    assert home.run("ls", "--json") == "[]\n"


def test_parts_of_one_journal_are_one_log(home: Home, tmp_path: Path) -> None:
    """In whatever order they are given. Several connections go to a directory, not to one file."""
    parts = [str(path) for path in ACPX]
    made = _imported(home, *reversed(parts), "--out", str(tmp_path))
    assert sorted(path.stem for path in tmp_path.iterdir()) == sorted(str(one["id"]) for one in made)
    again = _imported(home, *parts, "--out", str(tmp_path))
    assert [one["id"] for one in made] == [one["id"] for one in again]
    done = home.outcome("import", *parts, "--out", str(tmp_path / "one.jsonl"))
    assert (done.returncode, b"connections: give a directory" in done.stderr) == (2, True)


def test_what_a_database_has_not_yet_written_is_read_as_well(home: Home, tmp_path: Path) -> None:
    """The second session is only in the log beside it, which nobody thinks of."""
    for name in ("captures.db", "captures.db-wal"):
        (tmp_path / name).write_bytes(gzip.decompress((DATA / "acp-devtools" / f"{name}.gz").read_bytes()))
    made = _imported(home, str(tmp_path / "captures.db"))
    assert len(made) == 2
    again = _imported(home, str(tmp_path / "captures.db"), str(tmp_path / "captures.db-wal"))
    assert [one["id"] for one in again] == [one["id"] for one in made]
    assert {one["state"] for one in again} == {"already there"}


@pytest.mark.parametrize("unknown", [b"", b"# A page\n", b"\xff\xfe", b"[1, 2]"])
def test_what_is_no_log_stops_no_other(home: Home, tmp_path: Path, unknown: bytes) -> None:
    """One line, and exit code 3; the others are imported."""
    other = tmp_path / "other.txt"
    other.write_bytes(unknown)
    done = home.outcome("import", str(other), str(TOAD))
    assert (done.returncode, done.stderr.count(b"\n"), b"toad, 14 frames" in done.stdout) == (3, 1, True)


def test_a_trace_is_no_log_of_another_tool(home: Home) -> None:
    """No reader makes anything of it."""
    done = home.outcome("import", str(TRACES[0]), "--explain")
    assert (done.returncode, b"is a trace of acp-trace" in done.stdout) == (3, True)


def test_formats_are_named_as_they_are(home: Home) -> None:
    """A wrong name is told with those that there are; a wrong format is told in one line."""
    assert b"zed" in home.outcome("import", str(TOAD), "--from", "zet").stderr
    done = home.outcome("import", str(TOAD), "--from", "zed")
    assert (done.returncode, done.stderr.count(b"\n")) == (3, 1)


def test_a_log_of_models_alone_says_who_talks(home: Home) -> None:
    """There is no ACP in it, so no client, no protocol and no frames."""
    [made] = _imported(home, str(DATA / "har" / "chromium.har"))
    assert (made["frames"], made["exchanges"]) == (0, 4)
    assert "har, 4 HTTP exchanges\n" in home.run("import", str(DATA / "har" / "chromium.har"))
    out = home.run("show", str(made["id"]))
    assert out.startswith(" an agent ⇄ its model   no ACP in the log")
    assert "frames" not in out


def test_a_log_without_a_date_is_as_new_as_its_import(home: Home) -> None:
    """It comes first in `ls`, is `last`, and is kept by `prune`, which does not know its age."""
    home.run("load", str(TRACES[0]))
    id_ = str(_imported(home, str(TOAD))[0]["id"])
    rows = json.loads(home.run("ls", "--json"))
    assert [row["id"] == id_ for row in rows] == [True, False]
    assert (rows[0]["started_at"], rows[0]["loaded_at"] is None) == (None, False)
    assert "≤" in home.run("ls").splitlines()[1]
    assert json.loads(home.run("show", "--json"))["trace"]["id"] == id_
    pruned = json.loads(home.run("prune", "--keep", "1", "--older-than", "1d", "--dry-run", "--json"))
    assert id_ not in json.dumps(pruned)


@pytest.mark.parametrize("date", ["2026-11-20 10:00:00,5", "2026-11-22 10:00:00,5"])
def test_a_date_without_a_zone_is_enough_for_the_order(home: Home, tmp_path: Path, date: str) -> None:
    """In `ls` and for `last`; the trace itself does not claim to know when it began."""
    home.run("load", str(OPENCODE))  # of 2026-11-21
    log = tmp_path / "local.log"
    log.write_text(f'{date} DEBUG acp --> {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{}}}}\n')
    id_ = str(_imported(home, str(log))[0]["id"])
    rows = json.loads(home.run("ls", "--json"))
    is_newer = date > "2026-11-21"
    assert [row["id"] == id_ for row in rows] == [is_newer, not is_newer]
    assert [row["started_at"] is None for row in rows] == [is_newer, not is_newer]
    assert "≈" in home.run("ls").splitlines()[1 if is_newer else 2]
    shown = json.loads(home.run("show", "--json"))["trace"]
    assert (shown["id"] == id_) == is_newer


def test_mcp_is_told_by_its_name(home: Home, tmp_path: Path) -> None:
    """In the first line of `import`, in `--explain`, and in `show`, which applies no rule of ACP."""
    log = tmp_path / "mcp.log"
    log.write_text(
        '> {"jsonrpc":"2.0","id":7,"method":"tools/list"}\n< {"jsonrpc":"2.0","id":7,"result":{"tools":[]}}\n'
    )
    assert home.run("import", str(log)).startswith("this is MCP, not ACP: ")
    assert "protocol: MCP, not ACP" in home.run("import", "--explain", str(log))
    assert _imported(home, str(log))[0]["protocol"] == "MCP"
    findings = json.loads(home.run("show", str(log), "--json"))["findings"]
    assert [one["code"] for one in findings] == ["other-protocol"]


def test_a_log_with_a_date_is_as_old_as_it_says(home: Home, tmp_path: Path) -> None:
    """However late it is imported."""
    _imported(home, str(TOAD))
    log = tmp_path / "agent.log"
    log.write_text('2025-11-25T10:00:00Z {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n')
    dated = str(_imported(home, str(log))[0]["id"])
    assert dated.startswith("20251125T")
    assert json.loads(home.run("show", "--json"))["trace"]["id"] != dated


def test_import_ends_with_how_to_see_it(home: Home, tmp_path: Path) -> None:
    """The command works as it stands there."""
    said = home.run("import", str(TOAD)).splitlines()[-1]
    assert said.startswith("to see it: acp-trace show ")
    assert "imported from toad" in home.run("show", said.split()[-1])
    out = tmp_path / "a trace.jsonl"
    said = home.run("import", str(TOAD), "--out", str(out)).splitlines()[-1]
    assert said == f"to see it: acp-trace show '{out}'"


def test_the_last_trace_is_named_where_none_was_given(home: Home) -> None:
    """On stderr, so that nobody shares another one; not in `--json`, and not if it was asked for."""
    home.run("load", str(OPENCODE))
    said = home.outcome("export").stderr.decode()
    assert said.startswith("using the last trace, ")
    assert ", OpenCode, “" in said.splitlines()[0]
    for words in (["show", "--json"], ["export", "last"], ["show", str(OPENCODE)]):
        assert b"taken" not in home.outcome(*words).stderr
