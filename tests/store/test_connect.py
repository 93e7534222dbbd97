"""Opening the store: versions, strangers, holders."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from acp_trace.store import connect, read, schema, upgrade
from acp_trace.store.connect import reading, writing
from acp_trace.store.errors import StoreBusy, StoreError
from acp_trace.store.load import load
from tests.analyze.findings.scenario import start
from tests.analyze.model_side import called, whole
from tests.http_story import http_trace
from tests.reading.talk import prompt, stop, words
from tests.support import DEADLINE_S, END, TRACES, Home, agent, analyzed, line, request, trace


@pytest.fixture
def aged(home: Home, empty_store: Path) -> Home:
    """A home with an empty store, which an older layout is made of: the making of one is not the subject."""
    home.path.mkdir()
    shutil.copyfile(empty_store, home.store)
    return home


def test_a_missing_store_is_made_readable_by_its_owner_only(home: Home) -> None:
    """Looking at nothing is no error."""
    with reading(home.store) as connection:
        assert connection.execute("SELECT count(*) FROM traces").fetchone() == (0,)
    assert home.store.stat().st_mode & 0o777 == 0o600


def test_no_bar_is_drawn(home: Home) -> None:
    """DuckDB draws one on standard output where Python has no script: at a prompt, and in workers of a build."""
    code = (
        "import pathlib, sys; from acp_trace.store.connect import reading\n"
        "with reading(pathlib.Path(sys.argv[1])) as connection:\n"
        "    print(connection.execute(\"SELECT current_setting('enable_progress_bar')\").fetchone())"
    )
    said = subprocess.run([sys.executable, "-c", code, home.store], capture_output=True, check=True)
    assert said.stdout.strip() == b"(False,)"


def test_no_connection_of_the_package_draws_a_bar() -> None:
    """Each that is made is told so at once."""
    made = 0
    for source in Path(connect.__file__).parents[1].rglob("*.py"):
        text = source.read_text("utf-8")
        found = re.findall(r"duckdb(?:\(path\))?\.connect\(.*\n +(\S+)", text)
        assert found == ["connection.execute(NO_BAR)"] * len(found), source
        made += len(found)
    assert made >= 5


def test_a_newer_store_is_refused_by_name(home: Home) -> None:
    """And not touched."""
    with writing(home.store) as connection:
        connection.execute(f"UPDATE {schema.META} SET version = 99, made_by = '7.0'")
    for opened in (reading, writing):
        with pytest.raises(StoreError, match=r"layout 99, made by acp-trace 7\.0"), opened(home.store):
            pass


def test_a_database_of_someone_else_is_refused(home: Home, tmp_path: Path) -> None:
    """Neither tables nor garbage of others are ours to write into."""
    other = tmp_path / "other.duckdb"
    with duckdb.connect(other) as connection:
        connection.execute("CREATE TABLE theirs (a INT)")
    with pytest.raises(StoreError, match="not a store of acp-trace"), writing(other):
        pass
    other.write_bytes(b"garbage" * 1000)
    with pytest.raises(StoreError, match="not a valid DuckDB database"), reading(other):
        pass


def test_a_store_that_is_held_is_named_with_its_holder(home: Home) -> None:
    """After a while of patience; the message says who holds it."""
    with writing(home.store):
        pass
    code = f"import duckdb; c = duckdb.connect({str(home.store)!r}); say(b'held\\n'); next(lines, 0)"
    holder = subprocess.Popen(agent(code), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    found = pytest.raises(StoreBusy, match=rf"in use by .*\(PID {holder.pid}\); nothing is lost")
    with found, writing(home.store, patience=0):
        pass
    holder.communicate(b"\n", timeout=DEADLINE_S)


@pytest.mark.parametrize(
    ("holders", "waited_s"),
    [
        ([7] * 1000, connect.PATIENCE_S),
        ([7] * 100 + [8] * 1000, 10 + connect.PATIENCE_S),
        (list(range(2000)), connect.LONGEST_S),
    ],
    ids=["one that keeps it", "another one, that keeps it", "always another one"],
)
def test_patience_is_with_one_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holders: list[int], waited_s: float
) -> None:
    """Many who have it one after the other are a queue that moves: that alone is no error, but has an end."""
    now, left = 0.0, iter(holders)

    def refuse(*_: object, **__: object) -> None:
        raise duckdb.IOException(f"Could not set lock on file: lock is held in a (PID {next(left)})")

    def sleep(_: float) -> None:
        nonlocal now
        now += 0.1

    with writing(tmp_path / "store.duckdb"):
        pass
    monkeypatch.setattr(duckdb, "connect", refuse)
    monkeypatch.setattr(connect, "time", SimpleNamespace(monotonic=lambda: now, sleep=sleep))
    with pytest.raises(StoreBusy), writing(tmp_path / "store.duckdb"):
        pass
    assert now == pytest.approx(waited_s, abs=0.3)


def test_a_lock_in_the_path_is_no_lock_on_the_store(tmp_path: Path) -> None:
    """What DuckDB says names the path; nobody holds this one, and waiting for it would not help."""
    path = tmp_path / "Could not lock" / "lock.duckdb"
    path.parent.mkdir()
    path.write_bytes(b"garbage" * 1000)
    for opened in (reading(path), writing(path, patience=0)):
        with pytest.raises(StoreError, match=r"^cannot open the store: .*lock") as found, opened:
            pass
        assert not isinstance(found.value, StoreBusy)


def test_a_path_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    """DuckDB takes no other; and the message can be printed."""
    path = tmp_path / os.fsdecode(b"h\xff") / "store.duckdb"
    for opened in (reading(path), writing(path)):
        with pytest.raises(StoreError, match="is not UTF-8, as DuckDB requires") as found, opened:
            pass
        assert str(found.value).isascii()


def test_facts_of_an_older_analyser_are_derived_again(aged: Home, tmp_path: Path) -> None:
    """The frames are the truth; what was derived from them by older rules is replaced."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(trace(("client", {"id": 1, "method": "a"}), ("agent", {"id": 1, "result": {}})))
    with writing(aged.store) as connection:
        load(connection, path)
        connection.execute("UPDATE loads SET analyzer_version = 0")
        connection.execute("DELETE FROM exchanges")
        connection.execute("UPDATE traces SET agent_argv = 'old'")
    with reading(aged.store) as connection:
        assert connection.execute("SELECT method, latency_ns FROM exchanges").fetchall() == [("a", 1000)]
        assert connection.execute("SELECT agent_argv, complete FROM traces").fetchall() == [
            ('["opencode","acp"]', True)
        ]


