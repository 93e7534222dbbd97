"""The shapes of what a comparison finds: flat, frozen, with plain values. Nothing here computes much."""

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

    `expected` and `got` are what stood there, in a few words; None if nothing did. `common_…` is the
    last event before it that both have.
    """

    code: str
    severity: str
    session_id: str | None  #: as the expected trace calls it, else the actual one
    message: str
    expected: str | None
    got: str | None
    expected_event: FrameEvent | None
    got_event: FrameEvent | None
    common_expected: FrameEvent | None = None
    common_got: FrameEvent | None = None
    count: int = 1  #: how many like it this one stands for
    pointer: str | None = None  #: where in the frame the value stands that differs
    mask: str | None = None  #: the mask that would hide it, if one could
    refused: str | None = None  #: why a mask that was given does not hide it
    about: str | None = None  #: which option or field, where neither code nor pointer says so
    #: The frame of the actual trace with what brought this about: a request that was refused, a permission
    #: that does not show this, or another divergence. If only the expected trace has it, the frame there.
    consequence_of: int | None = None
    consequence_of_expected: int | None = None
    obeys: Literal["expected", "actual"] | None = (
        None  #: which trace keeps to the protocol here, if one does not
    )
    findings: tuple[str, ...] = ()  #: the codes of what the other one breaks
    allowed: str | None = None  #: the allowance of the settings that makes it a note

    @property
    def follows(self) -> bool:
        """Whether something else brought it about."""
        return bool(self.followed)

    @property
    def is_about_all(self) -> bool:
        """Whether it stands nowhere: neither a frame nor a value is said of either side."""
        return not (self.frames or self.expected is not None or self.got is not None)

    @property
    def frames(self) -> list[tuple[str, int]]:
        """The frames that it is about, each with its trace: the actual one first."""
        events = ("actual", self.got_event), ("expected", self.expected_event)
        return [(trace, event.frame) for trace, event in events if event is not None]

    @property
    def followed(self) -> list[tuple[str, int]]:
        """The frames of what brought it about, each with its trace."""
        frames = ("actual", self.consequence_of), ("expected", self.consequence_of_expected)
        return [(trace, frame) for trace, frame in frames if frame is not None]

    @property
    def rank(self) -> int:
        """How much it weighs: 1 is the heaviest."""
        return codes.rank(self.code)


#: What a check yields.
Divergences = Iterator[Divergence]


@dataclass(frozen=True, slots=True)
class EnvironmentChange:
    """A difference of the environment, which is worth knowing and no divergence by itself."""

    what: str
    expected: str | None
    got: str | None


@dataclass(frozen=True, slots=True)
class FrameCounts:
    """How much was compared: frames of the expected trace, and what had no counterpart on either side."""

    recorded: int
    compared: int
    masked: int  #: values that masks hid
    unmatched: int


@dataclass(frozen=True, slots=True)
class AllowanceUse:
    """How many divergences an allowance of a replay's settings made a note."""

    allowance: str
    uses: int


@dataclass(frozen=True, slots=True)
class PlacedChange:
    """A change, and where its first call stands: behind a frame of the expected or of the actual trace.

    Only a call that one trace alone has stands anywhere; `session_id` as the expected trace calls it.
    """

    change: ModelChange
    session_id: str | None = None
    expected: FrameEvent | None = None
    actual: FrameEvent | None = None
    #: The frames of the actual trace with those of its calls that got an error in place of an answer, each
    #: with the session as above.
    refused: tuple[tuple[int, str | None], ...] = ()

    @property
    def message(self) -> str:
        """What differs, and in which calls."""
        whose = "" if self.change.expected_calls else " in the actual trace"
        return f"{self.change.where}{whose}: {self.change.message}"


@dataclass(frozen=True, slots=True)
class ModelOutcome:
    """The calls of the actual trace. `mode` is that of a replay, None if two traces are compared.

    `answered`, `refused`: how many requests to hosts that are no model a replay answered as recorded, or not.
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
        """Whether the recording was to answer in a replay, and has answered no call."""
        return self.mode == "recorded" and not any(self.matched.values())

    @property
    def changes(self) -> list[ModelChange]:
        """All that differs."""
        return [placed.change for placed in self.placed]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two traces differ in, in the order in which it happened."""

    match: Match
    expected: facts.Trace
    got: facts.Trace
    environment: list[EnvironmentChange]
    divergences: list[Divergence]
    counts: FrameCounts
    masks: list[MaskUse] = field(default_factory=list)
    allowances: list[AllowanceUse] = field(default_factory=list)
    model: ModelOutcome | None = None  #: what became of the calls of a model; None if there is nothing to say
    #: Frames of the expected and of the actual trace that belong together; of a run of updates, the first.
    pairs: list[tuple[int, int]] = field(default_factory=list)
    #: What sessions are called, by the ids that divergences have: `S2`, and `+S2` where only the actual trace
    #: has a session of that id. Empty if neither trace has several.
    session_names: Mapping[str, str] = field(default_factory=dict)

    @property
    def failing(self) -> list[Divergence]:
        """Those that make the traces differ."""
        return [one for one in self.divergences if one.severity == "error"]

    @property
    def notes(self) -> list[Divergence]:
        """Those that do not."""
        return [one for one in self.divergences if one.severity != "error"]

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not self.failing

    @property
    def idle(self) -> list[MaskUse]:
        """Masks that had nothing to hide."""
        return [one for one in self.masks if not one.uses and not one.refused]
