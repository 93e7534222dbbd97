"""Whether the packages for HTTP and WebSocket are installed: the extra `http`."""

from __future__ import annotations

from importlib.util import find_spec

#: One line for people who lack it.
INSTALL = "HTTP and WebSocket need more packages: pip install 'acp-trace[http]'"
_PACKAGES = ("hypercorn", "httpx", "h2", "websockets")


def is_installed() -> bool:
    """Whether every package of the extra can be imported. Imports none of them."""
    return all(find_spec(name) is not None for name in _PACKAGES)
