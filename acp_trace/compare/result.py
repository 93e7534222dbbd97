"""The shapes of a comparison's result: flat, frozen, with plain values. Nothing here computes much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from acp_trace.analyze import facts
from acp_trace.compare import codes
from acp_trace.compare.codes import Match
from acp_trace.normalize.masks import MaskUse
from acp_trace.story.frame_event import FrameEvent

if TYPE_CHECKING:
    from acp_trace.model.changes import ModelChange


@dataclass(frozen=True, slots=True)
class Divergence:
    """One place where the actual trace differs from the expected one.

    `expected` and `got` are the contents of both sides, in a few words; None if a side has nothing.
    `common_…` is the last event before it that both have.
    """

    code: str
    severity: str
    session_id: str | None  #: the expected trace's id, or else the actual one's
    message: str
    expected: str | None
    got: str | None
    expected_event: FrameEvent | None
    got_event: FrameEvent | None
    common_expected: FrameEvent | None = None
    common_got: FrameEvent | None = None
    count: int = 1  #: the number of similar divergences that this one stands for
    pointer: str | None = None  #: the place of the differing value in the frame
    mask: str | None = None  #: the mask that would hide it, if one could
    refused: str | None = None  #: why a given mask does not hide it
    about: str | None = None  #: the option or field, if neither code nor pointer shows it
    #: The frame of the actual trace with the cause: a request that was refused, a permission that does not
    #: show this, or another divergence. If only the expected trace has it, the frame there.
    consequence_of: int | None = None
    consequence_of_expected: int | None = None
    obeys: Literal["expected", "actual"] | None = (
        None  #: which trace obeys the protocol here, if one does not
    )
    findings: tuple[str, ...] = ()  #: the codes of the rules that the other trace breaks
    allowed: str | None = None  #: the allowance of the settings that makes it a note

    @property
    def follows(self) -> bool:
        """Whether something else caused it."""
        return bool(self.followed)

    @property
    def is_about_all(self) -> bool:
        """Whether it has no place: neither a frame nor a value is given for either side."""
        return not (self.frames or self.expected is not None or self.got is not None)

    @property
    def frames(self) -> list[tuple[str, int]]:
        """The frames that it is about, each with its trace: the actual one first."""
        events = ("actual", self.got_event), ("expected", self.expected_event)
        return [(trace, event.frame) for trace, event in events if event is not None]

    @property
    def followed(self) -> list[tuple[str, int]]:
        """The frames of its cause, each with its trace."""
        frames = ("actual", self.consequence_of), ("expected", self.consequence_of_expected)
        return [(trace, frame) for trace, frame in frames if frame is not None]

    @property
    def rank(self) -> int:
        """Its weight: 1 is the heaviest."""
        return codes.rank(self.code)


#: The result of a check.
Divergences = Iterator[Divergence]


@dataclass(frozen=True, slots=True)
class EnvironmentChange:
    """A difference of the environment, which is worth knowing but not a divergence by itself."""

    what: str
    expected: str | None
    got: str | None


@dataclass(frozen=True, slots=True)
class SharedFinding:
    """A finding of severity `error` that both traces have, with its first frame in each."""

    code: str
    blame: str
    message: str  #: of the expected trace
    expected_frame: int
    got_frame: int


@dataclass(frozen=True, slots=True)
class FrameCounts:
    """How much was compared: frames of the expected trace, and those without a counterpart on either side."""

    recorded: int
    compared: int
    masked: int  #: values that masks hid
    unmatched: int


@dataclass(frozen=True, slots=True)
class AllowanceUse:
    """The number of divergences that an allowance of a replay's settings made notes."""

    allowance: str
    uses: int


@dataclass(frozen=True, slots=True)
class PlacedChange:
    """A change, and the place of its first call: behind a frame of the expected or of the actual trace.

    Only a call that one trace alone has gets a place; `session_id` is the expected trace's.
    """

    change: ModelChange
    session_id: str | None = None
    expected: FrameEvent | None = None
    actual: FrameEvent | None = None
    #: The frames of the actual trace with those of its calls that got an error instead of an answer, each
    #: with the session as above.
    refused: tuple[tuple[int, str | None], ...] = ()

    @property
    def message(self) -> str:
        """The difference, and the calls that have it."""
        whose = "" if self.change.expected_calls else " in the actual trace"
        return f"{self.change.where}{whose}: {self.change.message}"


@dataclass(frozen=True, slots=True)
class ModelOutcome:
    """The calls of the actual trace. `mode` is that of a replay, None if two traces are compared.

    `answered`, `refused`: how many requests to hosts other than models a replay answered, or refused.
    """

    mode: str | None
    calls: int = 0
    matched: dict[str, int] = field(default_factory=dict)  #: by level, strictest first
    unmatched: int = 0
    placed: list[PlacedChange] = field(default_factory=list)
    answered: int = 0
    refused: int = 0

    @property
    def serves_nothing(self) -> bool:
        """Whether the recording should have answered in a replay, but answered no call."""
        return self.mode == "recorded" and not any(self.matched.values())

    @property
    def changes(self) -> list[ModelChange]:
        """All differences."""
        return [placed.change for placed in self.placed]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences of two traces, in the order in which they happened."""

    match: Match
    expected: facts.Trace
    got: facts.Trace
    environment: list[EnvironmentChange]
    divergences: list[Divergence]
    counts: FrameCounts
    masks: list[MaskUse] = field(default_factory=list)
    allowances: list[AllowanceUse] = field(default_factory=list)
    model: ModelOutcome | None = None  #: the outcome of a model's calls; None if there is nothing to report
    #: Matching frames of the expected and of the actual trace; for a run of updates, the first ones.
    pairs: list[tuple[int, int]] = field(default_factory=list)
    #: The names of sessions, by the ids in divergences: `S2`, and `+S2` if only the actual trace has a
    #: session of that id. Empty if neither trace has several.
    session_names: Mapping[str, str] = field(default_factory=dict)
    shared: list[SharedFinding] = field(default_factory=list)

    @property
    def failing(self) -> list[Divergence]:
        """The divergences that make the traces differ."""
        return [one for one in self.divergences if one.severity == "error"]

    @property
    def notes(self) -> list[Divergence]:
        """The divergences that do not."""
        return [one for one in self.divergences if one.severity != "error"]

    @property
    def equal(self) -> bool:
        """Whether the traces are equal: no divergence is an error."""
        return not self.failing

    @property
    def idle(self) -> list[MaskUse]:
        """Masks that had nothing to hide."""
        return [one for one in self.masks if not one.uses and not one.refused]
