"""Reads the entries of one trace, in any pieces, and can return their facts at any time.

It numbers the frames, reads each message once, hands it to the parts that keep state, and returns each
frame with its place among the others. It never raises, whatever the entries hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from acp_trace.analyze import merge
from acp_trace.analyze.batches import BatchPlace, without_places
from acp_trace.analyze.contradictions.contradictions import Contradictions
from acp_trace.analyze.contradictions.messages import LONGEST
from acp_trace.analyze.contradictions.rules import RuleContext
from acp_trace.analyze.exchanges import Exchanges, Open
from acp_trace.analyze.facts import ROWS, Cancellation, Cascade, Fact, Facts, ModelCall, Trace, Turn
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.findings.crash import is_ended_by_others, report_crash, report_silence
from acp_trace.analyze.findings.model_calls import report_outliving, report_turns
from acp_trace.analyze.findings.payloads import PayloadFindings
from acp_trace.analyze.findings.stream_order import StreamOrder
from acp_trace.analyze.findings.unanswered import ENOUGH_NS, Unanswered
from acp_trace.analyze.findings.wire import WireFindings
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.handshake import Handshake
from acp_trace.analyze.inner_connections import InnerConnections
from acp_trace.analyze.session_names import GrowingNames, States, named
from acp_trace.analyze.sessions import Sessions
from acp_trace.analyze.silence import PAUSE_NS
from acp_trace.analyze.trace_totals import TraceTotals
from acp_trace.protocol import methods
from acp_trace.protocol.chunks import MessageReader
from acp_trace.protocol.envelopes import DEEPEST
from acp_trace.protocol.message import Message, MessageKind, batch
from acp_trace.trace.entries import Entry, EntryKind

if TYPE_CHECKING:
    from acp_trace.analyze.model_calls import ModelCalls
    from acp_trace.analyze.model_turns import TurnCalls
    from acp_trace.analyze.streams import NetworkStreams

# Bound once: looking a member up on its enum costs more than the comparison, for every frame.
_FRAME, _REQUEST, _RESPONSE, _NOTIFICATION = (
    EntryKind.FRAME,
    MessageKind.REQUEST,
    MessageKind.RESPONSE,
    MessageKind.NOTIFICATION,
)
_MESSAGES = (_NOTIFICATION, _REQUEST, _RESPONSE)

#: Lists whose rows have no frame of their own, or come in frame order.
_UNSORTED = ("updates", "model_calls", "streams")


class Analyzer:
    """Turns entries into facts: feed it entries, ask for `facts()`.

    `meta_merge`: the rule for _meta, if it is not the rule of the version. `envelopes`: the depth to which
    messages within messages (`protocol.envelopes`) are followed; 0 treats an envelope like any other message.
    """

    def __init__(self, meta_merge: merge.Rule | None = None, envelopes: int = DEEPEST) -> None:
        self.totals = TraceTotals()
        self._read = MessageReader().read
        self._has_batches = False
        self._in_batch: dict[str, None] = {}  #: sessions that a batch named since `fresh` was called
        self._has_pieces = True  #: whether the answers of models have times for their pieces
        self._number = 0
        self._findings = Findings(self.totals.moment)
        self._handshake = Handshake()
        self._exchanges = Exchanges()
        self._wire = WireFindings(self._findings, self._handshake, self._exchanges)
        self._payloads = PayloadFindings(self._findings, self._handshake)
        self._sessions = Sessions(self._findings, self._handshake, self._exchanges, meta_merge)
        self._contradictions = Contradictions(RuleContext(self._findings, self._handshake, self._sessions))
        self._model: ModelCalls | None = None  #: from the first entry of the model's side on
        self._calls_seen = 0  #: model calls that `fresh_calls` has returned
        self._streams: NetworkStreams | None = None  #: from the first entry about a stream on
        self._names = GrowingNames()
        self._inner = InnerConnections(partial(Analyzer, meta_merge, envelopes - 1)) if envelopes else None

    def feed(self, entry: Entry) -> Frame | None:
        """Process the next entry and return its numbered frame; None for a log line, a gap or the footer."""
        kind = entry.kind
        # `max` would cost as much as everything that is decided about a chunk.
        if entry.t > self.totals.latest:  # noqa: PLR1730
            self.totals.latest = entry.t
        if kind is _FRAME:
            return self._message(entry, self._read(entry.data))
        if kind is EntryKind.TEXT:
            return self._message(entry, Message(MessageKind.TEXT, entry.data))
        if kind is EntryKind.BASE64:
            return self._message(entry, Message(MessageKind.BYTES, entry.data))
        if kind is EntryKind.LOG:
            self.totals.log(entry)
        else:
            self._rest(entry, kind)
        return None

    def _rest(self, entry: Entry, kind: EntryKind) -> None:
        """Process an entry that is neither a frame nor a line of stderr."""
        if kind is EntryKind.MODEL:
            self._model_side().feed(entry)
        elif kind is EntryKind.HTTP:
            self._http().feed(entry)
        elif kind is EntryKind.GAP:
            if self._model is not None:
                self._model.feed(entry)
            self.totals.gap(entry)
            self._findings.doubt = "frames were lost"
        elif kind is EntryKind.END:
            self.totals.finish(entry)
        elif kind is EntryKind.DAMAGED:
            self.totals.damage()
            self._findings.doubt = "a line of the trace cannot be read"
        elif kind is EntryKind.HEADER:
            self._begin(entry)

    def _begin(self, entry: Entry) -> None:
        imported = self.totals.begin(entry)
        if imported is not None:
            self._has_pieces = imported.has_pieces
            self._exchanges.has_client_responses = imported.has_client_responses
            self._payloads.is_asked = imported.has_payloads
            if not imported.whole:
                self._findings.doubt = "the log does not have all messages"
                self._findings.tells_doubt_once = True
            elif not imported.ordered:
                self._findings.doubt = "the log does not say what came first"

    def _message(self, entry: Entry, message: Message) -> Frame:
        sender, t, size = entry.sender or "client", entry.t, len(entry.data)
        self._number = number = self._number + 1
        self.totals.count(number, sender, size, t)
        frame = Frame(
            number,
            t if self.totals.has_times else None,
            sender,
            message.kind,
            message.method,
            message.id,
            None,
            message.session_id,
            message.update,
            size,
            entry.data,
            entry.partial,
            entry.stream or None,
        )
        if entry.stream:
            self._on_stream(entry, frame)
        if message.kind is _NOTIFICATION and message.method == methods.UPDATE and sender == "agent":
            self._update(number, t, message)  # nearly all frames are updates: this saves a call
        elif message.kind in _MESSAGES:
            answered = self.take(number, t, sender, message, entry.stream)
            if answered is not None:
                frame.method, frame.answers = answered.method, int(answered.frame)
                frame.session_id = answered.session_id
        elif (messages := batch(message.text)) is not None:
            self.totals.odd[sender] += 1
            self._wire.batch(number, sender, messages)
            self._batch(number, entry, messages)
        else:
            self.totals.odd[sender] += 1
            if sender == "agent":
                self._contradictions.unread(number)
            self._wire.odd(number, sender, self.totals.frames[sender], message, partial=entry.partial)
        return frame

    def _batch(self, number: int, entry: Entry, messages: list[Message]) -> None:
        """Process the messages of a batch, each as if it had a frame of its own."""
        sender, t = entry.sender or "client", entry.t
        self._has_batches = True
        for item, message in enumerate(messages):
            place = BatchPlace(number, item, sender)
            answered = self.take(place, t, sender, message, entry.stream)
            named = message.session_id if answered is None else answered.session_id
            if named is not None:
                self._in_batch[named] = None
        odd = [item for item, message in enumerate(messages) if message.kind is MessageKind.INVALID]
        if odd:
            self._wire.items(BatchPlace(number, odd[0], sender), sender, messages[odd[0]], len(odd))

    def take(self, number: int, t: int, sender: str, message: Message, stream: int = 0) -> Open | None:
        """Hand a message to the parts that it concerns; return the request that a response answers."""
        if message.kind is _NOTIFICATION:
            if message.method == methods.UPDATE and sender == "agent":
                self._update(number, t, message)
            else:
                self._notification(number, t, sender, message)
        elif message.kind is _REQUEST:
            self._request(number, t, sender, message)
        elif message.kind is _RESPONSE:
            return self._response(number, t, sender, message, stream)
        return None

    def _notification(self, number: int, t: int, sender: str, message: Message) -> None:
        self._wire.notification(number, sender, message)
        self._sessions.notification(number, t, sender, message)
        self._judge(number, t, sender, message)
        if self._inner is not None:
            self._inner.call(number, t, sender, message)

    def _request(self, number: int, t: int, sender: str, message: Message) -> None:
        self._wire.request(number, sender, message)
        exchange = self._exchanges.request(number, t, sender, message)
        if sender == "client" and message.method in methods.INITIALIZERS:
            self._handshake.request(message)
        self._sessions.request(number, t, message, exchange)
        self._judge(number, t, sender, message)
        if self._inner is not None:
            self._inner.call(number, t, sender, message)

    def _judge(self, number: int, t: int, sender: str, message: Message) -> None:
        """Check a request or a notification, which the sessions already know, against earlier messages."""
        self._contradictions.request(number, t, sender, message)
        self._payloads.message(number, sender, message, None)

    def _response(self, number: int, t: int, sender: str, message: Message, stream: int) -> Open | None:
        answered = self._exchanges.response(number, t, sender, message)
        if stream and answered is not None:
            self._order().feed(sender, stream, answered.method, answered.session_id)
        self._wire.response(number, sender, message, answered)
        if answered is None:
            return None
        if answered.sender == "client" and answered.method in methods.INITIALIZERS:
            self._handshake.response(message)
            self._findings.tell_protocol(self._handshake.other_protocol(), answered.frame)
            self._wire.agreed()
        self._sessions.response(number, t, message, answered)
        self._contradictions.response(number, t, message, answered)
        self._payloads.message(number, sender, message, answered)
        if self._inner is not None:
            self._inner.response(number, t, sender, message, answered)
        return answered

    def _update(self, number: int, t: int, message: Message) -> None:
        """Process an update of the agent; most are chunks of text, which need few checks."""
        text, chunks = message.chunk, self._sessions.chunks
        if message.chunk_of is None and self._handshake.protocol_version != 1:
            text = None  # version 2 requires the id of its message
        if text is not None and chunks is not None and (run := chunks.run) is not None:
            # Inline: a call would cost as much as everything that is decided here.
            gap = t - chunks.until
            is_next = message.update == chunks.kind and message.session_id == chunks.session.id
            is_next = is_next and message.chunk_of == run.message_id
            if is_next and gap < PAUSE_NS:
                if gap > chunks.gap:
                    chunks.gap, chunks.gap_frame = gap, chunks.frame
                chunks.more += 1
                chunks.until, chunks.frame = t, number
                if len(text) == run.length:
                    self._contradictions.went_on(number, chunks, run, text)
                    return
                run.length += len(text)
                if run.length <= LONGEST:
                    run.texts.append(text)
                return
        if message.update not in self._wire.plain or message.flaw is not None:
            self._wire.update(number, message)
        self._sessions.update(number, t, message)
        if text is not None:
            named, kind = message.session_id or "", message.update or ""
            run = self._contradictions.chunk(number, named, kind, text, message.chunk_of)
            if self._sessions.chunks is not None:
                self._sessions.chunks.run = run
        else:
            self._payloads.message(number, "agent", message, None)
        self._contradictions.update(number, t, message)

    def _on_stream(self, entry: Entry, frame: Frame) -> None:
        self._http().frame(frame, entry.t)
        if frame.kind is not _RESPONSE:
            self._order().feed(frame.sender, entry.stream, frame.method, frame.session_id)

    def _http(self) -> NetworkStreams:
        if self._streams is None:
            from acp_trace.analyze.streams import NetworkStreams

            self._streams = NetworkStreams()
        return self._streams

    def _order(self) -> StreamOrder:
        if self._findings.order is None:
            self._findings.order = StreamOrder()
        return self._findings.order

    def fresh(self, session_id: str | None) -> Facts:
        """Return what frames have added since the last call, for live views; others ask for `facts`.

        The rows are cancels and findings and, of the session that the frames named (or those of a batch),
        turns, tool calls and permissions that began or ended, metadata and configuration.
        """
        facts = Facts(self.trace())
        for id_ in (session_id, *self._in_batch):
            _sort(self._sessions.fresh(id_), facts)
        self._in_batch.clear()
        if self._inner is not None:
            _sort(self._inner.fresh(), facts)
        facts.findings.extend(self._findings.fresh())
        return self._as_known(facts)

    def facts(self, *, over: bool = True) -> Facts:
        """Return the facts of the entries so far; `over`: whether what is open now stays open."""
        facts = Facts(self.trace())
        calls = self._calls()
        _sort(self._sessions.rows(self.totals.latest, calls), facts)
        facts.exchanges.extend(one.fact() for one in self._exchanges.all)
        if self._inner is not None:
            _sort(self._inner.rows(self.totals.latest), facts)
        for name in ROWS:
            if name not in _UNSORTED:
                getattr(facts, name).sort(key=_frame_of)
        facts.sessions[:] = named(facts.sessions)
        if calls is not None:
            facts.model_calls.extend(calls.rows())
        if self._streams is not None:
            facts.streams.extend(self._streams.rows())
        moments = {one.frame: one.t_ns for one in facts.exchanges}
        facts.findings.extend((self._at_end(facts.model_calls) if over else self._findings).all(moments))
        return self._as_known(facts)

    def ending(self) -> Facts:
        """Return what only the end shows, for live views: turns and cancels left open, and findings."""
        facts, calls = Facts(self.trace()), self._calls()
        _sort(filter(_is_open, self._sessions.rows(self.totals.latest, calls)), facts)
        findings = self._at_end([] if calls is None else calls.rows())
        facts.findings.extend(sorted(findings.fresh(), key=_frame_of))
        return self._as_known(facts)

    def _as_known(self, facts: Facts) -> Facts:
        """Return the facts with plain frame numbers, and without what the trace cannot show."""
        if self._has_batches:
            facts = without_places(facts)
        if self.totals.has_times:
            return facts
        from acp_trace.analyze.timeless import without_times

        return without_times(facts)

    def session_names(self) -> dict[str, str]:
        """Return the sessions' names in reports, by their ids, for live views that do not ask for facts."""
        self._names.add(self.session_states())
        return self._names.by_id

    def session_states(self) -> Iterator[States]:
        """Yield the sessions of each connection, with the prefix of their ids in the facts."""
        yield "", self._sessions.all
        if self._inner is not None:
            yield from self._inner.session_states()

    def is_busy(self) -> bool:
        """Whether a turn is open now."""
        return any(True for _ in self._sessions.open_prompts())

    def fresh_calls(self) -> list[ModelCall]:
        """Return the model calls that have ended since the last call, in the order in which they began."""
        over = [] if self._model is None else self._model.over(self._calls_seen)
        if not over or (calls := self._calls()) is None:
            return []
        self._calls_seen += len(over)
        fresh = {(call.exchange, call.started_ns) for call in over}
        return [call for call in calls.rows() if (call.exchange, call.started_ns) in fresh]

    def _model_side(self) -> ModelCalls:
        if self._model is None:
            from acp_trace.analyze.model_calls import ModelCalls  # 50 ms, for traces that have one

            self._model = ModelCalls(self._sessions.all, self._sessions.cancels, has_pieces=self._has_pieces)
        return self._model

    def _calls(self) -> TurnCalls | None:
        """Return the model's calls by turn. None without any: they may have bypassed the recorder."""
        calls = [] if self._model is None else self._model.calls()
        if not calls:
            return None
        from acp_trace.analyze.model_turns import TurnCalls

        return TurnCalls(calls, self._sessions.cancels, self.totals.latest)

    def _at_end(self, calls: Iterable[ModelCall]) -> Findings:
        """Return a copy of the findings, with those that hold if nothing more comes."""
        findings, calls = self._findings.at_end(), list(calls)
        report_outliving(calls, findings)
        report_turns(calls, self._sessions.all, findings)
        end, header = self.totals.end, self.totals.header
        # Requests that are open when acp-trace ends a run might have been answered: neither side is to blame.
        if end is not None and end.aborted is not None:
            return findings
        if end is None and not self.totals.is_log:
            findings.doubt = "the trace has no end"
        elif end is None:
            findings.doubt = findings.doubt or "the log does not say how it ended"
        open_turns = self._sessions.open_prompts()
        crash = report_crash(end, header.origin, self._exchanges.all, open_turns, findings)
        report_silence(end, header.origin, self.totals.spoken, findings)
        self.totals.report_large(findings)
        if end is not None and is_ended_by_others(end) and self.totals.has_times:
            findings.until = self.totals.latest - ENOUGH_NS
        unanswered = Unanswered(
            self._exchanges.all,
            end,
            self.totals.latest if self.totals.has_times else None,
            is_log=self.totals.is_log,
            crash=crash,
            lost=findings.lost,
            worked=self._sessions.worked(),
        )
        self._wire.at_end(findings, unanswered)
        self._sessions.at_end(findings, unanswered)
        self._contradictions.at_end(findings)
        return findings

    def trace(self) -> Trace:
        """Return the fact of the whole connection, as far as it is known."""
        seen = None if self._model is None else self._model.seen
        requests, refused = (None, None) if seen is None else (seen.requests, seen.refused)
        return self.totals.fact(self._handshake, self._sessions.rule, requests, refused)


def _frame_of(fact: Any) -> int:
    return int(fact.cancel_frame if isinstance(fact, Cascade) else fact.frame)


def _is_open(fact: Fact) -> bool:
    """Whether a fact is an open turn, or an unsettled cancel of a request."""
    if isinstance(fact, Cancellation) and fact.target_frame is None:
        return False
    return isinstance(fact, Turn | Cancellation) and fact.settled_frame is None


def _sort(facts: Iterable[Fact], into: Facts) -> None:
    """Put each fact into the list of its kind."""
    lists = {rows: getattr(into, name) for name, rows in ROWS.items()}
    for fact in facts:
        lists[type(fact)].append(fact)
