"""What a value in a filter means, by the type of its field. Text in, values out."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from acp_trace.analyze.budgets.grammar import UNITS
from acp_trace.report.frame_filter.fields import SIZES, Field
from acp_trace.trace.near_misses import suggestion

_NUMBER = re.compile(r"#?(\d{1,15})", re.ASCII)
_RANGE = re.compile(r"#?(\d{1,15})(?:(-)#?(\d{1,15})?)?", re.ASCII)
_AMOUNT = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)([A-Za-zµμ]*)", re.ASCII)
_TURN = re.compile(r"(?:[Ss][1-9]\d{0,8}\.)?\d{1,9}", re.ASCII)


class BadValue(ValueError):
    """A value that its field cannot have. The message says what one looks like."""


def word(field: Field, text: str, *, is_quoted: bool) -> str:
    """The value of a field that is text, as rows spell it. Raises BadValue."""
    text = field.aliases.get(text, text)
    if field.type == "turn" and not _TURN.fullmatch(text):
        raise BadValue(f"{text} is not a turn, such as 0 or S2.0")
    is_open = field.type != "choice" and (field.name != "finding" or is_quoted or "*" in text or "?" in text)
    if field.values and not is_open and text not in field.values:
        which = f"{field.name} is one of {', '.join(field.values)}" if field.type == "choice" else ""
        near = suggestion(text, field.values)
        raise BadValue(f"{which or f'there is no finding {text}'}{near}")
    return text


def span(text: str) -> tuple[int, int | None]:
    """The first and the last number of `12`, `10-20` or `10-` (None: no end). Raises BadValue."""
    match = _RANGE.fullmatch(text)
    if match is None:
        raise BadValue(f"{text} is not a number or a range, such as 12, 10-20 or 10-")
    first, dash, last = match.groups()
    return int(first), int(last) if last else None if dash else int(first)


def amount(field: Field, text: str) -> int:
    """What a field is compared with: a number, ns or bytes. Raises BadValue."""
    if field.type == "number":
        if (match := _NUMBER.fullmatch(text)) is None:
            raise BadValue(f"{text} is not a number")
        return int(match[1])
    units, plain, such = (
        (UNITS, "s", "a time, such as 1.5s, 200ms or 2min")
        if field.type == "time"
        else (SIZES, "b", "a size, such as 500, 10kB or 1.5MB")
    )
    match = _AMOUNT.fullmatch(text)
    unit = match and (match[2] or plain)
    unit = unit and unit.lower() if field.type == "size" else unit
    if match is None or unit not in units:
        raise BadValue(f"{text} is not {such}")
    return int((Decimal(match[1]) * units[unit]).to_integral_value(ROUND_HALF_UP))
