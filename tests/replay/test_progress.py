"""docs/replay.md, What is sent when: in a turn, a step goes out when that got as far as it had in the recording."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reading.talk import answer, ask, cancel, prompt, stop, tell
from tests.replay.lines import START, chunk, may, now, picks, thought, tool
from tests.replay.playbook import Playbook, recorded
from tests.replay.waits_in_turns import WAITS

WARNING = "Warning: the configuration is old."


def cancelled(*work: Any, before: Any = ()) -> Any:
    """A recording of a turn that is cancelled after this work."""
    return recorded(*START, *before, prompt(1), *work, cancel(), stop(1, "cancelled"))


def test_a_cancel_waits_for_as_much_text_as_was_recorded() -> None:
    """In however many chunks it comes. A build that ignores cancels once its model speaks is not let off."""
    with Playbook(cancelled(chunk("One. "), chunk("Two. "), chunk("Three."))) as book:
        book(*START, prompt(1), chunk("One. ")).silent()(chunk("Two. Th")).silent()
        book(chunk("ree and more"), cancel(), stop(1, "cancelled"))


def test_text_is_counted_from_the_last_tool_call_on() -> None:
    """What a model says before it is another matter each time."""
    work = chunk("A long introduction. "), tool(), now("c", "completed"), chunk("Done. ")
    with Playbook(cancelled(*work)) as book:
        book(*START, prompt(1), chunk("Hm."), tool(), now("c", "completed")).silent()
        book(chunk("Well, "), cancel(), stop(1, "cancelled"))


def test_a_cancel_in_a_tool_call_waits_for_no_text() -> None:
    """The tool call is the progress."""
    with Playbook(cancelled(chunk("A long introduction."), tool(), now("c", "in_progress"))) as book:
        book(*START, prompt(1), chunk("Hm."), tool()).silent()
        book(now("c", "in_progress"), cancel(), stop(1, "cancelled"))


def test_what_every_turn_begins_with_does_not_count() -> None:
    """A warning of the agent before its model spoke: of another length, it would be taken for the model's text."""
    first = prompt(5), chunk(WARNING), chunk("Yes."), stop(5)
    with Playbook(cancelled(chunk(WARNING), chunk("Well, "), before=first)) as book:
        book(*START, *first, prompt(1), chunk(WARNING)).silent()(chunk("Well")).silent()
        book(chunk(", I"), cancel(), stop(1, "cancelled"))


def test_a_mode_is_not_set_at_the_warning_either() -> None:
    """It waits for the model's text."""
    mode = ask(2, "session/set_mode", sessionId="s", modeId="code")
    first = prompt(5), chunk(WARNING), chunk("Yes."), stop(5)
    of = recorded(
        *START, *first, prompt(1), chunk(WARNING), chunk("A lot of text."), mode, answer(2), stop(1)
    )
    with Playbook(of) as book:
        book(*START, *first, prompt(1), chunk(WARNING)).silent()(chunk("A lot")).silent()
        book(chunk(" of texts."), mode, answer(2), stop(1))


def test_a_turn_cancelled_at_what_every_turn_begins_with() -> None:
    """Then anything that the agent says is as much."""
    first = prompt(5), chunk(WARNING), chunk("Yes."), stop(5)
    for words in (WARNING, "Hi"):
        with Playbook(cancelled(chunk(WARNING), before=first)) as book:
            book(*START, *first, prompt(1)).silent()(chunk(words), cancel(), stop(1, "cancelled"))


def test_a_turn_that_says_less_and_is_over() -> None:
    """It never got there: the cancel is skipped, as ever."""
    with Playbook(cancelled(chunk("One. "), chunk("Two. "))) as book:
        book(*START, prompt(1), chunk("One.")).silent()(stop(1)).noticed("step-skipped")


def test_a_turn_that_says_less_and_goes_on_without_a_word() -> None:
    """Half of what patience allows, from the last sign of it on; then the cancel goes out. A slow model is waited for."""
    with Playbook(cancelled(chunk("One. "), chunk("Two. "))) as book:
        book(*START, prompt(1), chunk("1 ")).later(29).silent()(chunk("2 ")).later(29).silent().later(2)
        book(cancel(), stop(1, "cancelled"))
        (stall,) = book.noticed("stalled")
        assert stall.message.endswith(
            "session/cancel (#8) waits for 10 characters of message in the turn of #5, of which 4 came"
        )


def test_thoughts_and_messages_are_counted_apart() -> None:
    """What was said last counts."""
    with Playbook(cancelled(thought("Let me think"), chunk("Yes"))) as book:
        book(*START, prompt(1), thought("?"), chunk("No")).silent()(
            chunk("!"), cancel(), stop(1, "cancelled")
        )


