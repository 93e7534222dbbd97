"""Opens an address in the user's browser."""

from __future__ import annotations

import sys


def open_in_browser(url: str) -> None:
    """Open an address, which was printed before; if that is impossible, say so on stderr.

    Returns when the browser has started: some browsers block until they are closed.
    """
    import os
    import webbrowser

    #: Without one of them, what Python finds on Unix is a browser for the terminal, which lacks JavaScript.
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    has_screen = sys.platform in ("darwin", "win32") or any(name in os.environ for name in screens)
    if not (has_screen and webbrowser.open(url)):
        print("acp-trace: no browser could be opened: open the address above", file=sys.stderr)
