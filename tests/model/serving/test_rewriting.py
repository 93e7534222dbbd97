"""A recorded response as it is served: what has moved is replaced, and all other bytes stay."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.model.forms import anthropic, gemini, ollama, openai_chat, openai_responses
from acp_trace.model.forms.form import Form
from acp_trace.model.reading import read_answer, read_messages
from acp_trace.model.serving.replacements import Replacements
from acp_trace.model.serving.rewriting import Rewriting

WAS, NOW = "/home/ann/shop-7", '/tmp/a "quoted"/wörk'
ID, NEW_ID = "0b8e3f4a-1111-4222-8333-444455556666", "9c1d2e3f-aaaa-4bbb-8ccc-ddddeeeeffff"
REWRITING = Rewriting(Replacements([(WAS, NOW)], {ID: NEW_ID}))


def sse(event: Any) -> bytes:
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def chat(piece: str) -> bytes:
    return sse({"id": "r", "choices": [{"index": 0, "delta": {"content": piece}}]})


def chat_tool(piece: str) -> bytes:
    call = {"index": 0, "function": {"arguments": piece}}
    return sse({"id": "r", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})


def messages(piece: str) -> bytes:
    return sse({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})


def messages_tool(piece: str) -> bytes:
    delta = {"type": "input_json_delta", "partial_json": piece}
    return sse({"type": "content_block_delta", "index": 0, "delta": delta})


def responses(piece: str) -> bytes:
    return sse({"type": "response.output_text.delta", "item_id": "i", "delta": piece})


def responses_message(piece: str) -> bytes:
    return json.dumps({"type": "response.output_text.delta", "item_id": "i", "delta": piece}).encode()


def google(piece: str) -> bytes:
    return sse({"candidates": [{"content": {"role": "model", "parts": [{"text": piece}]}}]})


def lines(piece: str) -> bytes:
    return json.dumps({"model": "m", "message": {"role": "assistant", "content": piece}}).encode() + b"\n"


TEXTS: list[tuple[Form, Callable[[str], bytes]]] = [
    (openai_chat.FORM, chat),
    (anthropic.FORM, messages),
    (openai_responses.FORM, responses),
    (openai_responses.FORM, responses_message),
    (gemini.FORM, google),
    (ollama.FORM, lines),
]


def cut(text: str, places: Sequence[int]) -> list[str]:
    """A text in pieces: cut at these places, as far as it goes."""
    ends = sorted({min(place, len(text)) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(ends)]


def said(form: Form, pieces: Sequence[bytes]) -> str:
    """The words of an answer."""
    if form is openai_responses.FORM and pieces[0][:1] == b"{":
        return read_messages(form, enumerate(pieces)).text
    return read_answer(form, enumerate(pieces)).text


@pytest.mark.parametrize(("form", "event"), TEXTS)
@given(places=st.lists(st.integers(1, 120), max_size=40), seams=st.lists(st.integers(1, 3000), max_size=9))
def test_a_text_is_replaced_however_a_stream_cuts_it(
    form: Form, event: Callable[[str], bytes], places: list[int], seams: list[int]
) -> None:
    """In events of any size, in reads of any size: as many pieces, and the reader sees the new value whole."""
    text = f"I look at {WAS}/a.txt (not {WAS}x, not /my{WAS}) of {ID}."
    expected = f"I look at {NOW}/a.txt (not {WAS}x, not /my{WAS}) of {NEW_ID}."
    pieces = [event(piece) for piece in cut(text, places)]
    if event is not responses_message:  # messages of a WebSocket come whole
        body = b"".join(pieces).decode("latin-1")
        pieces = [piece.encode("latin-1") for piece in cut(body, seams)]
    served = REWRITING(pieces)
    assert len(served) == len(pieces)
    assert said(form, served) == expected


@pytest.mark.parametrize(
    ("form", "event", "start"),
    [
        (
            openai_chat.FORM,
            chat_tool,
            sse(
                {
                    "choices": [
                        {
                            "index": 0,
                            "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "read"}}]},
                        }
                    ]
                }
            ),
        ),
        (
            anthropic.FORM,
            messages_tool,
            sse(
                {
                    "type": "content_block_start",
                    "index": 0,
                    "content_block": {"type": "tool_use", "id": "c", "name": "read", "input": {}},
                }
            ),
        ),
    ],
)
@given(places=st.lists(st.integers(1, 120), max_size=40))
def test_arguments_that_stream_as_json_in_json_stay_json(
    form: Form, event: Callable[[str], bytes], start: bytes, places: list[int]
) -> None:
    """The new directory has a quote and a letter beyond ASCII: it is escaped once for each level."""
    arguments = json.dumps({"path": f"{WAS}/a.txt", "cwd": WAS, "id": ID, "n": 1})
    served = REWRITING([start, *(event(piece) for piece in cut(arguments, places))])
    (call,) = read_answer(form, enumerate(served)).tool_calls
    assert call.arguments == {"path": f"{NOW}/a.txt", "cwd": NOW, "id": NEW_ID, "n": 1}


def test_json_in_a_string_in_json_is_replaced_in_its_own_spelling() -> None:
    """Arguments in one piece, with a command in them that is JSON again."""
    inner = json.dumps({"command": json.dumps({"cwd": f"{WAS}/b"})})
    body = json.dumps({"type": "x", "item": {"arguments": inner}})
    served = json.loads(REWRITING([body.encode()])[0])
    assert json.loads(json.loads(served["item"]["arguments"])["command"]) == {"cwd": f"{NOW}/b"}


@pytest.mark.parametrize(
    "pieces",
    [
        [b'data: {"a":  1.50, "t": "\\u00e9 \\/tmp"}\r\n\r\n', b"data: [DONE]\n\n"],
        [b'event: ping\ndata: {"type": "ping"}\n\n', b": comment\n\n"],
        [b"\x00\x00\x01\x02" + WAS.encode()],
        [b"", b"\xff\xfe"],
        [],
    ],
)
def test_what_has_nothing_of_it_stays_byte_for_byte(pieces: list[bytes]) -> None:
    """Spelling of numbers and escapes, order, white space; and frames that say how long they are."""
    assert REWRITING(pieces) == pieces


def test_only_the_value_changes() -> None:
    """The bytes before and behind it are those that were recorded."""
    was = b'data: {"b":1.0, "delta" : {"content": "\\u002fx %s \\n"}, "a":1e5}\n\n' % WAS.encode()
    now = was.replace(WAS.encode(), json.dumps(NOW, ensure_ascii=False)[1:-1].encode())
    assert REWRITING([was]) == [now]


def test_a_value_in_several_events_goes_into_the_first_and_is_cut_from_the_rest() -> None:
    """So no event disappears, and the reader never sees half of two directories."""
    rewriting = Rewriting(Replacements([("/w/old", "/t")]))
    assert rewriting([chat("in /w"), chat("/ol"), chat("d/a")]) == [chat("in /t"), chat(""), chat("/a")]


def test_texts_beside_each_other_are_not_mixed() -> None:
    """Two tools whose arguments come by turns."""
    rewriting = Rewriting(Replacements([("/w/old", "/t")]))

    def of(index: int, piece: str) -> bytes:
        call = {"index": index, "function": {"arguments": piece}}
        return sse({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})

    assert rewriting([of(0, "/w"), of(1, "/w/o"), of(0, "/old"), of(1, "ld")]) == [
        of(0, "/t"),
        of(1, "/t"),
        of(0, ""),
        of(1, ""),
    ]


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("in -home-ann-shop-7/x", "in -tmp-x-y-z/x"),
        ("file:///home/ann/shop-7/x", "file:///tmp/x/y z/x"),
        ("~/shop-7/x", "/tmp/x/y z/x"),
        ("the project shop-7.", "the project y z."),
        ("a shop-7a, a /shop-7", "a shop-7a, a /shop-7"),
        ("cd /home/ann\ncd /home/ann/shop-7", "cd /tmp/home\ncd /tmp/x/y z"),
    ],
)
def test_a_directory_is_replaced_in_each_spelling(was: str, now: str) -> None:
    """In the same spelling of the new one, as far as that has one; nowhere in another word."""
    rewriting = Rewriting(Replacements([(WAS, "/tmp/x/y z"), ("/home/ann", "/tmp/home")]))
    assert rewriting([chat(was)]) == [chat(now)]


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (r"in C:\Users\ann\shop-7\src\a.ts now", "in /tmp/x/src/a.ts now"),
        ("in c:/users/ann/shop-7/src/a.ts", "in /tmp/x/src/a.ts"),
        (r"in C:/Users/ann/shop-7\nThen", r"in /tmp/x\nThen"),
        ("see file:///c%3A/Users/ann/shop-7/a", "see file:///tmp/x/a"),
        (rf"C:\Users\ann\shop-7\{ID}\a", f"/tmp/x/{NEW_ID}/a"),
        (r"C:\Users\ann\shop-7a\b", r"C:\Users\ann\shop-7a\b"),
        ("the project shop-7.", "the project x."),
    ],
)
def test_a_directory_of_windows_in_a_run_on_linux(was: str, now: str) -> None:
    """The path below it is one of Linux, also in arguments that are JSON themselves."""
    rewriting = Rewriting(Replacements([(r"C:\Users\ann\shop-7", "/tmp/x")], {ID: NEW_ID}))
    assert rewriting([chat(was)]) == [chat(now)]
    assert rewriting([chat_tool(json.dumps({"path": was}))]) == [chat_tool(json.dumps({"path": now}))]
    assert rewriting([chat(was[:9]), chat(was[9:])]) != [chat(was[:9]), chat(was[9:])] or was == now


def test_a_directory_of_windows_in_a_run_on_windows() -> None:
    """Written as the recorded one; letters that are not ASCII have another case, too."""
    rewriting = Rewriting(Replacements([(r"C:\Öl", r"D:\tmp\wörk")]))
    (served,) = rewriting([chat(r"c:\öl\a or C:/Öl/b")])
    assert json.loads(served[6:]) == json.loads(chat(r"D:\tmp\wörk\a or D:/tmp/wörk/b")[6:])
