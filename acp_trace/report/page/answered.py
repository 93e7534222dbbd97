"""What a question and its answer are, for all that answer one. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from acp_trace.analyze import facts
from acp_trace.report.session_names import SessionNames

OfSession = facts.Turn | facts.ConfigEntry | facts.Cancellation | facts.MetadataChange
#: The most lines of an answer. A page shows the first of them, and the number of those left out.
MOST = 100


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an answer, and the frame that it is about; `at` names what else in the page means it."""

    text: str
    frame: int
    view: str = "messages"
    at: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question, its answer in a sentence, the first lines that show it, and how many more there would be.

    `mood`: good, bad, or plain if there is nothing to judge.
    """

    question: str
    answer: str
    mood: str
    lines: list[Line]
    more: int


def answer(question: str, text: str, mood: str, lines: Iterable[Line]) -> AnsweredQuestion:
    """An answer with its first lines."""
    every = list(lines)
    return AnsweredQuestion(question, text, mood, every[:MOST], max(len(every) - MOST, 0))


def of_session(fact: OfSession, names: SessionNames) -> str:
    """Which session something is of, if there is more than one."""
    name = names.beside(fact.session_id)
    return f" of {name}" if name else ""
