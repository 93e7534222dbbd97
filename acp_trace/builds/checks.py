"""What `bisect` looks for in a run: any failure, a divergence or finding by its code, or what a command says.

`divergence=CODE`, `finding=CODE`: whether a run shows it is decided here. A command is run elsewhere; here is
only what its exit code means, as `git bisect run` has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from acp_trace.analyze.findings.codes import CODES as FINDINGS
from acp_trace.builds.judged import JudgedRun
from acp_trace.compare.codes import CODES as DIVERGENCES
from acp_trace.replay.incidents import RUN_CODES
from acp_trace.trace import near_misses

_KINDS = ("divergence", "finding")
#: A command that cannot say ends with this; above 127 it ended by a signal, or the shell could not start it.
_CANNOT_SAY, _LAST = 125, 127


class BadCheck(ValueError):
    """A check that means nothing. The message is one line."""


@dataclass(frozen=True, slots=True)
class Check:
    """What is looked for. `command`: the shell command that decides; then `code` is empty."""

    kind: Literal["any", "divergence", "finding", "command"] = "any"
    code: str = ""
    command: str = ""

    @property
    def words(self) -> str:
        """For people."""
        words = {"any": "any difference", "command": f"`{self.command}` fails"}
        return words.get(self.kind, f"{self.kind} {self.code}")

    @property
    def unexplained(self) -> str:
        """Why a run does not say whether it shows it."""
        if self.kind == "command":
            return f"the command cannot decide: it ended with {_CANNOT_SAY}"
        return f"the run ended too early to show {self.words}"

    def shown(self, run: JudgedRun) -> bool | None:
        """Whether a run shows it; None if it ended too early to show a code. Not for a command."""
        if self.kind == "any":
            return run.became != "passed"
        codes = run.findings if self.kind == "finding" else run.codes
        is_shown = self.code in codes or (run.first is not None and run.first.code == self.code)
        return None if run.became == "died" and not is_shown else is_shown


def check(text: str | None, command: str | None) -> Check:
    """The check that is asked for. Raises BadCheck."""
    if text is not None and command is not None:
        raise BadCheck("give either --check or --check-command, not both")
    if command is not None:
        return Check("command", command=command)
    if text is None:
        return Check()
    kind, equals, code = text.partition("=")
    if not equals or kind not in _KINDS:
        raise BadCheck(f"{text!r} is not divergence=CODE or finding=CODE")
    known = FINDINGS if kind == "finding" else {**DIVERGENCES, **RUN_CODES}
    if code not in known:
        raise BadCheck(f"there is no {kind} {code!r}{near_misses.suggestion(code, known)}")
    return Check("finding" if kind == "finding" else "divergence", code)


def of_exit_code(code: int) -> bool | None:
    """Whether a run shows what the command looks for; None if the command cannot say. Raises BadCheck."""
    if code == _CANNOT_SAY:
        return None
    if not 0 <= code <= _LAST:
        raise BadCheck(f"the check command ended with {code}")
    return code != 0
