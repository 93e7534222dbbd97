"""The replay's engine, fed with lines that nobody expects, at times that nobody expects.

An input: one byte that chooses the recording and the side that is played, then lines; each begins with a digit,
which says how much time goes by before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from acp_trace.replay.conversation.engine import Conversation, Options
from acp_trace.replay.declared import Unmatched
from acp_trace.replay.plan.recording import Recording
from acp_trace.trace.entries import Sender
from tests.replay.facing import conversation

_SIDES: tuple[Sender, Sender] = ("client", "agent")
_PASSES = (0, 1, 10**3, 10**6, 10**7, 10**8, 10**9, 5 * 10**9, 40 * 10**9, 10**15)  #: ns, by the digit
_MOST = 400  #: lines


def played(some: Sequence[Recording], data: bytes) -> None:
    """Plays it: nothing raises, only whole lines go out, and it is always known what is waited for."""
    first, lines = data[0] if data else 0, data[1:].split(b"\n")[:_MOST]
    own, of = _SIDES[first & 1], some[(first >> 1) % len(some)]
    unmatched = get_args(Unmatched)[len(lines) % 3]
    serve = {"fs/read_text_file": lambda _, __: {"content": ""}}
    talk = conversation(of, own, Options(float(len(lines) % 2), unmatched, serve))
    now = 0
    _asked(talk, talk.due(now), now)
    for line in lines:
        now += _PASSES[int(line[:1])] if line[:1].isdigit() else 0
        _asked(talk, talk.receive(line[1:], now), now)
        _asked(talk, talk.due(now), now)
        for _ in range(3):  # as the player does: it looks again when it is told to
            wake = talk.wake()
            if wake is None or wake > now + 10**8:
                break
            now = max(now, wake)
            _asked(talk, talk.due(now), now)
    talk.on_closed()
    list(talk.due(now))


def _asked(talk: Conversation, out: Iterable[bytes], now: int) -> None:
    for line in out:
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
    wake, deadline = talk.wake(), talk.deadline
    assert wake is None or wake >= 0
    assert deadline is None or deadline > 0
    assert talk.is_over or talk.waits()
    assert talk.sent <= len(talk.plan.steps)


def scripts(some: Sequence[Recording]) -> Iterator[bytes]:
    """The live side of each recording as it was."""
    for at, of in enumerate(some[:127]):
        for side, own in enumerate(_SIDES):
            lines = [b"3" + one.text for one in of.messages if one.sender != own]
            yield bytes(((at << 1) | side,)) + b"\n".join(lines)
