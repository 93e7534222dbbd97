"""Differences that do no harm, and must not end in own side waiting for a live side that waits for it."""

from __future__ import annotations

from typing import Any

from tests.reading.talk import answer, ask, cancel, hello, opened, prompt, reply, stop
from tests.replay.lines import START, chunk, commands, gone, info, may, now, picks, reads, thought, tool
from tests.replay.playbook import Playbook, recorded, timed


def mode(id: Any, session: str = "s") -> Any:
    return ask(id, "session/set_mode", sessionId=session, modeId="code")


def test_a_permission_before_its_tool_call_is_announced() -> None:
    """The cancel had come after both; the agent announces the call only once it may (codex, nanocoder)."""
    of = recorded(*START, prompt(1), tool(), may(7), cancel(), gone(7), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), may(0), cancel(), gone(0), stop(1, "cancelled"))
    of = recorded(*START, prompt(1), may(7), cancel(), gone(7), tool(), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), tool()).silent()(may(0), cancel(), gone(0), stop(1, "cancelled"))


def test_what_an_agent_does_not_show_while_it_waits_for_a_permission() -> None:
    """A thought fewer: the cancel waits for it half as long as patience lasts, then is sent."""
    of = recorded(*START, prompt(1), thought(), tool(), may(7), cancel(), gone(7), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), tool(), may(0)).silent().later(29).silent().later(2)
        book(cancel(), gone(0), stop(1, "cancelled")).noticed("stalled")


def test_an_agent_that_goes_on_is_waited_for() -> None:
    """Half of the time with nothing at all, not half of the time."""
    of = recorded(*START, prompt(1), thought(), tool(), may(7), cancel(), gone(7), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), tool(), may(0))
        for _ in range(5):
            book.later(25).silent()(chunk())
        book(thought(), cancel(), gone(0), stop(1, "cancelled"))


def test_permissions_in_another_order_around_an_own_step() -> None:
    """Own side had set a mode between the two: the second one is answered though the first did not come."""
    calls = tool("c", "edit"), tool("d", "execute")
    of = recorded(*START, prompt(1), *calls, may(7, "c"), picks(7), mode(2), answer(2), may(8, "d"),
                  picks(8, "no"), stop(1))  # fmt: skip
    with Playbook(of) as book:
        book(*START, prompt(1), *calls, may(0, "d")).silent().later(31)
        book(picks(0, "no"), may(1, "c"), picks(1), mode(2), answer(2), stop(1)).noticed("stalled")


def test_a_response_is_not_given_up() -> None:
    """An agent that answers nothing is stuck, whatever it asks."""
    of = recorded(*START, prompt(1), mode(2), answer(2), ask(3, "session/close", sessionId="s"), may(7), picks(7),
                  answer(3), stop(1))  # fmt: skip
    with Playbook(of) as book:
        book(*START, prompt(1), mode(2), may(0)).later(31)(picks(0)).later(31).silent()
        book.noticed("stalled")
        book.stuck("the answer to session/set_mode")


def test_a_recorded_pause_is_no_deadlock() -> None:
    """A person took a minute before the mode was set; the permission is answered after that."""
    times = [*[0] * 6, 100, 100, 100, 200, 200]
    said = [*START, prompt(1), chunk(), mode(2), answer(2), may(7), picks(7), stop(1)]
    with Playbook(timed(*zip(times, said, strict=True)), pace=1.0) as book:
        book(*START, prompt(1), chunk(), may(0)).later(99).silent().later(2)
        book(mode(2), answer(2)).silent().later(101)(picks(0), stop(1))


def test_updates_in_another_order_around_a_request() -> None:
    """A list of commands before or after the answer to which it belongs, a title after the turn or in it."""
    of = recorded(*START, commands(), prompt(1), chunk(), info(), stop(1), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*hello(), opened()[0], commands(), opened()[1], prompt(1), chunk(), stop(1), prompt(2))
        book(info(), stop(2))
    with Playbook(of) as book:  # the update names a session that nobody knows yet
        book(*hello(), opened()[0], commands("live"), answer("new s", sessionId="live")).later(1.1)
        book(
            prompt(1, "live"),
            chunk(session="live"),
            info(session="live"),
            stop(1),
            prompt(2, "live"),
            stop(2),
        )
    of = recorded(*START, prompt(1), chunk(), stop(1), info(), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), chunk(), info(), stop(1), prompt(2), stop(2))


