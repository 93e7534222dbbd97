"""The certificate authority: made once, private, and renewed before it ends."""

from __future__ import annotations

import datetime as dt
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_trace.system.files import user
from tests.rights import IS_ROOT, give_away

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


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere.pem"))
    path.symlink_to("elsewhere.pem")


_AS_ROOT = pytest.mark.skipif(not IS_ROOT, reason="only root can give a file away")


@pytest.mark.parametrize(
    ("expose", "why"),
    [
        (lambda path: path.chmod(0o644), "contains a key that others can read (mode 0644)"),
        (lambda path: path.chmod(0o620), "contains a key that others can read (mode 0620)"),
        (_link, "is a link"),
        (lambda path: (path.unlink(), path.mkdir()), "is not a file"),
        pytest.param(give_away, "belongs to another user", marks=_AS_ROOT),
    ],
)
def test_a_key_that_others_can_read_or_choose_is_replaced(
    tmp_path: Path, expose: Callable[[Path], object], why: str
) -> None:
    """One line says so, once; what was there is kept under another name."""
    first = Authority.at(str(tmp_path))
    assert first.warning == ""
    path = tmp_path / "model" / "ca.pem"
    expose(path)
    second = Authority.at(str(tmp_path))
    assert second.pem != first.pem
    assert second.warning == f"{path} {why}: a new one was made; do not trust ca.pem.old, and remove it"
    assert stat.S_IMODE(path.lstat().st_mode) == 0o600
    assert path.lstat().st_uid == user()
    assert os.path.lexists(f"{path}.old")
    third = Authority.at(str(tmp_path))
    assert (third.pem, third.warning) == (second.pem, "")


@_AS_ROOT
def test_a_home_directory_of_the_user_under_sudo(tmp_path: Path) -> None:
    """Root takes the key of the one who owns the directory: both would replace each other's otherwise."""
    first = Authority.at(str(tmp_path))
    for path in (tmp_path / "model", tmp_path / "model" / "ca.pem"):
        give_away(path)
    second = Authority.at(str(tmp_path))
    assert (second.pem, second.warning) == (first.pem, "")


def test_a_context_is_made_once_for_each_host_and_protocol(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no key stays behind in a temporary file."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    authority = Authority.at(str(tmp_path / "home"))
    assert authority.context("a", "h2") is authority.context("a", "h2")
    assert authority.context("a", "h2") is not authority.context("a", None)
    authority.context("127.0.0.1", None)
    authority.context("x" * 70 + ".example", None)
    assert list((tmp_path / "tmp").iterdir()) == []
