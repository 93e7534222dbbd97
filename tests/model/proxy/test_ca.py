"""The certificate authority: made once, private, and renewed before it ends."""

from __future__ import annotations

import datetime as dt
import os
import stat
import threading
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from acp_trace.model.proxy import ca
from acp_trace.model.proxy.ca import Authority


def test_it_is_made_once_and_is_private(tmp_path: Path) -> None:
    """By whoever is first: others that begin at the same time take that one."""
    made: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: made.append(Authority.at(str(tmp_path / "home")).pem))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    directory = tmp_path / "home" / "model"
    assert len(set(made)) == 1
    assert os.listdir(directory) == ["ca.pem"]
    assert stat.S_IMODE((directory / "ca.pem").stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert b"PRIVATE" not in made[0]


def test_one_that_ends_soon_or_is_damaged_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old one is kept beside it, for whoever still trusts it."""
    first = Authority.at(str(tmp_path)).pem
    later = dt.datetime.now(dt.UTC) + dt.timedelta(days=3640)
    monkeypatch.setattr(ca, "_now", lambda: later)
    second = Authority.at(str(tmp_path)).pem
    assert second != first
    assert Authority.at(str(tmp_path)).pem == second
    (tmp_path / "model" / "ca.pem").write_bytes(b"damaged")
    assert Authority.at(str(tmp_path)).pem not in (first, second)
    assert (tmp_path / "model" / "ca.pem.old").read_bytes() == b"damaged"


def test_a_context_is_made_once_for_each_host_and_protocol(tmp_path: Path) -> None:
    """And no key stays behind in a temporary file."""
    authority = Authority.at(str(tmp_path / "home"))
    before = set(os.listdir("/tmp"))
    assert authority.context("a", "h2") is authority.context("a", "h2")
    assert authority.context("a", "h2") is not authority.context("a", None)
    authority.context("127.0.0.1", None)
    authority.context("x" * 70 + ".example", None)
    assert not [
        name
        for name in set(os.listdir("/tmp")) - before
        if name.startswith("acp-trace-") and Path("/tmp", name).is_file()
    ]
