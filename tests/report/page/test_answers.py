"""The five questions, answered from facts."""

from __future__ import annotations

import pytest

from acp_trace.report.page import answered
from acp_trace.report.page.answered import AnsweredQuestion
from acp_trace.report.page.answers import answers
from tests.reading.talk import Said, cancel, hello, opened, prompt, stop, up
from tests.support import REPOSITORY, analyzed, request, result, trace


def _answers(data: bytes) -> dict[str, AnsweredQuestion]:
    return {answer.question.split()[0]: answer for answer in answers(analyzed(data)[0])}


def _sample(name: str) -> dict[str, AnsweredQuestion]:
    return _answers((REPOSITORY / "sample_traces" / f"{name}.jsonl").read_bytes())


@pytest.mark.parametrize(
    ("name", "question", "answer", "mood"),
    [
        (
            "gemini-model",
            "Why",
            "initialize took 2.53 s, longer than any turn. Turn 0 took longest, 415 ms; 271 ms of that was the agent's own time.",
            "plain",
        ),
        (
            "opencode-story",
            "Why",
            "Turn 2 took longest, 2.16 s; 1.48 s of that was writing.",
            "plain",
        ),
        ("opencode-story", "Were", "4 changes asked for: 4 applied.", "good"),
        ("gemini-model", "Were", "None was asked for.", "plain"),
        ("gemini-model", "How", "1 cancel: 1 cancelled, the slowest after 8.35 ms.", "good"),
        (
            "opencode-story",
            "How",
            "2 cancels: 1 cancelled, 1 ran to its end, the slowest after 2.04 s.",
            "bad",
        ),
        ("gemini-model", "What", "None: no session_info_update changed anything.", "plain"),
        (
            "gemini-model",
            "Whose",
            "Nothing broke the protocol. Of 857 ms in 3 turns: agent 376 ms, model 343 ms, tools 137 ms, client 1.40 ms. Notes are below.",
            "good",
        ),
        ("opencode-story", "Whose", "The agent: 1 warning.", "bad"),
    ],
)
def test_an_answer_is_a_sentence(name: str, question: str, answer: str, mood: str) -> None:
    """As a person would say it, from recordings of real agents."""
    assert (_sample(name)[question].answer, _sample(name)[question].mood) == (answer, mood)


def test_lines_say_where_it_is() -> None:
    """Each names its frame, and the place on the page that shows more."""
    slow, cancels = _sample("opencode-story")["Why"], _sample("opencode-story")["How"]
    assert [(line.frame, line.view, line.at) for line in slow.lines][:1] == [(32, "timeline", {"turn": "3"})]
    assert [(line.frame, line.view, line.at) for line in cancels.lines] == [
        (29, "state", {"cancel": "29"}),
        (34, "state", {"cancel": "34"}),
    ]
    assert cancels.lines[0].text == (
        'session/cancel of turn 1 "HOLD on": cancelled, settled after 71.7 ms, 1 update, the last after 71.0 ms'
    )


def test_what_is_more_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many lines at the most; the rest is a number."""
    monkeypatch.setattr(answered, "MOST", 5)
    config = _sample("opencode-story")["Were"]
    assert (len(config.lines), config.more) == (5, 1)


def test_nothing_is_answered_as_nothing() -> None:
    """A trace without a frame has no turn, no change, no cancel, no fault."""
    assert [answer.answer for answer in _answers(trace()).values()] == [
        "No turn was recorded.",
        "None was asked for.",
        "Nothing was cancelled.",
        "None: no session_info_update changed anything.",
        "The agent: 1 error.",
    ]


@pytest.mark.parametrize(
    ("between", "said"),
    [
        ((), "No client cancelled anything; the agent itself cancelled 1 turn."),
        ((prompt(2), cancel(), stop(2, "cancelled")), "1 cancel: 1 cancelled, the slowest after 1 µs; the agent itself cancelled 1 turn."),
    ],
)  # fmt: skip
def test_what_the_agent_cancelled_itself_is_counted_too(between: tuple[Said, ...], said: str) -> None:
    """As it is in `show` and in State, where it is one of the cancels."""
    how = _answers(trace(*hello(), *opened(), prompt(1), stop(1, "cancelled"), *between))["How"]
    assert how.answer == said
    assert how.lines[-1].text.startswith("by the agent itself")


def _turns(*settled: bool) -> bytes:
    """A trace in which the first turn takes 1 µs; the next ones are settled, or open to the end."""
    said = [
        ("client", request(0, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(0, sessionId="s")),
    ]
    for number, ends in enumerate(settled, 1):
        said.append(("client", request(number, "session/prompt", sessionId="s", prompt=[])))
        said += [("agent", result(number, stopReason="end_turn"))] if ends else []
    said += [("agent", {"jsonrpc": "2.0", "method": "_x/y", "params": {}})] * 4
    return trace(*said)


def test_a_turn_that_hangs_is_what_was_slow() -> None:
    """It has no duration, and is open for longer than any other took."""
    slow = _answers(_turns(True, False))["Why"]
    assert (slow.answer, slow.mood) == ("Turn 1 never settled: it was open for 5 µs, to the end.", "bad")
    assert slow.lines[0].text == "Turn 1: not settled, open for 5 µs"


def test_a_change_that_changes_nothing_is_not_applied() -> None:
    """As `show` says it: the option had that value already."""
    option = {
        "id": "o",
        "name": "o",
        "type": "select",
        "currentValue": "a",
        "options": [{"value": "a", "name": "a"}],
    }
    file = trace(
        ("client", request(0, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(0, sessionId="s", configOptions=[option])),
        ("client", request(1, "session/set_config_option", sessionId="s", configId="o", value="a")),
        ("agent", result(1, configOptions=[option])),
    )
    assert _answers(file)["Were"].answer == "1 change asked for: 1 no change."


def test_of_half_a_trace_only_half_is_known() -> None:
    """Nothing broke the protocol in what is there: that is not the same as nothing."""
    fault = _answers(trace(end=False))["Whose"]
    assert (fault.answer, fault.mood) == (
        "Nothing broke the protocol in what was recorded: the trace has no end.",
        "plain",
    )


@pytest.mark.parametrize("sessions", [1, 2])
def test_lines_name_their_session_if_there_are_two(sessions: int) -> None:
    """Turns, changes of metadata and cancels of two sessions look alike."""
    said = [*hello()]
    for session in ("s-in-the-morning", "s-in-the-evening")[:sessions]:
        said += [*opened(session), up("session_info_update", session, title="T")]
        said += [prompt(session, session), cancel(session), stop(session, "cancelled")]
    of = ["", " of S1", " of S2"]
    of = of[:1] if sessions == 1 else of[1:]
    found = _answers(trace(*said))
    assert [line.text for line in found["What"].lines] == [f"/title{each}: ∅ → T" for each in of]
    assert [line.text.partition(":")[0] for line in found["How"].lines] == [
        f'session/cancel of turn {each.removeprefix(" of ")}{"." if each else ""}0 "go"' for each in of
    ]
    turns = [line.text.partition(":")[0] for line in found["Why"].lines if line.view == "timeline"]
    assert turns == [f"Turn {each.removeprefix(' of ')}{'.' if each else ''}0" for each in of]


def test_turns_that_took_equally_long_are_all_named() -> None:
    """As long as their times read the same."""
    slow = _answers(_turns(True, True))["Why"]
    assert slow.answer.startswith("Turn 0 and turn 1 took longest, ")
    assert slow.answer.endswith(" each.")
    assert _answers(_turns(False, False))["Why"].answer.endswith("; neither did 1 other turn.")
