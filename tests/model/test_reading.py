"""Responses of all wire forms: what they say, whatever the pieces, and when the first word came."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.model.forms import anthropic, bedrock, completions, gemini, openai_chat, openai_responses
from acp_trace.model.forms.form import Form
from acp_trace.model.prompt_diff import difference
from acp_trace.model.reading import AnswerReader, read_answer, read_messages
from acp_trace.model.recognition import recognise
from acp_trace.model.shapes import Answer, Text, Thinking, Tokens, ToolUse
from acp_trace.trace import jsontext
from tests.model import streams
from tests.model.streams import STREAMS, Stream, sse
from tests.model.test_prompts import REQUESTS


def _read(stream: Stream, cuts: Iterable[int] = ()) -> Answer:
    """The answer, the response cut at these places; each piece comes when its last byte has its place."""
    places = sorted({min(cut, len(stream.body)) for cut in cuts} | {len(stream.body)})
    pieces = [(end, stream.body[begin:end]) for begin, end in zip([0, *places], places, strict=False)]
    return read_answer(stream.form, pieces, stream.status, stream.headers)


def _timeless(answer: Answer) -> Answer:
    times = {"first_byte_ns": None, "first_token_ns": None, "last_token_ns": None, "output": ()}
    return msgspec.structs.replace(answer, **times)


def _of(form: Form, *events: object, status: int = 200) -> Answer:
    return read_answer(form, [(1, sse(*events))], status, streams.SSE)


@pytest.mark.parametrize("name", STREAMS)
def test_each_form_says_the_same_in_its_way(name: str) -> None:
    """Thoughts, words, two tool calls, stop reason, tokens; the totals are the same in all forms."""
    stream = STREAMS[name]
    answer = _read(stream)
    assert answer.parts == stream.parts
    assert (answer.text, answer.thinking) == (streams.WORDS, streams.THOUGHT)
    assert [call.name for call in answer.tool_calls] == ["read", "run"]
    assert (answer.stop_reason, answer.tokens) == (stream.stop_reason, stream.tokens)
    assert (answer.tokens.input_total, answer.tokens.output_total) == (120, 45)
    assert (answer.id, answer.model) == (stream.id, stream.model)
    assert (answer.error, answer.is_broken_off, answer.unreadable) == (None, False, 0)


@pytest.mark.parametrize("name", STREAMS)
def test_pieces_do_not_matter(name: str) -> None:
    """Byte by byte, and in two in the first and last bytes."""
    stream = STREAMS[name]
    whole = _timeless(_read(stream))
    assert _timeless(_read(stream, range(len(stream.body)))) == whole
    for cut in (1, 3, 7, 12, 13, len(stream.body) - 13, len(stream.body) - 2, len(stream.body) - 1):
        assert _timeless(_read(stream, [cut])) == whole


@settings(max_examples=60)
@given(st.sampled_from(sorted(STREAMS)), st.lists(st.integers(0, 6000), max_size=12))
def test_any_cutting_gives_the_same_answer(name: str, cuts: list[int]) -> None:
    """And the sum of what came is the same."""
    stream = STREAMS[name]
    whole, cut = _read(stream), _read(stream, cuts)
    assert _timeless(cut) == _timeless(whole)
    assert cut.characters_after(0) == whole.characters_after(0) > 0


@pytest.mark.parametrize("name", STREAMS)
def test_the_first_token_comes_with_the_piece_that_completes_it(name: str) -> None:
    """Later than the first byte, and not before its event is there; a whole response is there at its end."""
    stream = STREAMS[name]
    size = len(stream.body)
    answer = _read(stream, range(size))
    assert answer.first_byte_ns == 1
    assert answer.first_token_ns is not None
    assert answer.last_token_ns is not None
    if "whole" in name:
        assert answer.first_token_ns == answer.last_token_ns == size
    else:
        begin = stream.body.index(stream.first)
        assert begin + len(stream.first) < answer.first_token_ns < begin + 900
        assert answer.first_token_ns < answer.last_token_ns < size
        assert 0 < answer.characters_after(answer.first_token_ns) < answer.characters_after(0)


@pytest.mark.parametrize("name", STREAMS)
def test_half_a_response_is_broken_off(name: str) -> None:
    """What came is there; a whole response that is cut says nothing."""
    stream = STREAMS[name]
    half = read_answer(stream.form, [(1, stream.body[: len(stream.body) // 2])], 200, stream.headers)
    assert half.is_broken_off
    assert (half.stop_reason, half.error) == (None, None)
    if "whole" in name:
        assert (half.parts, half.unreadable) == ((), 1)
    else:
        assert half.thinking == streams.THOUGHT


def test_before_the_end_the_answer_is_what_has_come() -> None:
    """For a call that is still under way."""
    reader = AnswerReader(openai_chat.FORM, 200, streams.SSE)
    assert reader.answer() == Answer()
    reader.feed(5, sse({"choices": [{"delta": {"content": "Hel"}}]}))
    assert (reader.answer().text, reader.answer().is_complete) == ("Hel", False)
    reader.feed(9, sse({"choices": [{"delta": {"content": "lo"}, "finish_reason": "stop"}]}))
    assert (reader.end().text, reader.end().output) == ("Hello", ((5, 3), (9, 2)))


@pytest.mark.parametrize("name", ["responses", "responses, bare end"])
def test_messages_of_a_websocket_are_events(name: str) -> None:
    """The same events without SSE around them."""
    stream = STREAMS[name]
    events = [line.removeprefix(b"data: ") for line in stream.body.split(b"\n") if line.startswith(b"data: ")]
    answer = read_messages(stream.form, [(t, event) for t, event in enumerate(events)])
    assert (answer.parts, answer.tokens, answer.is_complete) == (stream.parts, stream.tokens, True)
    assert (answer.first_byte_ns, answer.first_token_ns) == (0, 4)


def test_what_ends_a_part_counts_over_its_pieces() -> None:
    """A final text that is not the sum of its deltas."""
    answer = _of(
        openai_responses.FORM,
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Helo"},
        {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hello"},
    )
    assert (answer.text, answer.characters_after(0)) == ("Hello", 4)


def test_an_end_that_repeats_what_was_lost() -> None:
    """Responses whose deltas a gap has taken: the last event has all of it."""
    last = {"type": "message", "content": [{"type": "output_text", "text": "All of it"}]}
    answer = _of(
        openai_responses.FORM,
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}},
        {"type": "response.completed", "response": {"status": "completed", "output": [last]}},
    )
    assert (answer.text, answer.characters_after(0)) == ("All of it", 9)


def test_an_end_that_repeats_a_call_that_was_lost() -> None:
    """The words had come: they are there once, and do not count twice."""
    items = [
        {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]},
        {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"},
    ]
    answer = _of(
        openai_responses.FORM,
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hi"},
        {"type": "response.completed", "response": {"status": "completed", "output": items}},
    )
    assert answer.parts == (Text("Hi"), ToolUse("c", "read", {}))
    assert answer.characters_after(0) == 2


def test_headers_of_all_types_in_an_event_stream() -> None:
    """Those that are no strings are passed over: a boolean, numbers, bytes, a time, a UUID."""
    values = ((0, b""), (1, b""), (2, b"1"), (3, b"12"), (4, b"1234"), (5, b"12345678"), (6, b"\0\3abc"))
    odd = b"".join(
        b"\1x" + bytes([kind]) + value for kind, value in (*values, (8, b"12345678"), (9, b"u" * 16))
    )
    name = b"\x0b:event-type\7\0\x11contentBlockDelta"
    payload = b'{"contentBlockIndex":0,"delta":{"text":"Hi"}}'
    for head, text in ((odd + name, "Hi"), (b"\1x\x63" + name, "")):
        answer = read_answer(bedrock.FORM, [(1, streams.message(head, payload))], 200, streams.BINARY)
        assert answer.text == text


def test_parallel_calls_that_all_have_the_index_0() -> None:
    """Ids tell them apart; what has no id goes on with the last."""
    calls = [
        {"index": 0, "id": "a", "function": {"name": "read", "arguments": '{"n":'}},
        {"index": 0, "function": {"arguments": "1}"}},
        {"index": 0, "id": "b", "function": {"name": "read", "arguments": '{"n":'}},
        {"index": 0, "function": {"arguments": "2}"}},
    ]
    answer = _of(openai_chat.FORM, *({"choices": [{"delta": {"tool_calls": [call]}}]} for call in calls))
    assert answer.parts == (ToolUse("a", "read", {"n": 1}), ToolUse("b", "read", {"n": 2}))


def test_arguments_that_are_no_json_stay_text() -> None:
    """A call that the limit of tokens has cut; and one without arguments."""
    cut = {"id": "a", "function": {"name": "write", "arguments": '{"text": "long'}}
    none = {"index": 1, "id": "b", "function": {"name": "list", "arguments": ""}}
    choice = {"delta": {"tool_calls": [cut, none]}, "finish_reason": "length"}
    answer = _of(openai_chat.FORM, {"choices": [choice]})
    assert answer.parts == (ToolUse("a", "write", '{"text": "long'), ToolUse("b", "list", {}))
    assert answer.stop_reason == "length"


def test_thoughts_that_are_encrypted_are_output_without_words() -> None:
    """They take their time, and their tokens."""
    claude = _of(
        anthropic.FORM,
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "redacted_thinking", "data": "x"},
        },
    )
    openai = _of(
        openai_responses.FORM,
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": {"type": "reasoning", "summary": [], "encrypted_content": "x"},
        },
    )
    for answer in (claude, openai):
        assert (answer.parts, answer.first_token_ns, answer.output) == ((Thinking(""),), 1, ((1, 0),))


def test_content_in_parts_and_in_other_fields() -> None:
    """Mistral's thoughts, Anthropic's summaries, thoughts in several parts, a call of the first kind."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    mistral = _of(
        openai_chat.FORM, {"choices": [{"delta": {"content": [thought, {"type": "text", "text": "Yes."}]}}]}
    )
    assert mistral.parts == (Thinking("Hm."), Text("Yes."))
    delta = {"type": "compaction_delta", "content": "We met."}
    assert _of(anthropic.FORM, {"type": "content_block_delta", "index": 0, "delta": delta}).text == "We met."
    part = {"type": "response.reasoning_summary_part.added", "output_index": 0}
    text = {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "Hm."}
    assert _of(openai_responses.FORM, part, text, part, text).thinking == "Hm.\n\nHm."
    old = {"choices": [{"delta": {"function_call": {"name": "read", "arguments": "{}"}}}]}
    assert _of(openai_chat.FORM, old).tool_calls == (ToolUse(None, "read", {}),)
    hidden = {"contentBlockIndex": 0, "delta": {"reasoningContent": {"redactedContent": "x"}}}
    assert _of(bedrock.FORM, {"contentBlockDelta": hidden}).parts == (Thinking(""),)