def test_a_cancel_while_two_permissions_are_open() -> None:
    """Both are answered after it, in the order in which they were."""
    calls = tool("c", "edit"), tool("d", "execute")
    of = recorded(*START, prompt(1), *calls, may(7, "c"), may(8, "d"), cancel(), gone(7), gone(8),
                  stop(1, "cancelled"))  # fmt: skip
    with Playbook(of) as book:
        book(*START, prompt(1), *calls, may(1, "d")).silent()(may(0, "c"), cancel(), gone(0), gone(1))
        book(stop(1, "cancelled"))


def test_an_agent_that_asks_one_permission_after_the_other() -> None:
    """It had asked both at once: the cancel waits for the second, which comes only when the first has its answer."""
    calls = tool("c", "edit"), tool("d", "execute")
    of = recorded(*START, prompt(1), *calls, may(7, "c"), may(8, "d"), cancel(), gone(7), gone(8),
                  stop(1, "cancelled"))  # fmt: skip
    with Playbook(of) as book:
        book(*START, prompt(1), *calls, may(0, "c")).silent().later(31)
        book(cancel(), gone(0), may(1, "d"), gone(1), stop(1, "cancelled")).noticed("stalled")


def test_parallel_sessions_that_go_on_at_other_speeds() -> None:
    """What one session's turn asks is answered while the other one's still waits."""
    both = [*hello(), *opened("a"), *opened("b"), prompt(1, "a"), prompt(2, "b")]
    of = recorded(*both, reads(7, "/w/a", "a"), reply(7, content="A"), cancel("a"), reads(8, "/w/b", "b"),
                  reply(8, content="B"), stop(1, "cancelled"), stop(2))  # fmt: skip
    with Playbook(of) as book:
        book(*both, reads(0, "/w/b", "b")).silent()
        book(reads(1, "/w/a", "a"), reply(1, content="A"), cancel("a"), reply(0, content="B"))
        book(stop(2), stop(1, "cancelled"))


def test_an_agent_that_serves_one_session_after_the_other() -> None:
    """The turn of the second goes on only when the first is over, and that was cancelled after the second's."""
    both = [*hello(), *opened("a"), *opened("b"), prompt(1, "a"), prompt(2, "b")]
    of = recorded(*both, chunk(session="a"), reads(8, "/w/b", "b"), reply(8, content="B"), cancel("a"),
                  stop(1, "cancelled"), stop(2))  # fmt: skip
    with Playbook(of) as book:
        book(*both, chunk(session="a")).silent()(stop(1)).silent()
        book(reads(0, "/w/b", "b"), reply(0, content="B"), stop(2))
        book.noticed("step-skipped")


def test_a_tool_call_that_is_over_at_once() -> None:
    """The status on its way is left out: over is under way, too."""
    of = recorded(*START, prompt(1), tool(), now("c", "in_progress"), cancel(), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), tool()).silent()(now("c", "completed"), cancel(), stop(1, "cancelled"))


def test_a_request_that_moved_before_an_own_step() -> None:
    """It is answered when it comes, unless own side had said something before, which then is waited for."""
    of = recorded(
        *START, prompt(1), chunk(), mode(2), answer(2), reads(7, "/w/a"), reply(7, content="A"), stop(1)
    )
    with Playbook(of) as book:
        book(*START, prompt(1), reads(0, "/w/a")).silent()(
            chunk(), mode(2), reply(0, content="A"), answer(2), stop(1)
        )
    with Playbook(of) as book:
        book(*START, prompt(1), reads(0, "/w/a")).silent().later(31)(mode(2), reply(0, content="A"))
        book(answer(2), stop(1)).noticed("stalled")
