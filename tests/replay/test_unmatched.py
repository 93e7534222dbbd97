"""docs/replay.md, What is answered: those that have no answer in the recording."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.replay.declared import Unmatched
from tests.reading.talk import prompt, reply, stop
from tests.replay.lines import START, asks, reads
from tests.replay.playbook import Playbook, recorded


def unknown(id: Any, told: str, code: int = -32602) -> Any:
    """The error that a request without an answer gets."""
    error = {"code": code, "message": f"acp-trace: the recording has no answer for this {told}"}
    return "client", {"jsonrpc": "2.0", "id": id, "error": error}


def test_a_request_without_an_answer_is_an_error_and_a_divergence() -> None:
    """Both tell the nearest recorded one, and why it does not match."""
    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content="A"), stop(1))
    told = 'fs/read_text_file (nearest is frame 6: path was "/w/a", is "/w/b")'
    with Playbook(of, folders={"/w": "/w"}) as book:
        book(*START, prompt(1), reads(0, "/w/b"), unknown(0, told.replace("/w/", "‹cwd›/")))
        book(reads(1, "/w/a"), reply(1, content="A"), stop(1))
        (one,) = book.noticed("request-unmatched")
        assert (one.expected, one.got, one.session, one.now) == (6, ("agent", 3), "s", "fs/read_text_file")
        assert one.message.startswith("fs/read_text_file is not in the recording, nearest #6: path was")


def test_a_request_that_was_never_recorded_at_all() -> None:
    """The code says that there is no such method."""
    of = recorded(*START, prompt(1), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), reads(0, "/w/b"), unknown(0, "fs/read_text_file", -32601), stop(1))
        book.noticed("request-unmatched")


MAKE, MADE = asks(7, "terminal/create", command="make"), reply(7, terminalId="t")


def test_a_request_that_was_answered_already() -> None:
    """One more than recorded has no answer."""
    of = recorded(*START, prompt(1), MAKE, MADE, stop(1))
    told = "terminal/create (nearest is frame 6: was already used)"
    with Playbook(of) as book:
        book(*START, prompt(1), MAKE, MADE, asks(8, "terminal/create", command="make"), unknown(8, told))
        book(stop(1)).noticed("request-unmatched")


def test_a_request_that_comes_when_its_turn_is_over() -> None:
    """Its answer was given up, so that the next step could be sent."""
    of = recorded(*START, prompt(1), MAKE, MADE, stop(1), prompt(2), stop(2))
    told = "terminal/create (nearest is frame 6: was given up when its turn was over)"
    with Playbook(of) as book:
        book(*START, prompt(1), stop(1), prompt(2), MAKE, unknown(7, told), stop(2))
        book.noticed("answer-unused", "request-unmatched")


def test_nearest_answers_with_the_nearest() -> None:
    """It still is a divergence; nothing is learned from a pair that does not match."""
    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content="A"), stop(1))
    with Playbook(of, unmatched="nearest") as book:
        book(*START, prompt(1), reads(0, "/w/b"), reply(0, content="A"), stop(1))
        book.noticed("request-unmatched")


def test_nearest_answers_again_when_there_is_no_other() -> None:
    """One that was already used is better than none."""
    of = recorded(*START, prompt(1), MAKE, MADE, stop(1))
    with Playbook(of, unmatched="nearest") as book:
        book(*START, prompt(1), MAKE, MADE, asks(8, "terminal/create", command="make"))
        book(reply(8, terminalId="t"), stop(1)).noticed("request-unmatched")


def test_workspace_serves_files_that_were_not_recorded() -> None:
    """That is what the option is for: no divergence. Recorded answers come first."""

    def serve(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        return {"content": f"{method} {params['path']}"} if params["path"] == "/w/b" else None

    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content="A"), stop(1))
    with Playbook(of, unmatched="workspace", serve={"fs/read_text_file": serve}) as book:
        book(*START, prompt(1), reads(0, "/w/b"), reply(0, content="fs/read_text_file /w/b"))
        book(reads(1, "/w/a"), reply(1, content="A"))
        book(reads(2, "/c"), unknown(2, "fs/read_text_file (nearest is frame 6: was already used)"), stop(1))
        book.noticed("request-unmatched")


@pytest.mark.parametrize("unmatched", ["fail", "nearest"])
def test_only_workspace_serves(unmatched: Unmatched) -> None:
    """Otherwise nothing is asked of the folder."""

    def serve(_: str, __: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError

    of = recorded(*START, prompt(1), stop(1))
    with Playbook(of, unmatched=unmatched, serve={"fs/read_text_file": serve}) as book:
        book(*START, prompt(1), reads(0, "/w/b"), unknown(0, "fs/read_text_file", -32601), stop(1))
        book.noticed("request-unmatched")
