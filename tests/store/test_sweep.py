"""Loading many traces: others get their turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acp_trace.store import sweep
from acp_trace.store.connect import reading, writing
from acp_trace.trace.home import Home as Folder
from tests.support import Home, trace


@pytest.mark.parametrize(("takes_s", "turns"), [(0.1, [7]), (0.4, [3, 3, 1]), (5.0, [1] * 7)])
def test_the_store_is_let_go_again_and_again(
    home: Home, monkeypatch: pytest.MonkeyPatch, takes_s: float, turns: list[int]
) -> None:
    """Whoever waits for it waits for a second or one trace, not for all of them."""
    home.spool.mkdir(parents=True)
    for number in range(7):
        (home.spool / f"t{number}.jsonl").write_bytes(trace(("client", {}), id=f"t{number}"))
    now, loaded, plain = 0.0, list[int](), sweep._load_one

    @contextmanager
    def turn(path: Path, **more: Any) -> Iterator[Any]:
        loaded.append(0)
        with writing(path, **more) as connection:
            yield connection

    def load_one(*args: Any, **more: Any) -> None:
        nonlocal now
        loaded[-1] += 1
        now += takes_s
        plain(*args, **more)

    monkeypatch.setattr(sweep, "writing", turn)
    monkeypatch.setattr(sweep, "_load_one", load_one)
    monkeypatch.setattr(sweep, "time", SimpleNamespace(monotonic=lambda: now, time=lambda: 0.0))
    found = sweep.sweep(Folder(home.path))
    assert loaded == turns
    assert ([one.trace_id for one in found.loaded], found.failed) == ([f"t{n}" for n in range(7)], [])
    assert not home.spooled()
    with reading(home.store) as connection:
        assert connection.execute("SELECT count(*) FROM traces").fetchone() == (7,)
