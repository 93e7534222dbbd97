"""Well-known shapes of tokens: what is a secret by its looks, wherever it stands. And cheap signs of them.

Each shape has a prefix that its maker gave it so that it can be found, and a length that no word has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class _Shape(NamedTuple):
    """How a token begins, and what finds it there. Of the groups, the last is the secret."""

    prefix: str
    pattern: re.Pattern[str]


def _shape(prefix: str, rest: str) -> _Shape:
    r"""Not in the middle of a word; but after the `\n` of JSON that stands in a string.

    The prefix comes first, for then a search is fast.
    """
    start = rf"(?:(?<![\w-]{prefix})|(?<=\\[nrt]{prefix}))"
    return _Shape(prefix, re.compile(prefix + start + rest, re.DOTALL))


_SHAPES = (
    _shape("sk-", r"(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}"),  # OpenAI, Anthropic, OpenRouter …
    _shape("sk_", r"(?:live|test)_[A-Za-z0-9]{16,}"),  # Stripe
    _shape("rk_", r"(?:live|test)_[A-Za-z0-9]{16,}"),
    _shape("gh", r"[pousr]_[A-Za-z0-9]{20,}"),  # GitHub
    _shape("github_pat_", r"[A-Za-z0-9_]{22,}"),
    _shape("glpat-", r"[A-Za-z0-9_-]{16,}"),  # GitLab
    _shape("xox", r"[a-z]-[A-Za-z0-9-]{10,}"),  # Slack
    _shape("AKIA", r"[0-9A-Z]{16}(?![0-9A-Za-z])"),  # AWS
    _shape("ASIA", r"[0-9A-Z]{16}(?![0-9A-Za-z])"),
    _shape("AIza", r"[0-9A-Za-z_-]{35}"),  # Google
    _shape("hf_", r"[A-Za-z0-9]{30,}"),  # Hugging Face
    _shape("npm_", r"[A-Za-z0-9]{36}"),
    _shape("eyJ", r"[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),  # JWT
    _shape("Bearer", r"\s+((?=[^\s\"']*\d)[A-Za-z0-9._~+/-]{16,}=*)"),  # RFC 6750
    _shape("-----BEGIN ", r"[A-Z ]*PRIVATE KEY-----.{1,8000}?-----END [A-Z ]*PRIVATE KEY-----"),  # RFC 7468
)

#: What a text with a token in it holds.
PREFIXES = tuple(shape.prefix for shape in _SHAPES)

#: In a URL, up to the next one: so that no line takes longer than its length.
_PATH, _QUERY = rb"(?:[^\s\"\\?#:]|:(?!//))*", rb"(?:[^\s\"\\=:]|:(?!//))*"
#: Finds, in the bytes of a line, all that may hold a shape or a URL with a secret in it, and escapes that
#: may hide them. Written around rare characters: ten times as fast as a choice of words (1.5 s for 280 MB).
SIGNS = (
    rb"-(?<=[^a-z]sk-)|-(?<=\\[nrt]sk-)|-(?<=glpat-)|-(?<=xox[a-z]-)"
    rb"|_(?<=k_live_)|_(?<=k_test_)|_(?<=gh[pousr]_)|_(?<=github_pat_)|_(?<=hf_)|_(?<=npm_)"
    rb"|A(?:KIA|SIA|Iza)|J(?<=eyJ)|B(?=earer)|V(?<=PRIV)"
    rb"|/(?<=:/)/(?:[^/?#\s\"\\@]*@|" + _PATH + rb"[?#]" + _QUERY + rb"=)"
    rb"|\\(?:/|u00[2-7])|<(?=secret:)"
)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where tokens stand in a text."""
    for prefix, pattern in _SHAPES:
        if prefix in text:
            for found in pattern.finditer(text):
                yield found.span(found.lastindex or 0)
