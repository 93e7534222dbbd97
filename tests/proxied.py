"""A recording as a proxy would have it that changes nothing: what the agent says and hears is in envelopes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from acp_trace.protocol.message import MessageKind, read
from acp_trace.trace.entries import Entry, EntryKind
from tests.support import END, header, line

#: What the conductor of the Rust SDK 2.0.0 writes.
ENVELOPE = "_proxy/successor"


def proxied(
    entries: list[Entry], *, method: str | None = ENVELOPE, is_plain: bool = False, wraps_cancels: bool = True
) -> bytes:
    """The trace between a conductor and such a proxy, of the messages among these entries.

    `method`: of the envelopes; None without any. `is_plain`: with what the proxy and the client say.
    `wraps_cancels`: whether `$/cancel_request` is in an envelope, too.
    """
    lines = [header()]
    for entry in entries:
        if entry.kind is EntryKind.FRAME and read(entry.data).kind is not MessageKind.INVALID:
            lines += _lines(entry, method, is_plain=is_plain, is_wrapped=wraps_cancels)
    return b"".join([*lines, line(t=10**15, end=END)])


def _lines(entry: Entry, method: str | None, *, is_plain: bool, is_wrapped: bool) -> Iterator[bytes]:
    message = json.loads(entry.data)
    is_clients = entry.sender == "client"
    plain = [line(t=entry.t, **{"from": entry.sender}, frame=message)] if is_plain else []
    inside = []
    if method is not None:
        other = "agent" if is_clients else "client"
        inside.append(
            line(t=entry.t, **{"from": other}, frame=_carried(message, method, is_wrapped=is_wrapped))
        )
    yield from plain + inside if is_clients else inside + plain


def _carried(message: dict[str, Any], method: str, *, is_wrapped: bool) -> dict[str, Any]:
    """The message in an envelope, with an id of the proxy's own."""
    own = {"id": _own(message["id"])} if "id" in message else {}
    if "method" not in message:
        return message | own
    params: dict[str, Any] = {key: message[key] for key in ("method", "params") if key in message}
    if message["method"] == "$/cancel_request":
        params["params"] = {"requestId": _own(message["params"]["requestId"])}
        if not is_wrapped:
            return {"jsonrpc": "2.0", **params}
    return {"jsonrpc": "2.0", "method": method, "params": params} | own


def _own(id_: Any) -> str:
    return f"own {json.dumps(id_)}"