def test_an_older_layout_is_upgraded(aged: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Step by step, each in a transaction; the next reader finds the new one."""
    with writing(aged.store):
        pass
    now = schema.VERSION
    monkeypatch.setattr(schema, "VERSION", now + 2)
    steps = {now: ["CREATE TABLE one (a INT)"], now + 1: ["ALTER TABLE one ADD COLUMN b INT"]}
    monkeypatch.setattr(upgrade, "LAYOUTS", steps)
    with reading(aged.store) as connection:
        assert connection.execute(f"SELECT version FROM {schema.META}").fetchall() == [(now + 2,)]
        assert connection.execute("SELECT a, b FROM one").fetchall() == []


def test_a_store_of_layout_1_gets_all_facts(aged: Home) -> None:
    """It had no ledgers, cancellations and findings: they are derived from the frames that it kept."""
    path = TRACES[0]
    later = ("tool_call_steps", "metadata_updates", "metadata_changes", "config_entries", "config_changes")
    with writing(aged.store) as connection:
        trace_id = load(connection, path).trace_id
        for view in schema.VIEWS:
            connection.execute(f"DROP VIEW {view.name}")
        for table in (*later, "cancellations", "cascades", "findings"):
            connection.execute(f"DROP TABLE {table}")
        _take_away(connection, 3)
        connection.execute("ALTER TABLE sessions DROP COLUMN config")
        connection.execute("ALTER TABLE exchanges DROP COLUMN t_ns")
        connection.execute(f"UPDATE {schema.META} SET version = 1")
    with reading(aged.store) as connection:
        assert read.trace_facts(connection, trace_id) == analyzed(path.read_bytes())[0]


def test_a_store_of_layout_2_learns_what_is_a_run(aged: Home, tmp_path: Path) -> None:
    """Its traces said nothing of where they come from; their headers do."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(trace(("client", {"n": 1}), id="run", replay_of="recording"))
    with writing(aged.store) as connection:
        load(connection, path)
        load(connection, TRACES[0])
        _take_away(connection, 3)
        connection.execute(f"UPDATE {schema.META} SET version = 2")
        connection.execute("UPDATE loads SET analyzer_version = 2")
    with reading(aged.store) as connection:
        assert connection.execute(
            "SELECT origin, replay_of FROM traces WHERE trace_id = 'run'"
        ).fetchall() == [("replay", "recording")]
        assert connection.execute("SELECT count(*) FROM traces WHERE origin = 'recorded'").fetchall() == [
            (1,)
        ]


def test_a_store_of_layout_3_learns_that_the_client_left(aged: Home, tmp_path: Path) -> None:
    """Its rules blamed the agent for what the footer says it could not do."""
    path = tmp_path / "left.jsonl"
    file = trace(("client", request(1, "session/new", cwd="/w")), id="left", end=False)
    path.write_bytes(file + line(t=2000, end={**END, "client_left": True}))
    with writing(aged.store) as connection:
        load(connection, path)
        _take_away(connection, 4)
        connection.execute("UPDATE findings SET severity = 'error' WHERE code = 'never-answered'")
        connection.execute(f"UPDATE {schema.META} SET version = 3")
        connection.execute("UPDATE loads SET analyzer_version = 3")
    with reading(aged.store) as connection:
        upgraded = read.trace_facts(connection, "left")
        assert connection.execute(f"SELECT version FROM {schema.META}").fetchall() == [(schema.VERSION,)]
    assert upgraded == analyzed(path.read_bytes())[0]
    assert upgraded.trace.client_left
    assert [one.severity for one in upgraded.findings if one.code == "never-answered"] == ["note"]


def test_a_store_of_layout_4_learns_how_long_the_agent_wrote(aged: Home, tmp_path: Path) -> None:
    """Its turns had no writing, and those that never ended had no parts."""
    path = tmp_path / "open.jsonl"
    path.write_bytes(trace(*start(), prompt(1), words(), words(), stop(1), prompt(2), id="open"))
    with writing(aged.store) as connection:
        load(connection, path)
        _take_away(connection, 5)
        connection.execute(f"UPDATE {schema.META} SET version = 4")
        connection.execute("UPDATE loads SET analyzer_version = 4")
    with reading(aged.store) as connection:
        upgraded = read.trace_facts(connection, "open")
    assert upgraded == analyzed(path.read_bytes())[0]
    assert [turn.writing_ns for turn in upgraded.turns] == [1000, None]
    assert len(upgraded.unsettled_turns) == 1


def test_a_store_of_layout_5_learns_what_the_model_did(aged: Home, tmp_path: Path) -> None:
    """Its trace had a model's side, of which it had no facts."""
    path = tmp_path / "model.jsonl"
    path.write_bytes(whole((100, prompt(1)), *called(1, 110, 150, uses=("bash",)), (200, stop(1))))
    with writing(aged.store) as connection:
        trace_id = load(connection, path).trace_id
        _take_away(connection, 6)
        connection.execute(f"UPDATE {schema.META} SET version = 5")
        connection.execute("UPDATE loads SET analyzer_version = 5")
    with reading(aged.store) as connection:
        upgraded = read.trace_facts(connection, trace_id)
    assert upgraded == analyzed(path.read_bytes())[0]
    assert [call.tools for call in upgraded.model_calls] == ['["bash"]']
    assert [turn.model_ns for turn in upgraded.turns] == [40_000_000]


def test_a_store_of_layout_7_learns_the_streams(aged: Home, tmp_path: Path) -> None:
    """Its frames did not name them; the lines that it kept of the trace do."""
    path = tmp_path / "http.jsonl"
    path.write_bytes(http_trace(id="http"))
    with writing(aged.store) as connection:
        load(connection, path)
        load(connection, TRACES[0])
        _take_away(connection, 8)
        connection.execute(f"UPDATE {schema.META} SET version = 7")
        connection.execute("UPDATE loads SET analyzer_version = 7")
    with reading(aged.store) as connection:
        upgraded = read.trace_facts(connection, "http")
        frames = list(read.frames(lambda: nullcontext(connection), "http"))
        others = connection.execute("SELECT count(stream) FROM frames WHERE trace_id <> 'http'").fetchall()
        comment = connection.execute(
            "SELECT comment FROM duckdb_columns() WHERE table_name = 'frames' AND column_name = 'stream'"
        ).fetchall()
    assert (upgraded, frames) == analyzed(path.read_bytes())
    assert others == [(0,)]
    assert comment == [(schema.FRAMES.columns[-1].doc,)]


#: What each layout brought: tables, and columns of a table.
_BROUGHT: dict[int, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    16: ((), "traces", ("last_frame_ns", "silence_from_ns", "silence_ns", "silence_frame")),
    15: ((), "turns", ("input_tokens", "cached_tokens", "output_tokens", "cost")),
    14: ((), "tool_calls", ("replayed", "over_ns")),
    13: ((), "sessions", ("parent_session_id", "parent_tool_call_id", "subagent_ns")),
    12: (("session_events",), "turns", ("unknown_ns",)),
    8: (("streams",), "frames", ("stream",)),
    6: (("model_calls",), "turns", ("model_ns", "tool_ns", "client_ns", "own_ns", "model_calls")),
    5: (("unsettled_turns",), "turns", ("writing_ns", "chunks", "prompt_cut")),
    4: ((), "traces", ("client_left",)),
    3: ((), "traces", ("origin", "replay_of", "aborted")),
}


def _take_away(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Takes away what the layouts from this one on have brought."""
    for layout, (tables, table, columns) in _BROUGHT.items():
        if layout >= since:
            for name in tables:
                connection.execute(f"DROP TABLE {name}")
            for column in columns:
                connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