def test_a_permission_is_progress_too() -> None:
    """Text before it is not."""
    ask_ = tool(), may(7), picks(7)
    with Playbook(cancelled(chunk("A long introduction."), *ask_, chunk("Now"))) as book:
        book(*START, prompt(1), chunk("?"), *ask_).silent()(chunk("Then"), cancel(), stop(1, "cancelled"))


_MODE = ask(2, "session/set_mode", sessionId="s", modeId="code")
#: What a client sends in a turn, beside a cancel, with what the agent answers.
_SENT = {
    "a mode": (_MODE, answer(2)),
    "another prompt": (prompt(2), stop(2)),
    "a notification": (tell("client", "_vendor/told", sessionId="s"),),
    "a notification of no session": (tell("client", "_vendor/told"),),
    "a request of no session": (ask(2, "_vendor/asked"), answer(2)),
}


@pytest.mark.parametrize("sent", _SENT.values(), ids=_SENT)
def test_whatever_is_sent_in_a_turn_waits_for_as_much(sent: Any) -> None:
    """One rule for all of it: text, tool calls, requests."""
    with Playbook(recorded(*START, prompt(1), chunk("One. "), chunk("Two. "), *sent, stop(1))) as book:
        book(*START, prompt(1), chunk("One.")).silent()(chunk("Two. T"), *sent, stop(1))
    asked = tool(), may(7), picks(7)
    with Playbook(recorded(*START, prompt(1), chunk("One. "), *asked, *sent, stop(1))) as book:
        book(*START, prompt(1), chunk("One, two and three"), tool()).silent()(*asked[1:], *sent, stop(1))


def test_a_session_that_is_opened_in_a_turn_is_not_of_that_turn() -> None:
    """Sessions have no order between them: a turn that is over earlier makes nothing late."""
    opens = ask(2, "session/new", cwd="/w"), answer(2, sessionId="t")
    with Playbook(recorded(*START, prompt(1), chunk("One. "), *opens, stop(1))) as book:
        book(*START, prompt(1), stop(1)).later(1.1)(*opens)


def test_a_text_that_gives_way_to_something_else() -> None:
    """It gets no longer: what was sent in its middle goes out then, and not half a minute later."""
    with Playbook(cancelled(chunk("One. "), chunk("Two. "))) as book:
        book(*START, prompt(1), chunk("One.")).silent()(tool(), cancel(), stop(1, "cancelled"))


def test_a_turn_that_does_not_show_what_was_waited_for() -> None:
    """A tool call that is never under way, as far as the agent shows, is cancelled all the same."""
    with Playbook(cancelled(tool(), now("c", "in_progress"))) as book:
        book(*START, prompt(1)).later(50).silent()(tool()).later(29).silent().later(2)
        book(cancel(), stop(1, "cancelled"))
        (stall,) = book.noticed("stalled")
        assert stall.message.endswith("waits for tool call under way in the turn of #5")
        assert stall.message.startswith("nothing was sent for 80 s: ")


def test_a_turn_that_says_less_makes_a_step_late() -> None:
    """Which is no fault, if all else was there: nobody knows before its end how much a model will say."""
    of = recorded(*START, prompt(1), chunk("One. "), tool(), chunk("Two. "), _MODE, answer(2), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), chunk("One."), tool(), chunk("2."), stop(1), _MODE, answer(2))
        (late,) = book.noticed("step-late")
        assert late.severity == "note"
        assert late.message.endswith("was already over, after 2 of 5 characters of message")
    with Playbook(of) as book:
        book(*START, prompt(1), chunk("One."), stop(1), _MODE, answer(2))
        (late,) = book.noticed("step-late")
        assert late.severity == "error"


@pytest.mark.parametrize("name", WAITS)
def test_a_wait(name: str) -> None:
    """As long as the table says, and with what it says is noted."""
    row = WAITS[name]
    with Playbook(recorded(*START, *row.of), row.own) as book:
        book(*START, *row.before)
        if row.seconds:
            book.later(row.seconds - 0.1).silent().later(0.2)
        book(*row.then).noticed(*row.codes.split())
        if not book.conversation.is_over:
            book.stuck()  # the answer to what was left out


def test_history_is_no_progress() -> None:
    """A session that is loaded while its turn is open: what was said before is not what a cancel waits for."""
    load = ask(3, "session/load", sessionId="s", cwd="/w", mcpServers=[])
    with Playbook(cancelled(load, chunk("Said before."), answer(3), chunk("Work."))) as book:
        book(*START, prompt(1), load, chunk("Said before, and at length."), answer(3)).silent()
        book(chunk("Work."), cancel(), stop(1, "cancelled"))
