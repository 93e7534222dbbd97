"""A DuckDB that is too old is refused before it is used, with what to do."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from acp_trace.store.connect import reading, writing
from acp_trace.store.duckdb_version import OLDEST, check_duckdb
from acp_trace.store.errors import StoreError
from acp_trace.team.lake import parquet


@pytest.mark.parametrize(("version", "is_old"), [("1.4.5", True), ("0.10.0", True), ("2.0.0", False),
                                                 ("10.1.0", False), ("2.0.0.dev12", False), ("odd", False)])  # fmt: skip
def test_a_version_that_is_too_old(monkeypatch: pytest.MonkeyPatch, version: str, is_old: bool) -> None:
    """By its first number; one that cannot be read is tried."""
    monkeypatch.setattr(duckdb, "__version__", version)
    if is_old:
        with pytest.raises(StoreError, match=r"is too old: .* run pip install 'duckdb>=2.0.0'"):
            check_duckdb()
    else:
        check_duckdb()


def test_it_is_checked_before_the_store_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if somebody only looks at it; nothing is left there."""
    monkeypatch.setattr(duckdb, "__version__", "1.4.5")
    for way in (reading, writing):
        with pytest.raises(StoreError, match="too old"), way(tmp_path / "store.duckdb"):
            pass
    assert list(tmp_path.iterdir()) == []


def test_the_package_requires_the_same() -> None:
    """Both numbers are changed together."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert f'"duckdb>={OLDEST}.0.0"' in text


def test_the_tables_of_a_place_need_it_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is built with an older one."""
    monkeypatch.setattr(duckdb, "__version__", "1.4.5")
    with pytest.raises(StoreError, match="too old"), parquet.scratch_database(tmp_path, 1):
        pass
