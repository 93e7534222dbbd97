"""docs/replay.md, What is sent when: pace and timeout. Time is a number here: nothing waits."""

from __future__ import annotations

import pytest

from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.peer_state import PeerState
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.timeouts import QUIET_MOST_NS, SECOND, grace
from tests.reading.talk import answer, ask, cancel, prompt, stop
from tests.replay.lines import START, chunk, commands, gone, may, picks, tool
from tests.replay.playbook import Playbook, recorded, timed

SLOW = timed(
    *[(0, one) for one in START],
    (0.0, prompt(1)),
    (1.0, chunk()),
    (5.0, cancel()),
    (6.0, stop(1, "cancelled")),
    (36.0, prompt(2)),
    (37.0, tool()),
    (38.0, may(7)),
    (58.0, picks(7)),
    (59.0, stop(2)),
)


def test_causal_sends_as_soon_as_the_conditions_hold() -> None:
    """That is the default: recorded pauses are not kept, but for a moment after a turn."""
    with Playbook(SLOW) as book:
        book(*START, prompt(1), chunk(), cancel(), stop(1, "cancelled"))
        book(prompt(2), tool(), may(0), picks(0), stop(2))
        assert (book.conversation.wake() or 0) - book.now <= QUIET_MOST_NS


def test_after_a_turn_nothing_is_said_for_a_moment() -> None:
    """As long as it was quiet when it was recorded, from 10 to 100 ms: what comes too late can be told."""
    quick = timed(
        *[(0, one) for one in START], (0, prompt(1)), (0, stop(1)), (0.0001, prompt(2)), (1, stop(2))
    )
    with Playbook(quick) as book:
        book(*START, prompt(1), stop(1)).later(0.009).silent().later(0.002)(prompt(2), stop(2))
        book.later(0.009).silent()
    with Playbook(SLOW) as book:
        book(*START, prompt(1), chunk(), cancel(), stop(1)).later(0.09).silent()(chunk()).later(0.02)
        book(prompt(2), tool(), may(0), picks(0), stop(2))


def test_recorded_keeps_the_pauses_after_what_was_waited_for() -> None:
    """Four seconds from the first chunk to the cancel, thirty to the next prompt, twenty to the answer."""
    with Playbook(SLOW, pace=1.0) as book:
        book(*START, prompt(1)).later(2).silent()(chunk()).later(3.9).silent().later(0.2)
        book(cancel(), stop(1, "cancelled")).later(29.9).silent().later(0.2)
        book(prompt(2), tool(), may(0)).later(19.9).silent().later(0.2)(picks(0), stop(2))


def test_so_many_times_as_fast() -> None:
    """`10x` keeps a tenth."""
    with Playbook(SLOW, pace=0.1) as book:
        book(*START, prompt(1), chunk()).later(0.39).silent().later(0.02)
        book(cancel(), stop(1, "cancelled")).later(2.99).silent().later(0.02)
        book(prompt(2), tool(), may(0)).later(1.99).silent().later(0.02)(picks(0), stop(2))


def test_a_pause_counts_from_when_the_conditions_hold() -> None:
    """Also when they ceased to hold meanwhile: the agent's own slowness is not added."""
    with Playbook(SLOW, pace=1.0) as book:
        book(*START, prompt(1)).later(50).silent()(chunk()).later(4.1)(cancel(), stop(1)).later(31)
        book(prompt(2), tool(), may(0)).later(21)(picks(0), stop(2))


def test_a_played_agent_keeps_its_pauses_too() -> None:
    """Between a prompt and its first chunk."""
    with Playbook(SLOW, "agent", pace=1.0) as book:
        book(*START, prompt(1)).later(0.9).silent().later(0.2)
        book(chunk(), cancel()).later(1.1)(stop(1, "cancelled"), prompt(2)).later(1.1)
        book(tool()).later(1.1)(may(7), picks(7)).later(1.1)(stop(2))


def test_a_recorded_pause_is_no_timeout() -> None:
    """However long: own side knows what it waits for."""
    long = timed(*[(0, one) for one in START], (500.0, prompt(1)), (501.0, stop(1)))
    with Playbook(long, pace=1.0, timeout=60) as book:
        book(*START)
        assert book.conversation.deadline == book.now + 560 * SECOND
        book.later(499).silent().later(2)(prompt(1), stop(1))


