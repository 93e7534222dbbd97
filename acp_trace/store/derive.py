"""The bytes of a stored trace file -> its entries, and its facts by the rules of today."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts
from acp_trace.analyze.merge import Rule
from acp_trace.trace.entries import Entry
from acp_trace.trace.parse import Parser


def derive(pieces: Iterable[bytes], meta_merge: Rule | None = None) -> Facts:
    """The facts of a trace file that comes in pieces."""
    parser, analyzer = Parser(), Analyzer(meta_merge)
    for entry in _parsed(parser, pieces):
        analyzer.feed(entry)
    last, analyzer.torn_bytes = parser.finish()
    if last:
        analyzer.feed(last)
    return analyzer.facts()


def entries(pieces: Iterable[bytes]) -> Iterator[Entry]:
    """The entries of a trace file that comes in pieces."""
    parser = Parser()
    yield from _parsed(parser, pieces)
    last, _ = parser.finish()
    if last:
        yield last


def _parsed(parser: Parser, pieces: Iterable[bytes]) -> Iterator[Entry]:
    for piece in pieces:
        yield from parser.feed(piece)
