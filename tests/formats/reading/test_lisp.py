"""What Emacs prints is read as it was; what it cannot print, and what would never end, is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading.lisp import NIL, Dotted, LispReader, NotLisp, Symbol, Vector

_A, _B = Symbol("a"), Symbol("b")


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("()", NIL),
        ("nil", NIL),
        ("(a b)", [_A, _B]),
        ("(a . b)", Dotted([_A], _B)),
        ("(a . (b . nil))", [_A, _B]),
        ("(a . #1=(b . 7))", Dotted([_A, _B], 7)),
        ("(a .\n   [])", Dotted([_A], Vector([]))),
        ("[a [1 2] ()]", Vector([_A, Vector([1, 2]), NIL])),
        ("; a comment\n a", _A),
        ("'a", _A),
        ("#'a", _A),
        ("#:a", _A),
        ("-7", -7),
        ("+7", 7),
        ("7.", 7),
        ("#xff", 255),
        ("1.5", 1.5),
        (".5e1", 5.0),
        ("1e3", 1000.0),
        ("-", Symbol("-")),
        ("1+", Symbol("1+")),
        (r"\123", Symbol("123")),
        (r"odd\ \(key\)?", Symbol("odd (key)?")),
        ("##", Symbol("")),
        ("?a", 97),
        (r"?\n", 10),
        ('#("text" 0 4 (face bold))', "text"),
        ('#s(hash-table size 65 test equal data ("k" #1=[] n #1#))', {"k": Vector([]), "n": Vector([])}),
        ("#s(hash-table test equal)", {}),
        ('(#1="x" #1# #1=2 #1#)', ["x", "x", 2, 2]),
        (r'"a\"b\\c\n\t\e\s\d"', 'a"b\\c\n\t\x1b d'),
        ('"line\n two"', "line\n two"),
        ('"a\\\nb\\ c"', "abc"),
        (r'"\u00e9\U0001F600\N{U+41}\x41\ b"', "é😀AAb"),
        (r'"\101\12"', "A\n"),
        (r'"\303\251 \377 \xe9"', "é \ufffd \ufffd"),
        (r'"\ud83d"', "\ufffd"),
        (r'"\^A\C-?"', "\x01\x7f"),
    ],
)
def test_values(printed: str, value: Any) -> None:
    """Lists, strings, numbers, symbols, tables, shared values; all that `pp` writes with `print-circle`."""
    reader = LispReader(printed)
    assert reader.value() == value
    assert reader.is_at_end()


@pytest.mark.parametrize("printed", ["1.0e+INF", "-0.0e+NaN", "1e999"])
def test_numbers_that_json_does_not_have(printed: str) -> None:
    """They are floats, and not finite."""
    assert not math.isfinite(LispReader(printed).value())


@pytest.mark.parametrize(
    "printed",
    [
        "", "(", "(a", "[a", '"a', ")", "(a . b c)", "#1=(a . #1#)", "#7#", "#<buffer x>", "#s(thing 1)", "#[1 2]",
        "#x", "#b9", "#(1)", "#()", "?", "'", "(" * 1000, "'" * 1000, "#1=" * 1000,
    ],
)  # fmt: skip
def test_what_is_refused(printed: str) -> None:
    """It is cut off, refers to itself, is nested too deeply, or is nothing that can be read again."""
    with pytest.raises(NotLisp) as refused:
        LispReader(printed).value()
    assert "\n" not in str(refused.value)


@given(st.text(alphabet="()[]#\\\"'?. ;\n1=aest:-x\ud800u", max_size=40) | st.text(max_size=20))
def test_any_text(text: str) -> None:
    """It is read or refused."""
    reader = LispReader(text)
    try:
        while not reader.is_at_end():
            reader.value()
    except NotLisp:
        pass
