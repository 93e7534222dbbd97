"""Which files are the tables, as a commit says it."""

from __future__ import annotations

import json
import random

import pytest

from acp_trace.team.lake import names
from acp_trace.team.lake.snapshot import (
    BadCommit,
    LakeSnapshot,
    TableFile,
    TableGroup,
    decoded,
    mark_of,
    mark_of_groups,
)


def group(name: str, ids: list[str], day: str = "2026-11-20", size: int = 10, rules: int = 1) -> TableGroup:
    """A group of some traces."""
    return TableGroup(name, day, rules, 1, len(ids), mark_of(ids), {"loads": TableFile(len(ids), size)})


def test_a_commit_comes_back() -> None:
    """What is written is what is read; a commit does not change the one before."""
    first = LakeSnapshot().replaced([], [group("a", ["1"]), group("b", ["2"], "unknown")])
    second = first.replaced(["a"], [group("c", ["1", "3"])])
    assert (first.number, second.number) == (1, 2)
    assert list(first.groups) == ["a", "b"]
    assert decoded(2, second.encoded("0.1")) == second
    assert {day: [one.name for one in groups] for day, groups in second.by_day().items()} == {
        "unknown": ["b"],
        "2026-11-20": ["c"],
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'{"acp_trace_lake":2,"made_by":"9.1","else":1}', "acp-trace 9.1"),
        (b'{"acp_trace_lake":1,"groups":[{}]}', "damaged"),
        (b"[]", "damaged"),
        (b"\xff", "damaged"),
        (b'{"acp_trace_lake":1,', "damaged"),
        (b"[" * 100_000, "damaged"),
    ],
)
def test_what_is_no_commit(text: bytes, why: str) -> None:
    """One line says so."""
    with pytest.raises(BadCommit, match=why) as raised:
        decoded(3, text)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("key", "odd"),
    [
        *(("name", odd) for odd in ("../../../home/ann/private", "/etc/x", "*", "\0", "", "ab\n")),
        *(("day", odd) for odd in ("../../etc", "2026-11-20/../x", "x*", "", "\u202e")),
        *(("mark", odd) for odd in ("", "zz", "ab")),
        *(("traces", odd) for odd in (-1, 1 << 63)),
        ("rules", -1),
        ("layout", -1),
        ("files", {"../../x": {"rows": 1, "bytes": 1}}),
        ("files", {"loads": {"rows": 1, "bytes": -1}}),
    ],
)
def test_a_commit_names_no_file_elsewhere(key: str, odd: object) -> None:
    """Whoever may write into a place can write a commit: what it names is in the tables, or it is damaged."""
    document = json.loads(LakeSnapshot().replaced([], [group("a", ["1"])]).encoded("0.1"))
    assert decoded(1, json.dumps(document).encode()).groups
    document["groups"][0][key] = odd
    with pytest.raises(BadCommit, match="damaged"):
        decoded(1, json.dumps(document).encode())


def test_marks() -> None:
    """The same for the same ids in any order and in any groups; another for others."""
    ids = [f"{number:x}" for number in range(100)]
    mixed = random.Random(1).sample(ids, len(ids))
    assert mark_of(ids) == mark_of(mixed) == mark_of_groups([group("a", mixed[:7]), group("b", mixed[7:])])
    assert mark_of(ids) != mark_of(ids[1:])
    assert mark_of([]) == mark_of_groups([])


def test_names() -> None:
    """A name says which commit, and which group."""
    assert names.commit_number(names.commit(12)) == 12
    last = 10**12 - 1
    assert [names.commit_number(names.commit(number)) for number in (last, last + 1)] == [last, last + 1]
    for foreign in ("x", "00000000001٢", "0000000000012"):
        assert names.commit_number(f"lake/commits/{foreign}.json.zst") is None, foreign
    assert names.group_of(names.data("turns", "2026-11-20", "0af3")) == "0af3"
    assert names.group_of(names.data("turns", "unknown", "0af3")) == "0af3"
    assert names.group_of("lake/turns/day=2026-11-20/else.parquet") is None
    assert group("a", ["1"]).object("loads") == "lake/loads/day=2026-11-20/a.parquet"
    assert group("a", ["1"]).object("turns") is None