def test_of_several_answers_the_first_counts() -> None:
    """An agent asks for one; who asks for more reads the first."""
    choices = [{"index": index, "delta": {"content": f"{index}"}} for index in (1, 0)]
    assert _of(openai_chat.FORM, {"choices": choices}).text == "0"
    candidates = [{"index": index, "content": {"parts": [{"text": f"{index}"}]}} for index in (1, 0)]
    assert _of(gemini.FORM, {"candidates": candidates}).text == "0"


def test_a_text_that_goes_on() -> None:
    """From OpenAI in choices, from Ollama by itself."""
    chunks = [
        {"choices": [{"text": text, "finish_reason": end}]} for text, end in (("Hel", None), ("lo", "length"))
    ]
    openai = _of(
        completions.FORM, *chunks, {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
    )
    lines = [
        {"response": "Hel", "done": False},
        {"response": "lo", "done": True, "done_reason": "length", "prompt_eval_count": 3, "eval_count": 2},
    ]
    for answer in (openai, _of(completions.FORM, *lines)):
        assert (answer.text, answer.stop_reason, answer.is_complete) == ("Hello", "length", True)
        assert (answer.tokens.input, answer.tokens.output) == (3, 2)


def test_what_codex_has_compacted() -> None:
    """A list of items with no status, which only the provider can read."""
    body = json.dumps(
        {"object": "response.compaction", "output": [{"type": "compaction", "encrypted_content": "x"}]}
    )
    answer = read_answer(openai_responses.FORM, [(1, body.encode())], 200, streams.JSON)
    assert (answer.parts, answer.stop_reason, answer.is_complete) == ((Thinking(""),), "completed", True)


def test_a_refusal_is_words() -> None:
    """OpenAI has a field of its own for them; Gemini refuses a prompt before it says a word."""
    assert _of(openai_chat.FORM, {"choices": [{"delta": {"refusal": "I cannot."}}]}).text == "I cannot."
    answer = _of(openai_responses.FORM, {"type": "response.refusal.delta", "output_index": 0, "delta": "No."})
    assert answer.parts == (Text("No."),)
    blocked = _of(
        gemini.FORM, {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 7}}
    )
    assert (blocked.stop_reason, blocked.is_complete, blocked.tokens.input) == ("SAFETY", True, 7)


