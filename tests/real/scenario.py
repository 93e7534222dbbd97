"""A scenario: which client drives which agent, what is asked, and what the trace must then tell."""

from __future__ import annotations

from dataclasses import dataclass

from tests.real import packages, teller
from tests.real.agents import Agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A session with one agent, with and without the recorder, and the facts that follow from it."""

    name: str
    what: str
    agent: Agent
    #: acpx can do one prompt and no more; any other steps are teller.py's: `files`, `prompt TEXT`,
    #: `prompt TEXT CANCEL_METHOD`, `set OPTION VALUE`, `mode MODE`, `await UPDATE_KIND`, `close`.
    steps: tuple[tuple[str, ...], ...]
    interrupt_at: bytes | None = None  #: Ctrl-C for the client when it has printed this
    kill_at: bytes | None = None  #: SIGKILL for the recorder then; there is nothing to compare with
    stop_reasons: tuple[str | None, ...] = ("end_turn",)
    tool_calls: tuple[tuple[str, str], ...] = ()  #: kind and status
    permissions: tuple[tuple[str, str], ...] = ()  #: outcome and kind of the option
    files: tuple[str, ...] = ()  #: the methods that went well, each as often as it was called
    missed: frozenset[str] = frozenset()  #: the methods of which some calls were for a file that is not there
    cancels: tuple[tuple[str, str], ...] = ()  #: kind and outcome
    ended_by: str | None = None
    findings: tuple[str, ...] = ()  #: codes

    @property
    def client(self) -> str:
        """Name and version of the client that does these steps."""
        if [step[:-1] for step in self.steps] == [("prompt",)]:
            return packages.ACPX[0]
        return f"{teller.NAME}@{teller.VERSION}"

    @property
    def prompts(self) -> list[str]:
        """What is asked, in order."""
        return [step[1] for step in self.steps if step[0] == "prompt"]

    @property
    def sets(self) -> list[tuple[str, str]]:
        """Option and value of each set request, in order."""
        return [(step[1], step[2]) for step in self.steps if step[0] == "set"]
