"""Types of the parts of a page: the makers return them, and the scripts read them. Shapes only.

`docs/script_types.py` writes them in TypeScript for the scripts. A row, which is an array in JSON, is a
NamedTuple here. Frame 0 and turn 0 mean that there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

from acp_trace.analyze import facts
from acp_trace.model import shapes
from acp_trace.report.page.answered import AnsweredQuestion

Mood = Literal["good", "bad", "odd", "plain", ""]
#: Where a link leads: the name of a view, and what is chosen there.
Place = tuple[str, Mapping[str, str | int]]


class PageTrace(TypedDict):
    """One trace of a page. Its parts are `KEY/…`."""

    key: str
    id: str
    label: str


class PageComparison(TypedDict):
    """One comparison of a page: the keys of its traces."""

    expected: str
    actual: str
    label: str
    equal: bool


class CheckRow(NamedTuple):
    """A budget, a code or a requirement: its outcome and place. `label`: the trace's, if there are more."""

    outcome: str
    name: str
    said: str
    trace: str | None
    frame: int | None
    label: str | None = None


class CheckDocument(TypedDict):
    """What a check or a judgement of conformance says. `names`: the heading of the second column."""

    heading: str
    mood: Mood
    rows: list[CheckRow]
    names: NotRequired[str]


class PageExtras(TypedDict, total=False):
    """Members that only some pages have. `list`: the address of the list of all traces."""

    comparisons: list[PageComparison]
    check: CheckDocument
    list: str


class PageDocument(PageExtras):
    """`page.json`."""

    acp_trace_page: int
    kind: str
    title: str
    traces: Sequence[PageTrace]


class AboutDocument(TypedDict):
    """What is known of a trace as a whole. `rows`: names and texts."""

    client: str
    agent: str
    verdict: str
    mood: Mood
    end: str
    frames: str
    took: str
    rows: list[tuple[str, str]]


class FilterField(NamedTuple):
    """A field of the filter language: docs/filter.md."""

    name: str
    type: str
    meaning: str
    example: str
    values: tuple[str, ...]
    aliases: Mapping[str, str]


class FilterDocument(TypedDict):
    """The filter language."""

    fields: list[FilterField]
    aliases: dict[str, str]
    operators: tuple[str, ...]
    times: Mapping[str, int]
    sizes: Mapping[str, int]
    longest: int
    deepest: int


class ColumnsDocument(TypedDict):
    """What is known of all frames together: `columns.Index`."""

    frames: int
    live: bool
    block: int
    layout: tuple[tuple[str, int], ...]
    kinds: tuple[str, ...]
    pages: list[int]
    far: list[tuple[int, int]]
    methods: list[str]
    updates: list[str]
    sessions: list[str]
    filter: FilterDocument


class IndexDocument(ColumnsDocument):
    """`KEY/index.json`. `seen`: how many entries of a live trace were read."""

    seen: int
    about: AboutDocument


class BetweenRow(NamedTuple):
    """A line of stderr, or a gap, in `KEY/logs.json`: the frame after which it came, and when (ns)."""

    after: int
    t_ns: int
    what: Literal["log", "gap"]
    text: Any


class TurnRow(NamedTuple):
    """Where the time of a turn went. `turn`: its number among all; `shares`: ns; `width`: of CSS."""

    name: str
    turn: int
    took: str
    ended: str
    cancel: int | None
    prompt: str
    frame: int
    shares: list[int]
    words: str
    width: str


class TurnsDocument(TypedDict):
    """`legend`: the parts of a turn's time, none without times. `more`: how many turns are not listed."""

    legend: list[str]
    rows: list[TurnRow]
    more: int


class SpentRow(NamedTuple):
    """Tokens and cost of a session, turn or model, as texts."""

    name: str
    place: Place
    read: str
    cached: str
    written: str
    cost: str


class SpentGroup(TypedDict):
    """All sessions, all turns, or all models."""

    heading: str
    rows: list[SpentRow]


class SpentDocument(TypedDict):
    """`sum`: a sentence, empty if nothing is known."""

    sum: str
    has_cached: bool
    has_cost: bool
    groups: list[SpentGroup]


