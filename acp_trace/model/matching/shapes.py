"""A request that needs an answer, and the result: the recorded call that matches, or the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from acp_trace.model.calls import ModelCall
from acp_trace.model.matching.levels import Level
from acp_trace.model.problems import Headers
from acp_trace.model.prompt_diff import PromptDiff
from acp_trace.model.serving.rewriting import Rewriting


class ModelRequest(NamedTuple):
    """A request of the run. `path` is its target, with the query.

    For a call on a WebSocket: the request that opened it, with the message `response.create` as its body.
    """

    method: str
    host: str
    path: str
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class MatchedCall:
    """The recorded call that answers a request.

    `again`: all calls that match have been served before. `rewrite` adapts the recorded answer to the run.
    """

    call: ModelCall
    level: Level
    again: bool
    rewrite: Rewriting


@dataclass(frozen=True, slots=True)
class MissedCall:
    """No recorded call answers a request. `nearest` is the most similar call, if any has its form."""

    nearest: ModelCall | None
    difference: PromptDiff | None


@dataclass(frozen=True, slots=True)
class CallPair:
    """A recorded call and the call of the other trace that matches it; None if there is none."""

    recorded: ModelCall | None
    actual: ModelCall | None
    level: Level | None
