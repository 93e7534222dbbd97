"""Secrets that were written before anybody knew them are cut out at the end, wherever they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from acp_trace.model.journal import Journal
from acp_trace.model.late import LateSecrets
from acp_trace.model.records import Record
from acp_trace.model.secrets import Secrets
from acp_trace.model.wire.events import Body, BodyEnd, Event, RequestHead, ResponseHead
from acp_trace.record import late_cuts
from acp_trace.trace.capture_layout import CUTS
from acp_trace.trace.late_places import unpacked
from tests.model.writing import read
from tests.trace.capturing import block, capture, rendered

_KEY = "Kq7-planted+key/0001"


def _call(number: int, body: bytes, answer: Iterable[bytes], **headers: str) -> list[Event]:
    sent = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return [
        RequestHead(number, "POST", f"/v1/messages?x={number}", "h", sent, "h2"),
        Body(number, "agent", body),
        BodyEnd(number, "agent"),
        ResponseHead(number, 200, (("x-note", "ok"),)),
        *(Body(number, "provider", piece) for piece in answer),
        BodyEnd(number, "provider"),
    ]


def _recorded(
    path: Path, environment: Mapping[str, str], *, lost: int | None = None, most: int = 1 << 20
) -> tuple[bytes, int, list[Record]]:
    """The capture after the cuts, the number of cuts, and what was sent at the end. `lost`: a record that is."""
    secrets = Secrets(environment)
    late = LateSecrets(secrets, most)
    journal = Journal(secrets)
    records = [record for event in _EVENTS for record in late.through(journal.take(event))]
    last = list(late.records())
    written = [record for at, record in enumerate(records) if at != lost]
    blocks = [block(one.stream, one.data, n * 1000, one.exchange) for n, one in enumerate(written, 1)]
    path.write_bytes(capture(*blocks))
    fd = os.open(path, os.O_RDWR)
    count = sum(late_cuts.cut(fd, unpacked(record.data)) for record in last if record.stream == CUTS)
    os.close(fd)
    return path.read_bytes(), count, last


_SAID = b'{"messages":[{"role":"user","content":"it is %s, is it not? ' + b"and more of it " * 40 + b'"}]}'
_EVENTS = [
    *_call(1, _SAID % _KEY.encode(), [b"data: so it is Kq7-pla", b"nted+k", b"ey/0001.\n\n"]),
    *_call(2, _SAID.replace(b"}]}", b'}],"a":1}') % _KEY.replace("/", "\\/").encode(), [b"ok"]),
    *_call(3, _SAID % b"nothing", [b"ok"], x_usertoken=_KEY),
    *_call(4, _SAID % _KEY.encode(), [f"it is {_KEY}".encode()]),
]


def test_a_key_in_a_body_before_its_header_goes(tmp_path: Path) -> None:
    """From requests, also those that repeat a part of an earlier one, and from responses in pieces."""
    data, count, last = _recorded(tmp_path / "a", {"A_TOKEN": "another-secret"})
    assert count >= 3
    assert b"Kq7" not in data
    assert b"planted" not in data
    assert _KEY.encode() not in b"".join(record.data for record in last)
    exchanges = read(rendered(data)).exchanges
    assert [one.request_body is not None for one in exchanges.values()] == [True] * 4
    hidden = b"<cut>".ljust(len(_KEY), b"-")
    assert exchanges[1].request_body == _SAID % hidden
    assert exchanges[1].response_body == b"data: so it is " + hidden + b".\n\n"
    assert exchanges[4].request_body == _SAID % b"<cut>"


def test_nothing_is_sent_if_all_was_known(tmp_path: Path) -> None:
    """What the environment says is cut at once."""
    data, count, last = _recorded(tmp_path / "a", {"A_TOKEN": _KEY})
    assert (count, last) == (0, [])
    assert b"planted" not in data


def test_a_place_that_moved_is_left(tmp_path: Path) -> None:
    """If the recorder lost a block, other bytes stand there: they stay, and the count says so."""
    whole = _recorded(tmp_path / "a", {})
    journal = Journal(Secrets({}))
    records = [record for event in _EVENTS for record in journal.take(event)]
    lost = next(at for at, record in enumerate(records) if record.data.startswith(b"data: so"))
    data, count, _ = _recorded(tmp_path / "b", {}, lost=lost)
    assert count == whole[1] - 1
    assert b"nted+k" in data
    assert read(rendered(data)).exchanges


def test_what_is_too_much_is_told(tmp_path: Path) -> None:
    """Only the last bytes are kept: how many were not looked through is said."""
    last = _recorded(tmp_path / "a", {}, most=500)[2]
    assert b"unchecked_bytes" in last[-1].data
