"""What every writer takes and gives: shapes only, no rule of any format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.frame import Frame
from acp_trace.trace.entries import Entry


@dataclass(frozen=True, slots=True)
class ExportedTrace:
    """One trace, to be written in another format. Frames and entries can be read more than once."""

    facts: Facts
    frames: Callable[[], Iterator[Frame]]  #: its frames, in order
    entries: Callable[[], Iterator[Entry]]  #: its entries, in order: what the model said is only here
    gist: Callable[[Frame], str]  #: the content of a frame, in a few words, as it came
    content: bool = False  #: whether prompts, answers and files are wanted, where a format leaves it open
    notes: list[str] = field(default_factory=list)  #: what a writer could not write: a few words each


class FormatWriter(Protocol):
    """A function `write` of a module of `acp_trace.formats.writing`."""

    def __call__(self, trace: ExportedTrace) -> Iterator[bytes]:
        """The pieces of the file. Adds to `trace.notes` while they are made."""
        ...