def test_an_answer_that_was_cut_short_is_complete() -> None:
    """By its own limit: the provider says so."""
    state = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}
    answer = _of(openai_responses.FORM, {"type": "response.incomplete", "response": state})
    assert (answer.stop_reason, answer.is_complete, answer.error) == ("max_output_tokens", True, None)


def test_thoughts_are_counted_where_anthropic_says_them() -> None:
    """They are a part of its output."""
    usage = {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}
    answer = _of(anthropic.FORM, {"type": "message_delta", "delta": {}, "usage": usage})
    assert answer.tokens == Tokens(output=9, reasoning=4, output_total=9)


def test_unknown_tokens_are_none() -> None:
    """A stream without usage; and counts that are none."""
    answer = _of(
        openai_chat.FORM, {"choices": [{"delta": {"content": "x"}}], "usage": {"prompt_tokens": "7"}}
    )
    assert answer.tokens == Tokens()


def test_events_that_nobody_can_read_are_counted() -> None:
    """And what comes after them is read."""
    body = b"data: {broken\n\n" + sse({"choices": [{"delta": {"content": "x"}}]}) + b"data: 7\n\n"
    answer = read_answer(openai_chat.FORM, [(1, body)], 200, streams.SSE)
    assert (answer.text, answer.unreadable) == ("x", 2)
    torn = streams.CONVERSE.body[:-3]
    assert read_answer(bedrock.FORM, [(1, torn)], 200, streams.BINARY).unreadable == 1
    flipped = bytes([255, *streams.CONVERSE.body[1:]])
    assert read_answer(bedrock.FORM, [(1, flipped)], 200, streams.BINARY).unreadable == 1


