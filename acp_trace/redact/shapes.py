"""Well-known shapes of tokens: what is a secret by its looks, wherever it stands. And cheap signs of them.

Each shape has a prefix that its maker gave it so that it can be found, and a length that no word has.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from acp_trace.redact import pem


class _Shape(NamedTuple):
    """How a token begins, and what finds it there. Of the groups, the last is the secret."""

    prefix: str
    pattern: re.Pattern[str]


def _shape(prefix: str, rest: str, *, before: str = r"[A-Za-z0-9]") -> _Shape:
    r"""Not in the middle of a word; but after the `\n` of JSON that stands in a string.

    Only letters and digits of ASCII make a word: what people write before a token may have no space in it.
    The prefix comes first, for then a search is fast.
    """
    start = rf"(?:(?<!{before}{prefix})|(?<=\\[nrt]{prefix}))" if before else ""
    return _Shape(prefix, re.compile(prefix + start + rest, re.DOTALL))


_SHAPES = (
    _shape("sk-", r"(?=[A-Za-z_-]{0,200}+\d)[A-Za-z0-9_-]{16,}", before=r"[A-Za-z0-9-]"),  # OpenAI …
    _shape("sk-ant-", r"[A-Za-z0-9_-]{16,}", before=""),  # Anthropic
    _shape("sk-proj-", r"[A-Za-z0-9_-]{16,}", before=""),
    _shape("sk_", r"(?:live|test)_[A-Za-z0-9]{16,}"),  # Stripe
    _shape("rk_", r"(?:live|test)_[A-Za-z0-9]{16,}"),
    _shape("gh", r"[pousr]_[A-Za-z0-9]{20,}"),  # GitHub
    _shape("gh", r"[pousr]_[A-Za-z0-9]{36,}", before=""),
    _shape("github_pat_", r"[A-Za-z0-9_]{22,}", before=""),
    _shape("glpat-", r"[A-Za-z0-9_-]{16,}", before=""),  # GitLab
    _shape("xox", r"[a-z]-[A-Za-z0-9-]{10,}"),  # Slack
    _shape("AKIA", r"[0-9A-Z]{16}(?![0-9A-Za-z])"),  # AWS
    _shape("ASIA", r"[0-9A-Z]{16}(?![0-9A-Za-z])"),
    _shape("AIza", r"[0-9A-Za-z_-]{35}"),  # Google
    _shape("hf_", r"[A-Za-z0-9]{30,}"),  # Hugging Face
    _shape("npm_", r"[A-Za-z0-9]{36}"),
    _shape("gsk_", r"[A-Za-z0-9]{32,}"),  # Groq
    _shape("xai-", r"[A-Za-z0-9]{32,}"),  # xAI
    _shape("nvapi-", r"[A-Za-z0-9_-]{32,}"),  # NVIDIA
    _shape("pplx-", r"[A-Za-z0-9]{32,}"),  # Perplexity
    _shape("pypi-", r"[A-Za-z0-9_-]{32,}"),  # PyPI
    _shape("ya29", r"\.[A-Za-z0-9._-]{20,}"),  # Google OAuth
    _shape("GOCSPX-", r"[A-Za-z0-9_-]{20,}"),
    _shape("hvs", r"\.[A-Za-z0-9_-]{24,}"),  # Vault
    _shape("hvb", r"\.[A-Za-z0-9_-]{24,}"),
    _shape("hvr", r"\.[A-Za-z0-9_-]{24,}"),
    _shape("eyJ", r"[A-Za-z0-9_-]{8,2000}+\.eyJ[A-Za-z0-9_-]{8,16000}+\.[A-Za-z0-9_-]*"),  # JWT
)
#: RFC 6750; the scheme in any case (RFC 9110, 11.1)
_BEARER = re.compile(r"[Bb](?i:earer)\s+((?=[^\s\"']*\d)[A-Za-z0-9._~+/-]{16,}=*)")

#: RFC 7617: the base64 of `USER:PASSWORD`.
_BASIC = re.compile(r"[Bb](?i:asic)\s+([A-Za-z0-9+/]{6,}={0,2})(?![\w+/=])")
#: Headers that hold nothing but a key. Their names are given in any case (RFC 9110, 5.1).
_HEADERS = ("api-key", "auth-token", "private-token", "authorization")
_HEADER = re.compile(
    rf"(?i:{'|'.join(_HEADERS)})\\{{0,3}}[\"']?\s*[:=]\s*\\{{0,3}}[\"']?(?:(?i:token|apikey|key)\s+)?"
    r"((?=[^\s\"']*\d)[A-Za-z0-9._~+/-]{16,}=*)"
)
_WORDS = ("bearer", "basic", *_HEADERS)
_WORDS_BYTES = [word.encode() for word in _WORDS]

#: What a text with a token in it holds, but for the one whose scheme may be in any case.
PREFIXES = tuple(dict.fromkeys([*(shape.prefix for shape in _SHAPES), *pem.SIGNS]))


def may_hold(text: str) -> bool:
    """Whether a text may hold a shape, but for escapes."""
    for prefix in PREFIXES:
        if prefix in text:
            return True
    text = text.lower()
    return any(word in text for word in _WORDS)


#: Finds, in the bytes of a line, whatever may hold a shape, and escapes that may hide one. Written around
#: rare characters: several times as fast as a choice of words, or as a search for each.
_SIGNS = re.compile(
    rb"-(?<=[a-z]-)(?:(?<=sk-)(?:(?<=[^a-z]sk-)|(?<=\\[nrt]sk-)|(?<=[0-9;[]msk-)|(?<=[0x%][0-9A-Fa-f][a-f]sk-))"
    rb"|(?<=sk-ant-)|(?<=sk-proj-)|(?<=glpat-)|(?<=xox[a-z]-)|(?<=xai-)|(?<=nvapi-)|(?<=pplx-)|(?<=pypi-))"
    rb"|9(?<=ya29)\.|X(?<=GOCSPX)-|v(?<=hv)[sbr]\."
    rb"|_(?<=[a-z]_)(?:(?<=gh[pousr]_)|(?<=hf_)|(?<=gsk_)|(?<=npm_)|(?<=github_pat_)|(?<=k_live_)|(?<=k_test_))"
    rb"|A(?:KIA|SIA|Iza)|J(?<=eyJ)|V(?<=PRIV)|Y(?<=PuTTY)|<(?=secret:)|\\(?:/|u00(?:[2-7]|1[bB]))"
)
#: A URL that can hold a secret. Up to the next one, so that no line takes longer than its length.
_PATH, _QUERY = rb"(?:[^\s\"\\?#:]|:(?!//))*", rb"(?:[^\s\"\\=:]|:(?!//))*"
_URL = re.compile(rb"://(?:[^/?#\s\"\\@]*@|" + _PATH + rb"[?#]" + _QUERY + rb"=)")


def bears_sign(line: bytes) -> bool:
    """Whether a line may hold a shape or a URL with a secret in it: all that may do; few others do."""
    if b"mcpServers" in line or _SIGNS.search(line) or (b"://" in line and _URL.search(line)):
        return True
    line = line.lower()
    for word in _WORDS_BYTES:
        if word in line:
            return True
    return b"%3a%2f%2f" in line


def spans(text: str) -> list[tuple[int, int]]:
    """Where tokens and private keys stand in a text, each once; one may stand in another."""
    ranges: dict[tuple[int, int], None] = {}
    for prefix, pattern in _SHAPES:
        if prefix in text:
            ranges.update(dict.fromkeys(one.span(one.lastindex or 0) for one in pattern.finditer(text)))
    ranges.update(dict.fromkeys(one.span(1) for one in _BEARER.finditer(text)))
    low = text.lower()
    if any(name in low for name in _HEADERS):
        ranges.update(dict.fromkeys(one.span(1) for one in _HEADER.finditer(text)))
    if "basic" in low:
        ranges.update(dict.fromkeys(one.span(1) for one in _BASIC.finditer(text) if _is_login(one[1])))
    ranges.update(dict.fromkeys(pem.spans(text)))
    return list(ranges)


def _is_login(spelt: str) -> bool:
    """Whether a word is the base64 of `USER:PASSWORD`, and not a word."""
    try:
        text = base64.b64decode(spelt + "=" * (-len(spelt) % 4), validate=True)
        return b":" in text and text.decode().isprintable()
    except ValueError:
        return False
