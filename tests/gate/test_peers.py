"""The owner of the program at the other end of a connection."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from acp_trace.gate import peers
from acp_trace.gate.peers import owner_in, owners, trusted
from acp_trace.system.files import user
from tests.rights import IS_ROOT, give_away

_HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
_REST = "01 00000000:00000000 00:00000000 00000000"
_MAPPED = "0000000000000000FFFF00000100007F"  # ::ffff:127.0.0.1
_HERE = ("127.0.0.1", 8080)  # 0100007F:1F90
_PEER = ("127.0.0.1", 33261)  # 0100007F:81ED
_BOTH = _PEER, _HERE


def _table(*lines: str) -> bytes:
    return (_HEAD + "".join(f"   {n}: {line} 0\n" for n, line in enumerate(lines))).encode()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"0100007F:81ED 0100007F:1F90 {_REST}  1000        0 4711 1", 1000),
        (f"0100007F:81ED 0100007F:1F90 {_REST}     0        0 4711 1", 0),
        (f"0100007F:81ED 0100007F:1F90 {_REST}     0        0 0 1", None),  # closed by its program
        (f"0100007F:1F90 0100007F:81ED {_REST}  1000        0 4711 1", None),  # the other end
        (f"0100007F:81EE 0100007F:1F90 {_REST}  1000        0 4711 1", None),  # another port
        (f"0200007F:81ED 0100007F:1F90 {_REST}  1000        0 4711 1", None),  # another address
        ("0100007F:81ED 0100007F:1F90 01", None),  # torn
        (f"{_MAPPED}:81ED {_MAPPED}:1F90 {_REST}  1001        0 4711 1", 1001),
    ],
)
def test_a_line_of_the_table(line: str, expected: int | None) -> None:
    """The entry of the peer's socket counts, with both of its ends, and only while a program has it."""
    other = f"0100007F:1F90 00000000:0000 {_REST}  7        0 4712 1"
    assert owner_in(_table(other, line, other), _PEER, _HERE, "little") == expected
    assert owner_in(_table(other), _PEER, _HERE, "little") is None
    assert owner_in(b"", _PEER, _HERE, "little") is None


def test_addresses_of_both_families_and_both_orders() -> None:
    """The kernel prints the words of an address as numbers of the machine."""
    line = f"7F000001:81ED 7F000001:1F90 {_REST}  5        0 4711 1"
    assert owner_in(_table(line), _PEER, _HERE, "big") == 5
    mapped = ("::ffff:127.0.0.1", _PEER[1]), ("::ffff:127.0.0.1", _HERE[1])
    assert owner_in(_table(line), *mapped, "big") == 5
    one = "00000000000000000000000001000000"
    line = f"{one}:81ED {one}:1F90 {_REST}  6        0 4711 1"
    assert owner_in(_table(line), ("::1", _PEER[1]), ("::1", _HERE[1]), "little") == 6


def test_who_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our user and root are; never `nobody`, who may be any user of another namespace."""
    for found, us, expected in (
        (1000, 1000, True),
        (0, 1000, True),
        (1001, 1000, False),
        (None, 1000, False),
        (1000, 0, False),
        (65_534, 65_534, False),
    ):
        monkeypatch.setattr(peers, "owner_in", lambda *_, found=found: found)
        monkeypatch.setattr(os, "geteuid", lambda us=us: us)
        assert bool(trusted([_BOTH])) is expected


def test_where_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On other systems there are no tables, and a table may be read while an entry moves in it."""
    missing, table = str(tmp_path / "missing"), tmp_path / "tcp"
    monkeypatch.setattr(peers, "_TABLES", (missing, missing))
    assert owners([_BOTH]) == {}
    monkeypatch.setattr(peers, "_TABLES", (missing, str(table)))
    table.write_bytes(_table())
    assert owners([_BOTH]) == {}
    found = iter([None, None, 1000])
    table.write_bytes(b"x")
    monkeypatch.setattr(peers, "owner_in", lambda *_: next(found))
    assert owners([_BOTH]) == {_BOTH: 1000}


def test_one_look_is_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables are read once, however many connections are asked for."""
    looks: list[str] = []
    line = f"0100007F:81ED 0100007F:1F90 {_REST}  1000        0 4711 1"
    swapped = f"0100007F:1F90 0100007F:81ED {_REST}  1001        0 4712 1"

    def content(path: str) -> bytes:
        looks.append(path)
        return _table(line, swapped)

    monkeypatch.setattr(peers, "_content", content)
    monkeypatch.setattr(sys, "byteorder", "little")
    back = _HERE, _PEER
    assert set(owners([_BOTH, back]).values()) <= {1000, 1001}
    assert len(looks) == len(peers._TABLES)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the tables")
def test_real_connections() -> None:
    """Over IPv4, and over a socket of IPv6 that speaks IPv4; not after the program has closed it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
            with socket.socket(family) as client:
                client.connect((host, port))
                accepted, peer = server.accept()
                with accepted:
                    both = peer, accepted.getsockname()
                    assert owners([both]) == {both: user()}
                    assert trusted([both]) == {both}
                    client.close()
                    assert owners([both]) == {}


@pytest.mark.skipif(sys.platform != "linux" or not IS_ROOT, reason="only root can give a socket away")
def test_another_user() -> None:
    """A socket of another user is not trusted."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        give_away(client.fileno())
        accepted, peer = server.accept()
        with accepted:
            both = peer, accepted.getsockname()
            assert owners([both]) == {both: 12_345}
            assert not trusted([both])
