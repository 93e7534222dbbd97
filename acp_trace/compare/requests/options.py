"""The options of a permission: which are gone, which are new, which have another name or kind.

The agent chooses the ids, so an id is only reported if it now belongs to an option of another kind. The
order is only compared at `content`. Some agents quote the command in a name (`don't ask again for commands
that start with "ls"`): below `content`, such words may change with the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from acp_trace.compare.codes import at_level
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import TracePair
from acp_trace.normalize import pointers
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import Path
from acp_trace.story.model import Request
from acp_trace.trace.jsontext import objects

#: The subject of a divergence about an id that now belongs to another option.
IDS = "id"
PATH: Path = ("params", "options")
_MOST = 50  #: options of one permission that are looked at: only a hostile trace has more, to slow us down
_WORD = re.compile(r"[^\s`\"'“”‘’]+")


class _Option(NamedTuple):
    """An option. `rest`: its name without the words that the tool call also has."""

    kind: str
    name: str
    rest: str

    def __str__(self) -> str:
        return f"{pointers.shown(self.name, 60)} ({self.kind})"


_Alike = Callable[[_Option, _Option], bool]


def compare(traces: TracePair, expected: Request, actual: Request) -> Divergences:
    """Compare the options of two permissions; each way to differ is one divergence."""
    as_shown = at_level("content-differs", traces.match)
    was = _options(expected, traces.expected_normalizer)
    now = _options(actual, traces.actual_normalizer)
    if sorted(was) == sorted(now) and (swapped := [*_swapped(expected, actual)]):
        before, after = (", ".join(f"{pair[0]}: {pair[side]}" for pair in swapped) for side in (1, 2))
        id_, old, new = swapped[0]
        message = f'the option id "{id_}" of a permission now belongs to {new}, and not to {old}'
        yield _divergence(traces, expected, actual, "differs", message, before, after, IDS)
    if was == now:
        return
    if sorted(was) == sorted(now):
        before, after = _listed(was), _listed(now)
        message = f"options of a permission come in another order: {before} → {after}"
        if as_shown:
            yield _divergence(traces, expected, actual, "differs", message, before, after)
        return
    if not as_shown:
        was = _without_words(was, expected, traces.expected_normalizer)
        now = _without_words(now, actual, traces.actual_normalizer)
    for _ in _taken(was, now, lambda a, b: a.kind == b.kind and _same_name(a, b)):
        pass
    differing = [*_taken(was, now, lambda a, b: a.kind == b.kind), *_taken(was, now, _same_name)]
    before, after = (_listed(pair[side] for pair in differing) for side in (0, 1))
    gone, new = _listed(was), _listed(now)
    for code, message, shown in (
        ("differs", f"options of a permission: {before} → {after}", (before, after)),
        ("missing", f"a permission no longer offers {gone}", (gone, "nothing")),
        ("extra", f"a permission offers an additional option: {new}", ("nothing", new)),
    ):
        if any(text not in ("", "nothing") for text in shown):
            yield _divergence(traces, expected, actual, code, message, *shown)


def _divergence(
    traces: TracePair,
    expected: Request,
    actual: Request,
    code: str,
    message: str,
    was: str,
    now: str,
    about: str | None = None,
) -> Divergence:
    frames = expected.frame, actual.frame
    code = f"permission-option-{code}"
    pointer = "/params/options"
    session_id = expected.session_id
    return traces.divergence(
        code, session_id, message, *frames, was=was, now=now, pointer=pointer, about=about
    )


def _swapped(expected: Request, actual: Request) -> Iterator[tuple[str, str, str]]:
    """Yield the ids that now belong to an option of another kind, so that an answer means another thing.

    Each comes with the option that it belonged to, and its present option.
    """
    offered = (objects(request.params.get("options")) for request in (expected, actual))
    was, now = ({str(each.get("optionId")): each for each in of_one} for of_one in offered)
    for id_ in [*was][:_MOST]:
        if id_ in now and was[id_].get("kind") != now[id_].get("kind"):
            before, after = (
                str(_Option(str(each.get("kind")), str(each.get("name")), ""))
                for each in (was[id_], now[id_])
            )
            yield pointers.shown(id_, 60).strip('"'), before, after


def _taken(was: list[_Option], now: list[_Option], alike: _Alike) -> Iterator[tuple[_Option, _Option]]:
    """Remove similar options from both lists, and yield them in pairs."""
    for option in list(was):
        other = next((each for each in now if alike(option, each)), None)
        if other is not None:
            was.remove(option)
            now.remove(other)
            yield option, other


def _same_name(option: _Option, other: _Option) -> bool:
    return option.name == other.name or option.rest == other.rest != ""


def _options(request: Request, normalizer: Normalizer) -> list[_Option]:
    options = list(objects(normalizer.shown(request.params.get("options"), PATH)))[:_MOST]
    made = []
    for option in options:
        kind, name = (str(option.get(key, "")) for key in ("kind", "name"))
        made.append(_Option(kind, name, " ".join(_WORD.findall(name))))
    return made


def _without_words(options: list[_Option], request: Request, normalizer: Normalizer) -> list[_Option]:
    """Return the same options, with the words of the tool call left out of the `rest` of each name."""
    words = frozenset(_words(normalizer.shown(request.params.get("toolCall"))))
    return [
        option._replace(rest=" ".join(word for word in option.rest.split(" ") if word not in words))
        for option in options
    ]


def _words(value: Any) -> Iterator[str]:
    """Yield all words of all texts in a value. No recursion: traffic may nest deeper than Python."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield from _WORD.findall(value)
        else:
            waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _listed(options: Iterable[_Option]) -> str:
    return ", ".join(map(str, options))