def test_a_stream_without_a_content_type_is_read_by_its_first_byte() -> None:
    """Also lines of JSON, after a byte order mark."""
    for name in ("chat", "anthropic", "gemini", "gemini, array", "ollama", "anthropic, whole"):
        stream = STREAMS[name]
        answer = read_answer(stream.form, [(1, b"\xef\xbb\xbf \n" + stream.body)], 200)
        assert (answer.parts, answer.tokens) == (stream.parts, stream.tokens)


#: The words that readers look for, so that chance meets them.
_SEEN = json.dumps(
    [str(stream.body) for stream in STREAMS.values()] + [str(body) for _, body, *_ in REQUESTS]
)
_WORDS = sorted(set(re.findall(r"[A-Za-z_]{4,}", _SEEN)))
_PLAIN = (None, True, -1, 0, 1, 2**70, 0.5, "", "text", "[", "data:image/png;base64,AAA")
_FORMS = sorted({stream.form.name: stream.form for stream in STREAMS.values()}.items())


def _chance(random: Random, depth: int) -> Any:
    """Some JSON that looks like a provider's."""
    kind = random.random()
    if depth == 0 or kind < 0.3:
        return random.choice((*_PLAIN, *random.choices(_WORDS, k=6)))
    if kind < 0.55:
        return [_chance(random, depth - 1) for _ in range(random.randrange(4))]
    value = {random.choice(_WORDS): _chance(random, depth - 1) for _ in range(random.randrange(5))}
    return {**value, "type": random.choice(_WORDS)} if random.random() < 0.6 else value


def test_unknown_shapes_never_raise() -> None:
    """Neither as events nor as requests, and what is read can be written as JSON."""
    random = Random(13)
    for _ in range(400):
        _, form = random.choice(_FORMS)
        events = [
            {random.choice(_WORDS): _chance(random, 4), "type": random.choice(_WORDS)} for _ in range(3)
        ]
        answer = _of(form, *events, status=random.choice((200, 429)))
        prompt = form.prompt(events[0])
        assert jsontext.text(msgspec.to_builtins([answer, prompt]))
        assert recognise("POST", "h", "/x", (), jsontext.text(events[0])) is None or prompt is not None
        assert difference(prompt, prompt, str.upper).changed == ()


@settings(max_examples=60)
@given(
    st.sampled_from(_FORMS),
    st.lists(st.binary(max_size=40), max_size=5),
    st.sampled_from([(), streams.SSE, streams.JSON, streams.LINES, streams.BINARY]),
    st.sampled_from([None, 200, 500]),
)
def test_any_bytes_never_raise(
    form: tuple[str, object], pieces: list[bytes], headers: object, status: int | None
) -> None:
    """And however they are cut, they say the same."""
    cut = read_answer(form[1], list(enumerate(pieces)), status, headers)  # type: ignore[arg-type]
    whole = read_answer(form[1], [(0, b"".join(pieces))], status, headers)  # type: ignore[arg-type]
    assert _timeless(cut) == _timeless(whole)


@settings(max_examples=100)
@given(st.sampled_from(sorted(STREAMS)), st.integers(0, 5000), st.integers(0, 255), st.integers(0, 60))
def test_a_damaged_stream_never_raises(name: str, place: int, byte: int, length: int) -> None:
    """A byte replaced, and some taken away."""
    stream = STREAMS[name]
    at = place % len(stream.body)
    body = stream.body[:at] + bytes([byte]) + stream.body[at + length :]
    assert read_answer(stream.form, [(1, body)], 200, stream.headers) is not None
