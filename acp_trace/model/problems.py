"""What providers say when something went wrong, and how long an agent has to wait. One reader for all.

All forms have a field for errors (`error`), and gateways before a provider use other shapes: a bare message,
a page of HTML, nothing but a status.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from acp_trace.model import fields
from acp_trace.model.shapes import Problem
from acp_trace.trace import jsontext

#: Names in lower case, in their original order. The value of a secret header is None.
Headers = Sequence[tuple[str, str | None]]

_MESSAGES = ("message", "Message", "detail", "msg", "error_description", "error")
_TYPES = ("type", "status", "__type")
_TITLE = re.compile(r"<title>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)s")
_LONGEST = 300  #: characters of a page that is not JSON


def of(error: Any) -> Problem:
    """Read an error object, or the text in its place."""
    if isinstance(error, str):
        return Problem(message=error)
    said = fields.mapping(error)
    code = said.get("code")
    texts = (fields.text(said.get(key)) for key in _MESSAGES)
    types = (fields.word(said.get(key)) for key in _TYPES)
    return Problem(
        type=next(filter(None, types), None),
        message=next(filter(None, texts), ""),
        code=fields.word(code),
        status=_status(said.get("status")) or _status(said.get("http_code")) or _status(code),
        retry_after_s=_retry_info(said),
    )


def in_event(name: str | None, data: dict[str, Any]) -> Problem | None:
    """Return the error that an event brings, if any: under `error`, or by the event's name (Bedrock)."""
    error = data.get("error")
    if error and isinstance(error, (dict, str)):
        problem = of(error)
        status = _status(data.get("status", data.get("status_code"))) or problem.status
        return Problem(
            type=problem.type or (fields.word(data.get("type")) if isinstance(error, str) else None),
            message=problem.message or (jsontext.short(error) if isinstance(error, dict) else ""),
            code=problem.code,
            status=status,
            retry_after_s=problem.retry_after_s,
        )
    if name is not None and name.endswith(("Exception", "Error")):
        return Problem(type=name, message=of(data).message)
    return None


def in_response(status: int, headers: Headers, body: bytes) -> Problem:
    """Return the error of a failed response: the message in its body, else the body, else the status."""
    value = jsontext.value_or_none(body)
    if isinstance(value, list):
        value = fields.first(value)
    said = in_event(None, value) or of(value) if isinstance(value, dict) else Problem()
    by_name = {name: value for name, value in headers if value is not None}
    type = fields.word(by_name.get("x-amzn-errortype", "").partition(":")[0])
    return Problem(
        type=said.type or type,
        message=said.message or _page(body, value) or _phrase(status),
        code=said.code,
        status=status,
        retry_after_s=retry_after_s(by_name) or said.retry_after_s,
    )


def retry_after_s(headers: dict[str, str]) -> float | None:
    """Return how long to wait, in seconds, by the headers. A date counts from the response's own date."""
    milliseconds = _float(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after", "")
    seconds = _float(said)
    if seconds is not None or not said:
        return seconds
    from email.utils import parsedate_to_datetime

    try:
        until, now = (parsedate_to_datetime(each) for each in (said, headers.get("date", "")))
        return max(float((_in_utc(until) - _in_utc(now)).total_seconds()), 0)
    except (ValueError, TypeError, OverflowError):
        return None


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _float(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d{1,9}(\.\d{1,9})?\s*", text, re.ASCII) else None


def _status(value: Any) -> int | None:
    number = fields.number(value)
    return number if number is not None and HTTPStatus.BAD_REQUEST <= number < 600 else None


def _retry_info(error: dict[str, Any]) -> float | None:
    """Return the delay in the details of a Gemini error: `{"retryDelay": "34s"}`."""
    for detail in jsontext.objects(error.get("details")):
        if match := _SECONDS.fullmatch(fields.text(detail.get("retryDelay"))[:20]):
            return float(match[1])
    return None


def _page(body: bytes, value: Any) -> str:
    """Return the text of a body without a message: the title of a page, or its beginning."""
    if isinstance(value, dict) and not value:
        return ""
    text = body[: 20 * _LONGEST].decode("utf-8", "replace")
    title = _TITLE.search(text)
    return " ".join((title[1] if title else text).split())[:_LONGEST]


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
