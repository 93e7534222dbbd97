"""JavaScript without what only people need: comments, types, white space, separators before an end. Pure.

Declarations that follow each other become one, parentheses go that only carried a type, or one parameter, and
numbers that a module names (`const MOST = 200;`, `const STEP = 1 << 16;`) stand where they are used.
`Math.max` is `$max`: whoever joins scripts declares it (`MATH`).

It knows as much of the language as it takes to leave strings, templates and regular expressions as they are.
Statements are never empty, lists have no holes, and what ends with `}` without being a block has a semicolon.
Names stay but for those of private members, so that what a browser says of an error can still be read.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

_TOKEN = re.compile(
    r"""
    (?P<space> (?: \s | //[^\n]* | /\*.*?\*/ )+ )
    | " (?: [^"\\] | \\. )* " | ' (?: [^'\\] | \\. )* '
    | [\w$]+ | .
    """,
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
#: After these a slash begins a regular expression, and does not divide.
_BEFORE_PATTERN = frozenset("(,=:[!&|?{};>")
_OPENS = frozenset("{([,;")
_BEGINS = frozenset("{([")
_CLOSES = frozenset("})]")
_NUMBER = re.compile(r"^const ([A-Z][A-Z\d_]*) = (?:(\d[\d.e]*)|(\d+) << (\d+));$", re.MULTILINE)
_WORD = re.compile(r"[\w$]")
_AFTER_VALUE = frozenset(")],;}")
_PRIVATE = re.compile(r"#[a-zA-Z]\w*")
#: What a script has of `Math`, by its name in it.
MATH = re.compile(r"\$([a-z]\w*)")
#: With `=` behind them they compare.
_COMPARES = re.compile(r"[=!<>]$")
#: A type checker has seen that no constant is changed.
_SHORTER = {"const": "let", "true": "!0", "false": "!1", "undefined": "void 0"}


def squeezed(source: str, exports: Container[str] = ()) -> str:
    """A script that does the same. Declarations of `exports` stay."""
    numbers = named_numbers(source, exports)
    kept = _NUMBER.sub(lambda match: "" if match[1] in numbers else match[0], source)
    private = dict.fromkeys(_PRIVATE.findall(source))  # what only the class itself can name
    return _squeezed(kept, numbers | {name: f"p{number}" for number, name in enumerate(private)})


def named_numbers(source: str, exports: Container[str] = ()) -> dict[str, str]:
    """The numbers that stand where they are used, by their names."""
    return {
        name: str(int(value) << int(by)) if by else number
        for name, number, value, by in _NUMBER.findall(source)
        if name not in exports
    }


def _squeezed(source: str, numbers: Mapping[str, str]) -> str:
    return "".join(_without_parentheses(_kept(source, numbers)))


def _kept(source: str, numbers: Mapping[str, str]) -> list[str]:
    """The tokens that have to stay, and what has to stand between them."""
    made: list[str] = []
    space = ""
    declares = [False]  # whether the statement is a declaration, at each depth
    for found in _tokens(source, 0):
        if found.isspace():
            space = found
            continue
        if made[-1:] == ["#"]:
            piece = numbers.get(f"#{found}", found)
        else:
            piece = _SHORTER.get(found) or numbers.get(found, found)
        if made and piece in _CLOSES and made[-1] in {",", ";"}:
            made.pop()
        if made[-2:] == ["Math", "."]:
            made[-2:] = [f"${piece}"]
            continue
        if piece == "let" and made and made[-1] == ";" and declares[-1]:
            made[-1] = ","
            space = ""
            continue
        if piece == "let":
            declares[-1] = not made or made[-1] in {"{", "}", ";"}
        elif made and made[-1] == ";":
            declares[-1] = False
        if piece in _BEGINS:
            declares.append(False)
        elif piece in _CLOSES and len(declares) > 1:
            declares.pop()
        if space and made and (between := _between(made[-1], piece, space)):
            made.append(between)
        made.append(_template(piece, numbers) if piece[0] == "`" else piece)
        space = ""
    return made


def _without_parentheses(tokens: list[str]) -> list[str]:
    """Without those around the only parameter of an arrow function, and around a whole value."""
    opened: list[int] = []
    has_comma: list[bool] = []
    kept = list(tokens)
    for at, piece in enumerate(tokens):
        if piece == "," and has_comma:
            has_comma[-1] = True
        elif piece in _BEGINS:
            opened.append(at)
            has_comma.append(False)
        elif piece in _CLOSES and opened:
            begin, is_list = opened.pop(), has_comma.pop()
            before, after = tokens[max(0, begin - 2) : begin], tokens[at + 1 : at + 3]
            if piece != ")":
                continue
            if after == ["=", ">"]:
                if at - begin == 2 and _WORD.match(tokens[begin + 1]):
                    kept[begin] = " " if before and _WORD.match(before[-1]) else ""
                    kept[at] = ""
            elif not is_list and _is_whole(before, after[:1]):
                kept[begin] = kept[at] = ""
    return kept


def _is_whole(before: list[str], after: list[str]) -> bool:
    """Whether what stands between these can only be one value."""
    begins = before[-1:] != [] and (
        before[-1] in {"(", "[", ",", ":"} or (before[-1] == "=" and not _COMPARES.search(before[0]))
    )
    return begins and after != [] and after[0] in _AFTER_VALUE


def _between(before: str, after: str, space: str) -> str:
    """What of white space has to stay."""
    if space == "\n":
        is_end = before in _OPENS or before in {"}", ">"} or after in _CLOSES or after[0] in ".?:&|"
        return "" if is_end else "\n"
    is_word = _WORD.match(before[-1]) and _WORD.match(after)
    return " " if is_word or before[-1] + after[0] in ("++", "--") else ""


def _tokens(source: str, at: int) -> Iterator[str]:
    """Tokens; white space and comments as one blank or one newline."""
    before = ""
    while at < len(source):
        end, is_space = _end(source, at, before)
        token, at = source[at:end], end
        if is_space:
            yield "\n" if "\n" in token else " "
        else:
            before = token
            yield token


def _end(source: str, at: int, before: str) -> tuple[int, bool]:
    """Where a token ends, and whether it is only space."""
    if source[at] == "`":
        return _template_end(source, at), False
    match = _TOKEN.match(source, at)
    assert match is not None  # any character is a token
    if match["space"] is not None:
        return match.end(), True
    may_begin = not before or before[-1] in _BEFORE_PATTERN
    return ((may_begin and _PATTERN.match(source, at)) or match).end(), False


def _template(token: str, numbers: Mapping[str, str]) -> str:
    """A template with the code in it squeezed."""
    made, at, text = "", 1, 1
    while at < len(token) - 1:
        if token.startswith("${", at):
            end = _code_end(token, at + 2)
            made += f"{token[text:at]}${{{_squeezed(token[at + 2 : end - 1], numbers)}}}"
            at = text = end
        else:
            at += 2 if token[at] == "\\" else 1
    return f"`{made}{token[text:]}"


def _template_end(source: str, at: int) -> int:
    """The end of a template, which may have code in it, and templates in that."""
    at += 1
    while source[at] != "`":
        if source.startswith("${", at):
            at = _code_end(source, at + 2)
        else:
            at += 2 if source[at] == "\\" else 1
    return at + 1


def _code_end(source: str, at: int) -> int:
    """The end of code in a template, behind its brace."""
    depth, before = 1, "{"
    while depth:
        end, is_space = _end(source, at, before)
        text, at = source[at:end], end
        before = before if is_space else text
        depth += (text == "{") - (text == "}")
    return at