class FailureRow(NamedTuple):
    """A request that failed or was never answered. `lines` of stderr, with the frame before each.

    `left_out`: how many lines are not shown, and the filter that finds all.
    """

    sender: str
    method: str
    answer: str
    took: str
    said: str
    lines: list[tuple[str, int | None]]
    left_out: tuple[int, str] | None
    frame: int
    status: str


class FailuresDocument(TypedDict):
    """`more`: how many are not listed."""

    rows: list[FailureRow]
    more: int


class OverviewDocument(TypedDict):
    """`KEY/overview.json`. `findings`: their indexes, in the order of reports.

    `stderr_left_out`: of a finding, by its index, as in `FailureRow`.
    """

    answers: list[AnsweredQuestion]
    findings: list[int]
    stderr_left_out: dict[int, tuple[int, str]]
    turns: TurnsDocument
    spent: SpentDocument
    failures: FailuresDocument


class StateChange(TypedDict):
    """A name with its values before and after, as JSON text. `is_value` is false if these are not values."""

    name: str
    before: str | None
    after: str | None
    is_value: bool
    is_known: bool


class AskedChange(TypedDict):
    """What a request wanted to change."""

    frame: int | None
    name: str
    value: str | None


class SessionStep(TypedDict):
    """A frame with metadata or configuration."""

    frame: int
    t_ns: int | None
    how: str
    style: str
    changes: list[StateChange]
    asked: NotRequired[AskedChange]


class SessionSteps(TypedDict):
    """The steps of a session, in the order of their frames."""

    session_id: str
    title: str | None
    steps: list[SessionStep]


#: Texts, frames, and links into another view.
Words = list[str | int | tuple[str, Mapping[str, str | int], str]]


class CancelBar(NamedTuple):
    """What came after a cancel, until when (ns since it; None: it never ended), and how it ended."""

    what: Words
    ns: int | None
    how: str
    kind: str


class LateUpdate(TypedDict):
    """An update that came after a cancelled turn had settled."""

    frame: int
    after_ns: int


class DrawnCancel(TypedDict):
    """A cancel."""

    session_id: str | None
    frame: int
    t_ns: int | None
    kind: str
    outcome: str
    mood: Mood
    of: Words
    bars: list[CancelBar]
    late_updates: int
    late: list[LateUpdate]


class StateDocument(TypedDict):
    """`KEY/state.json`."""

    sessions: list[SessionSteps]
    cancels: list[DrawnCancel]


class TranscriptSlice(NamedTuple):
    """A part of the conversation: its number, its first frame, how many items, and about how many lines."""

    number: int
    first: int
    items: int
    lines: int


class ItemBase(TypedDict):
    """What every item of the conversation has.

    `history`: the request that sent it again. Of what a subagent did, its `depth`, and the titles of the tool
    calls `above`, outermost first, once above the first item.
    """

    kind: str
    frame: int
    t_ns: int | None
    history: NotRequired[int]
    depth: NotRequired[int]
    above: NotRequired[str]


class TextItem(ItemBase):
    """A message, a thought, a plan or a cancel. `by`: the session that sent it; `turn`: counted from 1."""

    text: str
    by: NotRequired[str]
    turn: NotRequired[int]


class DiffHunk(TypedDict):
    """Lines that begin with `+`, `-` or a space. `before`, `after`: numbers of the first ones, 0 for none."""

    before: NotRequired[int]
    after: NotRequired[int]
    lines: list[str]


class FileDiff(TypedDict):
    """The diff of a file, or a patch of several; `added`, `removed`: lines."""

    path: str
    is_new: bool
    added: NotRequired[int]
    removed: NotRequired[int]
    hunks: list[DiffHunk]


class TextPart(TypedDict):
    """A text that a tool call holds."""

    text: str


class DiffPart(TypedDict):
    """A diff that a tool call holds."""

    diff: FileDiff


class TerminalPart(TypedDict):
    """What a terminal of a tool call printed. `exit` says how its command ended; empty while it runs."""

    terminal: str
    command: str
    output: str
    exit: str