def test_a_replay_that_is_stuck_has_a_deadline_and_says_what_it_waits_for() -> None:
    """So long after the last thing that went on."""
    with Playbook(SLOW, timeout=10) as book:
        book(*START, prompt(1)).later(3)
        assert book.conversation.deadline == book.now + 7 * SECOND
        book(chunk(), cancel())
        assert book.conversation.deadline == book.now + 10 * SECOND
        told = book.stuck()
        assert told == "session/prompt (#9) waits for the answer to session/prompt (#5)"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ([], "initialize"),
        (START[:1], "session/new (#3) waits for the answer to initialize (#1)"),
        ([*START, prompt(1)], "session/cancel (#7) waits for message in the turn of #5"),
        (
            [*START, prompt(1), chunk(), cancel(), stop(1), prompt(2), tool()],
            "waits for session/request_permission",
        ),
    ],
)
def test_what_it_waits_for_in_words(said: list[object], told: str) -> None:
    """The next step, and what of its conditions is missing."""
    with Playbook(SLOW) as book:
        if said:
            book(*said)  # type: ignore[arg-type]
            book.stuck(told)
        else:
            book(*START, prompt(1), chunk(), cancel(), stop(1), prompt(2), tool(), may(0), picks(0), stop(2))


def test_several_sessions_of_a_played_agent_wait_at_once() -> None:
    """The first few are told, the others counted."""
    said = [one for n in range(7) for one in (prompt(n, f"s{n}"), chunk(session=f"s{n}"), stop(n))]
    with Playbook(recorded(*START, *said), "agent") as book:
        told = book.stuck("initialize", "… and 5 more")
        assert told.count(";") == 3


# -- patience


def _peer(patience: Patience) -> PeerState:
    return PeerState(plan(recorded(*START), "client"), patience.most)


def test_noise_is_nothing_that_goes_on() -> None:
    """Lines that are no messages keep no replay alive, and messages only while they are not far too many."""
    patience = Patience(10 * SECOND, 1, 100, 0)
    peer = _peer(patience)
    peer.on_step(5)
    peer.on_line(SECOND, 10, sound=False)
    assert patience.deadline(peer) == 5 + 10 * SECOND
    for _ in range(2019):
        peer.on_line(2 * SECOND, 10, sound=True)
    assert patience.deadline(peer) == 12 * SECOND
    peer.on_line(3 * SECOND, 10, sound=True)
    peer.on_line(4 * SECOND, 10, sound=True)
    assert patience.deadline(peer) == 12 * SECOND
    peer.on_step(4 * SECOND)
    peer.on_line(5 * SECOND, 10, sound=True)
    assert patience.deadline(peer) == 15 * SECOND


def test_a_trickle_ends_as_well() -> None:
    """Something every now and then, for ten timeouts without a step, or three times what it once took."""
    patience = Patience(10 * SECOND, 1000, 100, 0)
    peer = _peer(patience)
    peer.on_step(0)
    for at in range(0, 200, 5):
        peer.on_line(at * SECOND, 10, sound=True)
    assert patience.deadline(peer) == 100 * SECOND
    slow = Patience(10 * SECOND, 1000, 100, 50 * SECOND)
    peer = _peer(slow)
    peer.on_step(0)
    peer.on_line(145 * SECOND, 10, sound=True)
    assert slow.deadline(peer) == 150 * SECOND


def test_a_flood_is_far_more_than_was_recorded() -> None:
    """In bytes: 64 MiB, and twenty times the recording."""
    patience = Patience(10 * SECOND, 1, 1 << 20, 0)
    peer = _peer(patience)
    peer.on_line(0, 84 << 20, sound=True)
    assert not patience.is_flooded(peer)
    peer.on_line(0, 1, sound=False)
    assert patience.is_flooded(peer)


@pytest.mark.parametrize(
    ("recorded_s", "timeout_s", "waits_s"), [(0, 60, 1), (2, 60, 6), (60, 60, 10), (60, 5, 5), (0, 0.5, 0.5)]
)
def test_how_long_something_is_waited_for_that_nothing_hangs_on(
    recorded_s: float, timeout_s: float, waits_s: float
) -> None:
    """Three times what it took, a second at least, ten at most, and never longer than patience lasts."""
    assert grace(round(recorded_s * SECOND), round(timeout_s * SECOND)) == waits_s * SECOND


def test_updates_are_waited_for_longer_where_they_had_taken_longer() -> None:
    """A list of commands that came two seconds after the session."""
    slow = timed(*[(0, one) for one in START], (2.0, commands()), (2.0, prompt(1)), (3.0, stop(1)))
    with Playbook(slow) as book:
        book(*START).later(5.9).silent().later(0.2)(prompt(1), stop(1)).noticed("stalled")


def test_an_open_request_of_a_mode_is_answered_in_its_time() -> None:
    """The pause of an answer counts from the request, or from what own side had said later."""
    set_mode = ask(2, "session/set_mode", sessionId="s", modeId="m")
    said = [
        (0.0, prompt(1)),
        (1.0, may(7)),
        (3.0, set_mode),
        (3.5, answer(2)),
        (4.0, gone(7)),
        (5.0, stop(1)),
    ]
    with Playbook(timed(*[(0, one) for one in START], *said), pace=1.0) as book:
        book(*START, prompt(1), may(0)).later(2.1)(set_mode, answer(2)).later(0.8).silent().later(0.2)
        book(gone(0), stop(1))
