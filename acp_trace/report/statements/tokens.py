"""Tokens that were read and written, summed, and in words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.report import units


class TokenSum(NamedTuple):
    """What a model read, how much of that came from its cache, and what it wrote."""

    read: int = 0
    cached: int = 0
    written: int = 0

    def plus(self, other: TokenSum) -> TokenSum:
        """Return both together."""
        return TokenSum(*(one + more for one, more in zip(self, other, strict=True)))

    def said(self) -> str:
        """`12 400 tokens in (9 000 cached), 450 out`; empty if there are none."""
        if not self.read and not self.written:
            return ""
        of_cache = f" ({units.number(self.cached)} cached)" if self.cached else ""
        return f"{units.number(self.read)} tokens in{of_cache}, {units.number(self.written)} out"


def of_turn(turn: facts.Turn, calls: Sequence[facts.ModelCall]) -> TokenSum:
    """The tokens of a turn: of its `calls` of the model if any were recorded, else what the agent said."""
    if calls:
        return of_calls(calls)
    return TokenSum(turn.input_tokens or 0, turn.cached_tokens or 0, turn.output_tokens or 0)


def together(every: Iterable[TokenSum]) -> TokenSum:
    """The sum of these."""
    total = TokenSum()
    for each in every:
        total = total.plus(each)
    return total


def of_calls(calls: Iterable[facts.ModelCall]) -> TokenSum:
    """The tokens of calls of a model, as far as the providers reported them."""
    every = [
        TokenSum(call.input_tokens_total or 0, call.cached_tokens or 0, call.output_tokens_total or 0)
        for call in calls
    ]
    return TokenSum(*(sum(column) for column in zip(*every, strict=True))) if every else TokenSum()
