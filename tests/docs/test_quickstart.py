"""docs/quickstart.md is walked as it stands: every command runs, every screen is what is printed.

Numbers, ids and paths of a run are its own, so screens are compared without them.
"""

from __future__ import annotations

from pathlib import Path

from tests.docs.pages import DOCS
from tests.docs.screens import Checkout, in_order, missing
from tests.support import Home

#: What is not run: it waits for a client.
_ELSEWHERE = ("acp-trace record",)


def test_every_command_does_what_the_page_says(home: Home, tmp_path: Path) -> None:
    """From the top to the end, in one folder; a screen is that of the last command before it."""
    checkout = Checkout(home, tmp_path)
    printed, screens = "", 0
    for language, body in in_order(DOCS / "quickstart.md"):
        if body.startswith(_ELSEWHERE):
            continue
        if language == "sh":
            script = body.replace("pip install acp-trace && ", "")
            done = checkout.run(language, script)
            assert done.returncode == (1 if "--stubborn" in script else 0), (script, done.stdout, done.stderr)
            printed = done.stdout + done.stderr
        else:
            assert missing(body, printed) == [], (body, printed)
            screens += 1
    assert screens == 2
