"""Hands messages about a session's configuration to the ledgers of options and of modes.

The ledgers are `config` and `modes`; this module reads the messages for both, and compares the results.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from acp_trace.analyze import facts
from acp_trace.analyze.config import SetRequest
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.handshake import Handshake
from acp_trace.analyze.set_values import OptionKey, Values
from acp_trace.analyze.state import SessionState, SessionUpdate
from acp_trace.protocol import methods
from acp_trace.protocol.message import Message
from acp_trace.trace import jsontext

_Object = dict[str, Any]

#: Open set requests that one update is compared with. Only a hostile trace has more, to slow us down.
_MOST = 100


class ConfigMessages:
    """Processes messages about the configuration of sessions."""

    def __init__(self, handshake: Handshake, findings: Findings) -> None:
        self._handshake = handshake
        self._findings = findings
        self._asked: dict[
            int, tuple[SessionState, _Object]
        ] = {}  #: open set requests and their params, by frame

    def opened(self, session: SessionState, frame: int, t: int, result: _Object) -> None:
        """Process the result of a request that opened the session."""
        session.config.booleans = self._shows_booleans()
        with _judged(session, self._findings):
            session.config.setup(frame, t, result.get("configOptions"), session.turn)
            session.modes.setup(frame, t, result.get("modes"), session.turn)
        session.modes.compare(frame, session.config.mode)

    def asked(self, session: SessionState, message: Message, exchange: Open) -> None:
        """Process a set request; only the client's count."""
        if exchange.sender != "client":
            return
        params = message.part("params")
        self._asked[exchange.frame] = session, params
        session.open_sets[exchange.frame] = _wanted(exchange, params)
        if exchange.method == methods.SET_OPTION:
            session.config.asked(exchange.frame, params)

    def answered(self, t: int, message: Message, exchange: Open) -> bool:
        """Process a response; return whether it answers a set request."""
        if exchange.frame not in self._asked:
            return False
        session, params = self._asked.pop(exchange.frame)
        session.open_sets.pop(exchange.frame, None)
        with _judged(session, self._findings):
            if exchange.method == methods.SET_OPTION:
                session.config.booleans = self._shows_booleans()
                named = jsontext.as_string(params.get("configId"))
                contested = any(one.option_id == named for one in session.open_sets.values())
                session.config.answered(
                    exchange, params, message.part("result"), t, session.turn, contested=contested
                )
            else:
                session.modes.answered(exchange, params, t, session.turn)
        session.modes.compare(exchange.response_frame or exchange.frame, session.config.mode)
        return True

    def options(self, session_update: SessionUpdate) -> None:
        """Process a config_option_update."""
        session = session_update.session
        session.config.booleans = self._shows_booleans()
        listed = session_update.update.members.get("configOptions")
        with _judged(session, self._findings):
            session.config.updated(
                session_update.frame, session_update.t, listed, session.turn_now, _latest(session)
            )
        session.modes.compare(session_update.frame, session.config.mode)

    def mode(self, session_update: SessionUpdate) -> None:
        """Process a current_mode_update."""
        session = session_update.session
        open_ = [
            one._replace(option_id=None) if session.config.is_mode(one.option_id) else one
            for one in _latest(session)
        ]
        with _judged(session, self._findings):
            session.modes.updated(
                session_update.frame, session_update.t, session_update.update.members, session.turn_now, open_
            )
        session.modes.compare(session_update.frame, session.config.mode)

    def _shows_booleans(self) -> bool:
        """Whether the client shows boolean options: only protocol 1 has a capability for them (schema)."""
        version = self._handshake.protocol_version
        return version != 1 or self._handshake.announced("client", "session.configOptions.boolean")


@contextmanager
def _judged(session: SessionState, findings: Findings) -> Iterator[None]:
    """Check whether new entries in the ledgers show that a value that the client had set is lost."""
    before = [(ledger, len(ledger.entries)) for ledger in (session.config, session.modes)]
    yield
    entries = [entry for ledger, count in before for entry in ledger.entries[count:]]
    for lost in session.set_values.take(entries, _values(session, entries)):
        findings.say("config-lost", "agent", entries[0].frame, session.id, lost.message)


def _values(session: SessionState, entries: list[facts.ConfigEntry]) -> Values:
    """Return the values after some entries; empty if they are not needed."""
    if not session.set_values and all(entry.cause != "set" for entry in entries):
        return {}
    values = {OptionKey(False, option): value for option, value in session.config.values.items()}
    if session.modes.current is not None:
        values[OptionKey(True, "mode")] = jsontext.canonical(session.modes.current)
    return values


def _latest(session: SessionState) -> list[SetRequest]:
    """Return the open set requests that an update may already answer, the latest first."""
    return list(islice(reversed(session.open_sets.values()), _MOST))


def _wanted(exchange: Open, params: _Object) -> SetRequest:
    if exchange.method == methods.SET_MODE:
        return SetRequest(exchange.frame, None, jsontext.canonical(params.get("modeId")))
    return SetRequest(
        exchange.frame, jsontext.as_string(params.get("configId")), jsontext.canonical(params.get("value"))
    )
