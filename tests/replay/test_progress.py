"""docs/replay.md, What is sent when: a cancel goes out when as much of its turn was seen as when it was recorded."""

from __future__ import annotations

from typing import Any

from tests.reading.talk import answer, ask, cancel, prompt, stop
from tests.replay.lines import START, chunk, may, now, picks, thought, tool
from tests.replay.playbook import Playbook, recorded

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
    """Other steps wait for the model's first words, and for no amount of them."""
    mode = ask(2, "session/set_mode", sessionId="s", modeId="code")
    first = prompt(5), chunk(WARNING), chunk("Yes."), stop(5)
    of = recorded(
        *START, *first, prompt(1), chunk(WARNING), chunk("A lot of text."), mode, answer(2), stop(1)
    )
    with Playbook(of) as book:
        book(*START, *first, prompt(1), chunk(WARNING)).silent()(chunk("A"), mode, answer(2), stop(1))


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
