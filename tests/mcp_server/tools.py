"""A tool called in this process, as the server calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from acp_trace.mcp_server.table import call
from acp_trace.trace.home import Home as TraceHome
from tests.support import Home


class Tools:
    """The tools over one home."""

    def __init__(self, home: Home) -> None:
        self.home = TraceHome(home.path)

    def answer(self, name: str, **arguments: Any) -> Any:
        """The document of a call that must succeed."""
        answer = call(self.home, name, _plain(arguments))
        assert not answer.is_error, answer.text
        return json.loads(answer.text)

    def refusal(self, name: str, **arguments: Any) -> str:
        """The line of a call that must be refused."""
        answer = call(self.home, name, _plain(arguments))
        assert answer.is_error, answer.text
        return answer.text


def _plain(arguments: dict[str, Any]) -> dict[str, Any]:
    return {key: str(value) if isinstance(value, Path) else value for key, value in arguments.items()}
