"""`list_traces`, `query`, `diff_traces`: what the commands say, as data; and their errors in one line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import acp_trace
from acp_trace import api
from tests.commands import Commands
from tests.support import SAMPLES, Fill, header, trace

SOME = SAMPLES[:3]


@pytest.fixture
def stored(commands: Commands, filled: Fill) -> Commands:
    """A store with three traces."""
    filled(lambda: [commands.passes("load", path) for path in SOME])
    return commands


def test_the_package_offers_its_functions(commands: Commands) -> None:
    """And nothing else; a name that is none is an AttributeError, as of any module."""
    assert set(acp_trace.__all__) <= set(dir(acp_trace))
    assert set(api.__all__) <= set(dir(api))
    for name in acp_trace.__all__[1:]:
        assert getattr(acp_trace, name) is getattr(api, name)
    for module in (acp_trace, api):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = module.nothing


def test_it_lists_what_ls_lists(stored: Commands) -> None:
    """The same traces in the same order, with the same filters."""
    listed = stored.json("ls")
    rows = acp_trace.list_traces()
    assert [row.id for row in rows] == [one["id"] for one in listed]
    assert acp_trace.list_traces(limit=1) == rows[:1]
    named = acp_trace.list_traces(agent="fast-agent*")
    assert [row.id for row in named] == [one["id"] for one in stored.json("ls", "--agent", "fast-agent*")]
    assert 0 < len(named) < len(rows)
    assert acp_trace.list_traces(until=datetime(2020, 1, 1, tzinfo=UTC)) == []
    assert acp_trace.list_traces(until="2020-01-01") == []
    assert len(acp_trace.list_traces(since=datetime(2020, 1, 1))) == len(rows)  # noqa: DTZ001
    assert acp_trace.list_traces(origin="replay") == []
    assert acp_trace.list_traces(labels={"a": "b"}, runs=True) == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"origin": "x"}, "'x' is not one of"),
        ({"since": "soon"}, "'soon' is neither"),
        ({"limit": -1}, "below 0"),
    ],
)
def test_a_filter_that_means_nothing_is_a_value_error(
    stored: Commands, wrong: dict[str, object], message: str
) -> None:
    """In one line."""
    with pytest.raises(ValueError, match=message):
        acp_trace.list_traces(**wrong)  # type: ignore[arg-type]


def test_a_query_says_what_the_command_says(stored: Commands) -> None:
    """Names, values; and the types."""
    sql = "SELECT sender, count(*) AS n, NULL AS nothing FROM frames GROUP BY ALL ORDER BY ALL"
    table = acp_trace.query(sql)
    assert table.dicts() == stored.json("query", sql)
    assert table.types[:2] == ("VARCHAR", "BIGINT")


def test_files_are_queried_without_the_store(commands: Commands) -> None:
    """They are not in it afterwards; what is no trace is told."""
    table = acp_trace.query("SELECT count(*) FROM traces", traces=SOME[:2])
    assert table.rows == ((2,),)
    assert acp_trace.query("SELECT count(*) FROM traces").rows == ((0,),)
    with pytest.raises(api.NotLoaded, match=r"^/nowhere: No such file or directory$"):
        acp_trace.query("SELECT 1", traces=["/nowhere"])


@pytest.mark.parametrize(
    "sql", ["DROP TABLE frames", "SELECT nothing FROM frames", "SELECT 1; SELECT 2", "COPY"]
)
def test_a_query_only_reads(stored: Commands, sql: str) -> None:
    """Everything else is refused, with the command's words."""
    with pytest.raises(api.BadQuery) as refused:
        acp_trace.query(sql)
    said = stored("query", sql)
    assert (said.code, said.err.rstrip()) == (2, str(refused.value).rstrip())


def test_a_diff_says_what_the_command_says(commands: Commands) -> None:
    """The codes, the counts, the report."""
    found = acp_trace.diff_traces(SOME[0], SOME[1])
    said = commands("diff", SOME[0], SOME[1], "--json")
    assert said.code == 1
    assert not found.equal
    document = json.loads(said.out)
    assert [one.code for one in found.divergences] == [one["code"] for one in document["divergences"]]
    assert found.counts.recorded == document["counts"]["recorded"]
    assert str(found).splitlines()[0] in commands("diff", SOME[0], SOME[1]).out
    assert acp_trace.diff_traces(SOME[0], SOME[0], match="exact").equal


def test_what_cannot_be_compared_is_not_equal(tmp_path: Path) -> None:
    """Two traces without a frame."""
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(trace())
    found = acp_trace.diff_traces(empty, empty)
    assert found.comparison.equal
    assert not found.equal
    assert "nothing was compared" in found._repr_html_()


def test_a_level_and_a_mask_that_mean_nothing_are_value_errors() -> None:
    """Before a trace is opened."""
    with pytest.raises(ValueError, match="'close' is not one of outcome, semantic, content, exact"):
        acp_trace.diff_traces("a", "b", match="close")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="title"):
        acp_trace.diff_traces("a", "b", masks=["title"])


def _analyze(name: str) -> None:
    with acp_trace.open_trace(name) as opened:
        opened.analyze()


def test_errors_say_what_the_command_says(commands: Commands, tmp_path: Path) -> None:
    """The line without the program's name before it."""
    newer = tmp_path / "newer.jsonl"
    newer.write_bytes(header(acp_trace=99))
    for name in ("last", "nothing-like-it", str(tmp_path / "gone.jsonl"), str(newer)):
        with pytest.raises((api.NoTrace, api.UnknownTrace, api.NewerFormat, OSError)) as raised:
            _analyze(name)
        said = commands("show", name).err
        told = raised.value.strerror if isinstance(raised.value, OSError) else str(raised.value)
        assert told
        assert told in said