ToolPart = TextPart | DiffPart | TerminalPart


class ToolLocation(TypedDict):
    """A file that a tool call is about."""

    path: str
    line: int | None


class HeldByTool(TypedDict):
    """What a tool call holds at the end; of its input and output, the frames that have them."""

    content: list[ToolPart]
    locations: list[ToolLocation]
    raw_input_frame: int | None
    raw_output_frame: int | None
    last_frame: int


class ToolItem(ItemBase, HeldByTool):
    """A tool call."""

    id: str
    title: str | None
    tool_kind: str | None
    status: str | None
    duration_ns: int | None
    took: str


class PermissionOption(TypedDict):
    """An option of a permission, as its request has it."""

    id: Any
    name: Any
    kind: Any


class PermissionItem(ItemBase):
    """A permission that was asked for."""

    title: str | None
    outcome: str
    option_id: str | None
    option_kind: str | None
    wait_ns: int | None
    options: list[PermissionOption]


class SubagentItem(ItemBase):
    """A session of a subagent, where it was announced."""

    session: str
    title: str | None
    took: str


class EndItem(ItemBase):
    """The end of a turn, or that it had none. `turn`: its number among all."""

    turn: int
    settled: bool
    stop_reason: str | None
    error_code: int | None
    error: str | None
    duration_ns: int | None


class LogItem(ItemBase):
    """Lines of stderr."""

    lines: list[str]


class HistoryItem(ItemBase):
    """What was said before, and sent again after the request `by`."""

    by: int
    items: int
    slices: list[TranscriptSlice]


AnyItem = TextItem | ToolItem | PermissionItem | SubagentItem | EndItem | LogItem | HistoryItem


class SessionTranscript(TypedDict):
    """The slices of a session."""

    session_id: str
    title: str | None
    slices: list[TranscriptSlice]


class TranscriptDocument(TypedDict):
    """`KEY/transcript.json`. `outside`: lines of stderr that came while several sessions were at work."""

    sessions: list[SessionTranscript]
    outside: int


class CallRow(NamedTuple):
    """A call of the model. `turn`: its number among all."""

    call: int
    turn: int
    name: str
    texts: list[str]
    is_odd: bool


class CallsDocument(TypedDict):
    """`KEY/model/calls.json`."""

    sum: str
    rows: list[CallRow]


#: Where a piece is: the number of its part, and its index there.
PiecePlace = tuple[int, int]


class PlacedPrompt(TypedDict):
    """A prompt of which what repeats is in pieces: `str`, `list[shapes.Tool]`, `shapes.PromptMessage`."""

    model: str | None
    system: PiecePlace | None
    tools: PiecePlace | None
    parameters: dict[str, Any]
    messages: list[PiecePlace]


class CallDifference(TypedDict):
    """What is new in a call: lines that begin with `+ `, `- ` or neither."""

    message: str
    lines: list[str]


class CallDocument(TypedDict):
    """`KEY/model/N.json`. `before`: the call that `difference` is to; `note`: why there is none."""

    call: facts.ModelCall
    form: str
    continues: int | None
    prompt: PlacedPrompt
    answer: shapes.Answer
    before: NotRequired[int]
    difference: NotRequired[list[CallDifference]]
    note: str


class ComparedCause(TypedDict):
    """A divergence, those that repeat it, and those that follow from it: indices."""

    first: int
    count: int
    repeats: list[int]
    consequences: list[int]


class ComparisonDocument(TypedDict):
    """What is read of a comparison first: `comparison_document`."""

    rows: int
    ids: list[str]
    block: int
    first: int | None
    verdict: str
    about: list[str]
    facts: list[str]
    places: list[int]
    calls: dict[str, list[list[int]]]
    causes: list[ComparedCause]
    prompts: list[ComparedCause]
    notes: list[ComparedCause]


class AlignmentDocument(ComparisonDocument):
    """`KEY/alignment.json`. `elsewhere`, by row: a divergence, and the member with the list that differs."""

    elsewhere: dict[str, list[tuple[int, str]]]
    masked: dict[str, dict[str, list[str]]]
