"""Headers of HTTP: those of ACP, and which values of all others may be shown. Pure.

Any header may hold a secret, so only the values of a few are shown and recorded; all others appear by name
only. (For an agent's traffic with its model, `acp_trace.redact.secret_names` decides.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

Headers = list[tuple[bytes, bytes]]

#: As a client writes them (RFD "Streamable HTTP & WebSocket Transport"), and as they are looked up.
CONNECTION_NAME, SESSION_NAME = "Acp-Connection-Id", "Acp-Session-Id"
CONNECTION_ID, SESSION_ID = CONNECTION_NAME.lower().encode(), SESSION_NAME.lower().encode()

_SHOWN = frozenset(
    b"accept allow content-encoding content-length content-type retry-after server upgrade user-agent "
    b"last-event-id cache-control".split()
) | {CONNECTION_ID, SESSION_ID}
_LONGEST = 500


def value(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """Return the first value of a header, by its name in lower case; empty if there is none."""
    return next((each.decode("latin-1") for key, each in headers if key.lower() == name), "")


def shown(
    headers: Iterable[tuple[bytes, bytes]], but: Collection[bytes] = ()
) -> list[tuple[str, str | None]]:
    """Return names in lower case, with the values that may be shown; None for any other value.

    `but`: more names, in lower case, whose values may not be shown.
    """
    return [
        (name.decode("latin-1"), each.decode("latin-1")[:_LONGEST] if is_shown else None)
        for name, each, is_shown in (
            (key.lower(), each, key.lower() in _SHOWN and key.lower() not in but) for key, each in headers
        )
    ]
