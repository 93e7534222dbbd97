"""A run that fails because its model was away says so, beside what differs."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.replay.incidents import Incident
from acp_trace.replay.settings import Settings
from acp_trace.replay.verdict.verdict import judge_run
from tests.reading.talk import Said, hello, opened, prompt, stop, up
from tests.replay.facing import entries
from tests.replay.lines import chunk, tool
from tests.support import END, header, line

START = [*hello(), *opened()]
PLAYED = [*START, prompt(1), chunk("Hello."), tool(), stop(1)]


RECONNECTS = {
    "message": "Reconnecting... waiting for network",
    "codexErrorInfo": {"responseStreamDisconnected": {"httpStatusCode": None}},
    "additionalDetails": "Connection failed: error sending request",
    "turnId": "01a203c4",
    "willRetry": True,
}


def file(said: list[Said], *logs: str) -> bytes:
    """A trace of messages, one each second, and of lines on stderr behind them."""
    lines = [
        line(t=at * 10**9, **{"from": sender}, frame=message) for at, (sender, message) in enumerate(said)
    ]
    return b"".join(
        [header(), *lines, *(line(t=99 * 10**9, log=log) for log in logs), line(t=99 * 10**9, end=END)]
    )


def fails(text: str, data: Any = None) -> Said:
    """A prompt that fails."""
    return "agent", {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": text, "data": data}}


def away(
    said: list[Said], *logs: str, died: bool = False, why: str = "timeout", recorded: list[Said] = PLAYED
) -> list[str]:
    """What is told of the model."""
    incidents = [Incident(why, "it ended too early")] if died else []
    expected, actual = entries(file(recorded)), entries(file(said, *logs))
    verdict = judge_run(expected, actual, incidents, Settings(), died=died, steps=3, sent=3)
    return [each.message for each in verdict.comparison.divergences if each.code == "model-away"]


@pytest.mark.parametrize(
    ("said", "logs", "words"),
    [
        (
            [fails("Internal error", {"cause": "connect ECONNREFUSED 127.0.0.1:1"})],
            [],
            "#6 says: Internal error",
        ),
        (
            [chunk("API Error: Conn"), chunk("ection error."), stop(1)],
            [],
            "#7 says: API Error: Connection error.",
        ),
        (
            [fails("Internal error", "stream disconnected before completion: error sending request for url")],
            [],
            "#6 says: Internal error",
        ),
        (  # as codex-acp says it, while it tries again
            [chunk(), up("session_info_update", _meta={"codex": {"error": RECONNECTS}}), stop(1)],
            [],
            "#7 says: Reconnecting... waiting for network Connection failed: error sending request",
        ),
        (  # as fast-agent does
            [chunk("an internal error while calling the model: Request timed out."), stop(1, "refusal")],
            [],
            "#6 says: an internal error while calling the model: Request timed out.",
        ),
        (
            [stop(1)],
            ["retrying\nAPIError: status code 429"],
            "the agent's stderr says: APIError: status code 429",
        ),
        ([stop(1)], [], "came in 1 s after prompt #5; in the recording the first one came after 1.0 s"),
    ],
)
def test_a_model_that_is_away(said: list[Said], logs: list[str], words: str) -> None:
    """By the words of an error, of a message, of stderr; or because there is no sign of a model."""
    (message,) = away([*START, prompt(1), *said], *logs)
    assert words in message


def test_a_turn_that_never_ends_without_a_sign_of_a_model() -> None:
    """As long as the run went on."""
    (message,) = away([*START, prompt(1)], died=True)
    assert "came in 95 s after prompt #5" in message


def test_an_agent_that_ends_within_a_turn() -> None:
    """It said nothing because it was gone; the model may be there. What its stderr says of the model counts."""
    assert (
        away([*START, prompt(1)], "ModuleNotFoundError: No module named 'x'", died=True, why="agent-gone")
        == []
    )
    (message,) = away([*START, prompt(1)], "connection refused", died=True, why="agent-gone")
    assert "the agent's stderr says" in message
    (message,) = away([*START, prompt(1), stop(1), prompt(2)], died=True, why="agent-gone")
    assert "after prompt #5" in message


@pytest.mark.parametrize(
    ("said", "logs", "recorded"),
    [
        (PLAYED, ["connection refused"], PLAYED),  # it passed
        ([*START, prompt(1), chunk("Hello."), stop(1)], [], PLAYED),  # another defect
        ([*START, prompt(1), chunk("Hello."), stop(1)], ["FileNotFoundError: 'x'"], PLAYED),  # no ENOTFOUND
        ([*START, prompt(1), fails("No such file")], [], [*START, prompt(1), stop(1)]),
        ([*START, prompt(1), fails("quota")], [], [*START, prompt(1), chunk("quota"), stop(1)]),
    ],
)
def test_a_model_that_is_there(said: list[Said], logs: list[str], recorded: list[Said]) -> None:
    """Nothing is told where nothing fails, where nothing speaks for it, or where it was so before."""
    assert away(said, *logs, recorded=recorded) == []


WARNING = "Model metadata for `fake-model` not found."
TWO_TURNS = [*START, prompt(1), chunk("This is the model."), tool(), stop(1), prompt(2)]


@pytest.mark.parametrize(
    ("said", "recorded"),
    [
        # what the recording says as well, in other chunks, and with characters that JSON escapes
        (
            [*START, prompt(1), chunk(WARNING), stop(1)],
            [*START, prompt(1), chunk(WARNING[:38]), chunk(WARNING[38:]), tool(), stop(1)],
        ),
        (
            [*START, prompt(1), chunk('the model "é"\tnot found'), stop(1)],
            [*START, prompt(1), chunk('the model "é"\tnot found'), tool(), stop(1)],
        ),
        # the end of one turn, and the beginning of the next one
        ([*TWO_TURNS, chunk("It is not found."), stop(2)], [*TWO_TURNS, chunk("Done."), tool(), stop(2)]),
        (
            [*TWO_TURNS[:-1], chunk("It is not found."), prompt(2), chunk("Done."), stop(2)],
            [*TWO_TURNS, chunk("Done."), tool(), stop(2)],
        ),
    ],
)
def test_words_of_the_recording_and_of_two_turns(said: list[Said], recorded: list[Said]) -> None:
    """A message is looked at turn by turn, and so is the recording's."""
    assert away(said, recorded=recorded) == []


def test_what_is_new_behind_what_the_recording_says() -> None:
    """The message is quoted as far as it came, and no word of it is cut."""
    start = [*START, prompt(1), chunk(WARNING)]
    more = (
        chunk(" Wonderful" * 30 + " API Error: Connec"),
        chunk("tion refused, unfortu"),
        chunk("nately " * 30),
    )
    (message,) = away([*start, *more, stop(1)], recorded=[*start, tool(), stop(1)])
    quoted = message.partition("#8 says: ")[2]
    assert quoted.startswith("… Wonderful ")
    assert "Wonderful API Error: Connection refused, unfortunately nately" in quoted
    assert quoted.endswith(" nately …")
    assert len(quoted) < 200
