"""What runs where: the one table behind the docs. Data only.

`yes`: the suite has run there. `not run yet`: the code is written for that system, and its types are checked
for it, but the suite has not run there. A text: what is missing.
"""

from __future__ import annotations

from typing import NamedTuple

YES, UNTRIED = "yes", "not run yet"


class Support(NamedTuple):
    """Some commands or options, and what each system does with them."""

    commands: tuple[str, ...]
    linux: str
    macos: str
    windows: str


TABLE = (
    Support(("show", "ls", "frames", "diff", "view", "query", "check"), YES, UNTRIED, UNTRIED),
    Support(("import", "export", "redact"), YES, UNTRIED, UNTRIED),
    Support(("record",), YES, UNTRIED, UNTRIED),
    Support(("install", "uninstall"), YES, UNTRIED, UNTRIED),
    Support(("replay", "mock", "drive"), YES, UNTRIED, UNTRIED),
    Support(("record --model",), YES, UNTRIED, UNTRIED),
    Support(
        ("replay --allow-terminal",),
        "yes; on Linux 5.13+, commands that the agent asks for can write only in the replay's directories",
        "not run yet; commands that the agent asks for can write anywhere",
        "no",
    ),
    Support(("matrix", "bisect"), YES, UNTRIED, UNTRIED),
)
