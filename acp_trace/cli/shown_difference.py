"""The difference in a client's configuration that `install` shows, without secrets.

Only what is printed changes: the file is written as it is meant to be. Names of secrets are those of
`acp_trace.redact.secret_names`.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from acp_trace.clients.jsonc import BadJson, Node, parse
from acp_trace.redact import arguments, scan, secret_names

HIDDEN = "<hidden>"
_Span = tuple[int, int]


def difference(title: str, old: str | None, new: str | None) -> list[str]:
    """The lines of a unified diff, without line ends and secrets. None as a text: there is no file."""
    before, after = (without_secrets(text or "").split("\n") for text in (old, new))
    was, becomes = (title if text is not None else "/dev/null" for text in (old, new))
    return list(unified_diff(before, after, was, becomes, lineterm="", n=2))


def without_secrets(text: str) -> str:
    """A configuration with `<hidden>` in place of secrets; it has as many lines as before."""
    try:
        found = list(_in_value(text, parse(text), is_secret=False))
    except BadJson:
        found = []
    found += [(hit.start, hit.end) for hit in scan.secrets(text)]
    found += arguments.settings(text)  # in comments too
    pieces, done = [], 0
    for start, end in sorted(found):
        if end > done:
            pieces += [text[done : max(start, done)], HIDDEN if start >= done else ""]
            done = end
    return "".join([*pieces, text[done:]])


def _in_value(text: str, node: Node, *, is_secret: bool) -> Iterator[_Span]:
    """The secrets in a value. `is_secret`: all strings and numbers in it are secret."""
    if is_secret and node.kind == "string":
        yield node.start + 1, node.end - 1
    elif is_secret and node.kind == "plain" and text[node.start] not in "tfn":
        yield node.start, node.end
    for member in node.members:
        is_named = is_secret or secret_names.is_variable(member.name) or secret_names.is_header(member.name)
        yield from _in_value(text, member.value, is_secret=is_named)
        if member.name == "command":
            yield from _in_words(text, member.value, "-c")
    before: str | None = None
    for item in node.items:
        yield from _in_value(text, item, is_secret=is_secret)
        yield from _in_words(text, item, before)
        before = item.string if item.kind == "string" else None


def _in_words(text: str, node: Node, before: str | None) -> Iterator[_Span]:
    """The secrets in an argument, or in a command line; all of it, if it is spelt with escapes."""
    spans = arguments.spans(node.string, before) if node.kind == "string" else []
    start, end = node.start + 1, node.end - 1
    if spans and text[start:end] != node.string:
        yield start, end
    else:
        yield from ((start + from_, start + to) for from_, to in spans)
