"""Well-known shapes of tokens: secrets that are recognisable anywhere.

`token_shapes` has the prefixes and lengths, `signs` tests quickly that a text has none of them. This module
searches for them, for the one shape without a prefix, and for what follows `Bearer`, `Basic` and names of
headers.
"""

from __future__ import annotations

import base64
import re
from functools import lru_cache
from itertools import chain

from acp_trace.redact import pem, secret_names, signs
from acp_trace.redact.token_shapes import DASHED, DOTTED, MAKERS, ODD, Maker

#: Zhipu and Ollama: an id of hexadecimal digits, a dot, a secret. Found by the dot.
_ID_AND_SECRET = re.compile(
    r"\.(?<=[0-9a-f]{32}\.)(?:(?<![A-Za-z0-9][0-9a-f]{32}\.)|(?<=\\[nrt][0-9a-f]{32}\.))(?=[A-Za-z]{0,100}+\d)[A-Za-z0-9_-]{16,64}(?![\w.-])"
)
_ID_SIZE = 32
#: `Basic` and six characters; all others are longer.
_SHORTEST = 12
#: RFC 6750; the scheme in any case (RFC 9110, 11.1)
_BEARER = re.compile(r"[Bb](?i:earer)\s+((?=[^\s\"']*\d)[A-Za-z0-9._~+/-]{16,}=*)")
#: RFC 7617: the base64 of `USER:PASSWORD`.
_BASIC = re.compile(r"[Bb](?i:asic)\s+([A-Za-z0-9+/]{6,}={0,2})(?![\w+/=])")
#: Headers with a key, in any case (RFC 9110, 5.1): some by these words, all `x-…` by their names.
_HEADER = re.compile(
    rf"(?i:{'|'.join(signs.HEADERS)}|(?<![A-Za-z0-9])(x-[\w-]{{1,60}}))\\{{0,3}}[\"']?\s*[:=]\s*\\{{0,3}}[\"']?"
    r"(?:(?i:token|apikey|key|bearer)\s+)?((?=[^\s\"']*\d)[A-Za-z0-9._~+/-]{16,}=*)"
)

#: By the mark of each prefix, because most texts have few of the marks.
_BY_PREFIX: dict[str, dict[str, list[Maker]]] = {}
for _maker in MAKERS:
    for _prefix in _maker.prefixes:
        _BY_PREFIX.setdefault(signs.mark_of(_prefix) or "", {}).setdefault(_prefix, []).append(_maker)


def may_hold(text: str) -> bool:
    """Whether a text may hold a shape, apart from escapes."""
    return len(text) >= _SHORTEST and signs.in_text(text)


def spans(text: str) -> list[tuple[int, int]]:
    """Return where tokens and private keys are in a text, each once; one may be inside another."""
    ranges: dict[tuple[int, int], None] = {}
    marked = (prefixes.items() for mark, prefixes in _BY_PREFIX.items() if mark in text)
    for prefix, makers in chain.from_iterable(marked):
        if prefix in text:
            for maker in makers:
                ranges.update(dict.fromkeys(one.span() for one in _pattern(maker, prefix).finditer(text)))
    for sign, spelt in ODD.items():
        if sign in text:
            pattern = _odd(spelt)
            ranges.update(dict.fromkeys(one.span(pattern.groups) for one in pattern.finditer(text)))
    if "." in text:
        ids = _ID_AND_SECRET.finditer(text)
        ranges.update(dict.fromkeys((one.start() - _ID_SIZE, one.end()) for one in ids))
    ranges.update(dict.fromkeys(one.span(1) for one in _BEARER.finditer(text)))
    low = text.lower()
    if any(name in low for name in (*signs.HEADERS, "x-")):
        headers = (one for one in _HEADER.finditer(text) if one[1] is None or secret_names.is_header(one[1]))
        ranges.update(dict.fromkeys(one.span(2) for one in headers))
    if "basic" in low:
        ranges.update(dict.fromkeys(one.span(1) for one in _BASIC.finditer(text) if _is_login(one[1])))
    ranges.update(dict.fromkeys(pem.spans(text)))
    return list(ranges)


@lru_cache(None)
def _pattern(maker: Maker, prefix: str) -> re.Pattern[str]:
    r"""Return what finds a maker's keys: not inside a word, but after the `\n` of JSON that is in a string.

    Only ASCII letters and digits make a word: what people write before a token may have no space in it. If
    the prefix is short and ends in a hyphen, a hyphen before it also continues a word. The prefix comes first
    in the expression, because that makes the search fast.
    """
    spelt = re.escape(prefix)
    before = "A-Za-z0-9-" if maker.of in (DASHED, DOTTED) and len(prefix) <= signs.SHORT else "A-Za-z0-9"
    start = "" if maker.inside else rf"(?:(?<![{before}]{spelt})|(?<=\\[nrt]{spelt}))"
    others = maker.of.replace("0-9", "")
    digit = rf"(?=[{others}]{{0,200}}+\d)" if maker.needs else ""
    if maker.needs in ("random", "mixed"):
        run = rf"|[{maker.of}]{{0,200}}?[A-Za-z0-9]{{16}}" if maker.needs == "random" else ""
        digit += rf"(?=[{maker.of.replace('A-Z', '')}]{{0,200}}+[A-Z]{run})"
    most = "" if maker.most is None else str(maker.most)
    end = rf"{maker.then}(?![A-Za-z0-9])" if most else maker.then
    return re.compile(rf"{spelt}{start}{digit}[{maker.of}]{{{maker.least},{most}}}{end}")


@lru_cache(None)
def _odd(spelt: str) -> re.Pattern[str]:
    return re.compile(spelt)


def _is_login(spelt: str) -> bool:
    """Whether a word is the base64 of `USER:PASSWORD`, and not a word."""
    try:
        text = base64.b64decode(spelt + "=" * (-len(spelt) % 4), validate=True)
        return b":" in text and text.decode().isprintable()
    except ValueError:
        return False
