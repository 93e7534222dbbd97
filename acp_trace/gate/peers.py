"""Who owns the program at the other end of a connection on this machine.

Linux lists every TCP socket with its owner in `/proc/net/tcp` and `/proc/net/tcp6` (proc_pid_net(5)). On
other systems, and if these files cannot be read, the owner is unknown. A user id is as this process sees it:
in a container or a user namespace, 0 is the root user of that namespace.
"""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Collection
from typing import Literal

from acp_trace.system.files import user

#: Address and port of one end of a connection. For IPv6, further items are ignored.
End = tuple[str, int]
#: Both ends of a connection: the peer's, then this process's.
Connection = tuple[End, End]
#: The byte order of numbers on the machine.
Order = Literal["little", "big"]
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_V4 = 4  #: bytes of an address of IPv4
_MAPPED = bytes(10) + b"\xff\xff"  #: before it, in an address of IPv6 (RFC 4291, 2.5.5.2)
#: The kernel copies a table page by page, and an entry that moves meanwhile can be left out.
_READS = 3
#: The fields of a line: `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`.
_OWNER, _INODE = 7, 9
_ROOT = 0
#: How users of other namespaces are shown (`/proc/sys/kernel/overflowuid`, a constant in practice).
_NOBODY = 65_534


def trusted(connections: Collection[Connection]) -> set[Connection]:
    """Return the connections whose peer runs as this user or as root. Those of unknown owners are left out.

    Root is trusted because root can read the memory of this process: a refusal would only stop agents that
    are started with `sudo`.
    """
    users = _trusted(user())
    return {connection for connection, user in owners(connections).items() if user in users}


def owners(connections: Collection[Connection]) -> dict[Connection, int]:
    """Return the user ids of the peers. Connections whose owner is unknown are left out.

    Reading the tables takes milliseconds if the machine has many sockets, so they are read once for all.
    """
    found: dict[Connection, int] = {}
    for _ in range(_READS):
        tables = [_content(table) for table in _TABLES]
        for connection in connections:
            for table in tables:
                if connection not in found and (user := owner_in(table, *connection)) is not None:
                    found[connection] = user
        if len(found) == len(connections) or not any(tables):
            break
    return found


def owner_in(table: bytes, peer: End, here: End, byteorder: Order = sys.byteorder) -> int | None:
    """Return the owner of the socket from `peer` to `here` in a table's text; None if it is not listed.

    A socket that its program has closed has no inode, and the table names root as its owner.
    Such an entry is left out. Pure.
    """
    for local, remote in zip(_spelt(*peer[:2], byteorder), _spelt(*here[:2], byteorder), strict=True):
        at = table.find(b" %b %b " % (local, remote))
        if at < 0:
            continue
        fields = table[table.rfind(b"\n", 0, at) + 1 :].split(b"\n", 1)[0].split()
        if len(fields) > _INODE and fields[_OWNER].isdigit() and fields[_INODE] != b"0":
            return int(fields[_OWNER])
    return None


def _trusted(user: int) -> set[int]:
    """Return the user ids that may connect, without `nobody`: users of other namespaces share that id."""
    return {user, _ROOT} - {_NOBODY}


def _spelt(host: str, port: int, byteorder: Order) -> list[bytes]:
    """Return an end as the tables show it, and as an IPv6 socket that carries IPv4 shows it."""
    address = ipaddress.ip_address(host)
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    packed = [address.packed]
    if len(address.packed) == _V4:
        packed.append(_MAPPED + address.packed)
    return [b"%b:%04X" % (_words(each, byteorder), port) for each in packed]


def _words(packed: bytes, byteorder: Order) -> bytes:
    """Return an address in hex: the kernel prints each 32 bits as a number in the machine's byte order."""
    words = (packed[at : at + _V4] for at in range(0, len(packed), _V4))
    return b"".join(b"%08X" % int.from_bytes(word, byteorder) for word in words)


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return b""
