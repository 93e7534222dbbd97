"""Recorded exchanges that are not model calls, found by method, host and path. Pure.

A trace has few bodies of requests to registries, forges and the agents' makers, so they are known by method,
host and path only. Equal exchanges are served in order; the last one is repeated as often as needed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator

from acp_trace.model.exchange import ModelExchange
from acp_trace.model.matching.shapes import ModelRequest

#: The name of one thing of many in a path: a number, or a long word with a digit, as ids and hashes are.
_ID = re.compile(r"(?=[\w.~-]*\d)[\w.~-]{16,}|(?<=/)\d+(?=/|$)")


class OtherHosts:
    """Finds recorded exchanges; it is given all of them at once."""

    def __init__(self, exchanges: Iterable[ModelExchange]) -> None:
        self._groups: defaultdict[Hashable, list[ModelExchange]] = defaultdict(list)
        self._served: set[int] = set()
        for exchange in exchanges:
            for key in _keys(exchange.method, exchange.host, exchange.path):
                self._groups[key].append(exchange)

    def find(self, request: ModelRequest) -> tuple[ModelExchange | None, bool]:
        """Return the recorded exchange, if there is one, and whether it was served before."""
        for key in _keys(request.method, request.host, request.path):
            group = self._groups.get(key)
            if not group:
                continue
            left = [exchange for exchange in group if exchange.number not in self._served]
            equal = (exchange for exchange in left if exchange.request_body == request.body)
            exchange = next(equal, left[0] if left else group[-1])
            self._served.add(exchange.number)
            return exchange, not left
        return None, False


def _keys(method: str, host: str, target: str) -> Iterator[Hashable]:
    """Yield the key of a request as it is; then without what differs from run to run."""
    host = host.lower().removesuffix(":443")
    yield method, host, target
    yield method, host, _ID.sub("*", target.partition("?")[0]), None
