"""Content, one row each: its place, how several frames combine, and what of it is compared. A table.

A new kind of content is a new row here, and never a branch elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from acp_trace.analyze import options
from acp_trace.compare.content import lost_words, shapes
from acp_trace.compare.content.shapes import Shape, is_filled
from acp_trace.normalize import pointers
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.protocol import updates
from acp_trace.trace.jsontext import objects

#: When a shape is compared. A tool's output and locations depend on its input.
Given = Literal["always", "same input", "same input, or an edit"]


def _last_filled(before: Any, after: Any) -> Any:
    return after if is_filled(after) else before


def _all(before: Any, after: Any) -> Any:
    """Combine everything that ever was: the latest value of each key, also one level below."""
    both = dict(before)
    for key, value in after.items():
        old = both.get(key)
        both[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    return both


def _more(before: Any, after: Any) -> Any:
    """Combine everything that ever was; existing items stay in their places."""
    return before if after.keys() <= before.keys() else {**before, **after}


def _ranges(before: Any, after: Any) -> Any:
    """Combine the least and the greatest value of each figure."""
    both = dict(before)
    for name, (least, most) in after.items():
        was = both.get(name, (least, most))
        both[name] = min(was[0], least), max(was[1], most)
    return both


@dataclass(frozen=True, slots=True)
class Aspect:
    """One kind of content.

    - `take` turns the value at one of `paths` into what is compared, or NOTHING; `fold` adds a later frame
    - `shape`: compared from `semantic` on, under the condition `given`
    - `value`: whether the value is compared at `content`
    - `keyed`: it was taken apart into an object, into which no pointer leads; `common`: only the members that
      both have are compared
    - `elsewhere`: its complete absence is reported by another code; `repeats`: another aspect that shows the
      same in another form, so that only a difference of that aspect is reported
    - `figures`: figures that are near each other are equal
    - `message`: the sentence for a lost shape, if the code's own does not fit; `words`: the value for people
      there
    - `of`: the updates that show it; "" for responses
    """

    what: str
    paths: tuple[Path, ...]
    shape: Shape | None = None
    code: str = "content-lost"
    given: Given = "always"
    value: bool = False
    keyed: bool = False
    common: bool = False
    elsewhere: bool = False
    repeats: str = ""
    figures: bool = False
    of: tuple[str, ...] = ()
    take: Callable[[Any], Any] = lambda value: NOTHING if value is None else value
    fold: Callable[[Any, Any], Any] = _last_filled
    message: str | None = None
    words: Callable[[Any], str] = pointers.shown


# -- the value at a path -> what is compared


def _kinds(content: Any) -> Any:
    """Return the kinds of a tool call's blocks that show something, except diffs and terminals."""
    kinds = {}
    for block in objects(content):
        inner = block.get("content") if block.get("type") == "content" else None
        for each in objects([inner]):
            kind = str(each.get("type"))
            if kind != "text" or is_filled(each.get("text")):
                kinds[kind] = True
    return kinds


def _of_type(kind: str) -> Callable[[Any], Any]:
    def take(content: Any) -> Any:
        return [block for block in objects(content) if block.get("type") == kind] or NOTHING

    return take


def _but_diffs(content: Any) -> Any:
    """Return blocks without diffs, which are compared separately, and without ids of terminals."""
    blocks = (
        block | {"terminalId": "‹id›"} if "terminalId" in block else block for block in objects(content)
    )
    return [block for block in blocks if block.get("type") != "diff"] or NOTHING


def _commands(listed: Any) -> Any:
    return {str(command.get("name")): command for command in objects(listed)}


def _words(of: dict[str, Any], *more: str) -> dict[str, Any]:
    """Return the words of something that can be chosen."""
    return {key: of[key] for key in ("name", "description", *more) if of.get(key) is not None}


def _modes(listed: Any) -> Any:
    return {str(mode.get("id", mode.get("modelId"))): _words(mode) for mode in objects(listed)}


def _choices(listed: Any) -> Any:
    """Return the words of all choices, by option and value: `{"model": {"small": {…}}}`. Opens groups."""
    return {
        str(options.id_of(option)): {
            str(choice.get("value")): _words(choice)
            for group in objects(option.get("options"))
            for choice in (objects(group["options"]) if "options" in group else [group])
        }
        for option in objects(listed)
    }


def _option_words(listed: Any) -> Any:
    """Return the words of each option itself."""
    return {str(options.id_of(option)): _words(option, "category") for option in objects(listed)}


def _option_order(listed: Any) -> Any:
    return [str(options.id_of(option)) for option in objects(listed)]


def _figure(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else NOTHING


def _figures(update: Any) -> Any:
    """Return the figures of an update about usage, each as its least and greatest value."""
    found = ((" ".join(path), _figure(pointers.at(update, path))) for path in _USAGE)
    return {name: (figure, figure) for name, figure in found if figure is not NOTHING} or NOTHING


def _cost(update: Any) -> Any:
    """Return the cost in an update: NOTHING if it names no cost."""
    cost = _figure(pointers.at(update, _COST))
    return 0 if cost is NOTHING else cost


# -- the table

_UPDATE: Path = ("params", "update")
_CONTENT = ((*_UPDATE, "content"),)
_LOCATIONS = ((*_UPDATE, "locations"),)
#: Usage only grows, so its least value depends on how often the agent sends it.
_USED, _SIZE, _COST = _USAGE = (("used",), ("size",), ("cost", "amount"))
_CONFIG = ((*_UPDATE, "configOptions"), ("result", "configOptions"))

INPUT = Aspect("raw input", ((*_UPDATE, "rawInput"),), shapes.filled("raw input"), value=True)
TITLE = Aspect("title", ((*_UPDATE, "title"),), shapes.title, value=True, words=lost_words.title)
_SAME: Given = "same input"
_EDIT: Given = "same input, or an edit"

#: Content of one tool call's frames. The first row whose value differs covers later rows that depend on it.
OF_CALL = (
    INPUT,
    TITLE,
    Aspect("locations", _LOCATIONS, shapes.locations, given=_SAME, value=True),
    Aspect("locations", _LOCATIONS, shapes.inside, "content-outside", _SAME, elsewhere=True),
    Aspect("content", _CONTENT, shapes.names, given=_SAME, take=_kinds, fold=_more, words=lost_words.kinds),
    Aspect("content", _CONTENT, shapes.filled("terminal"), take=_of_type("terminal")),
    Aspect("content", _CONTENT, value=True, take=_but_diffs),
    Aspect("diff", _CONTENT, shapes.filled("diff"), given=_EDIT, value=True, take=_of_type("diff")),
    Aspect("diff", _CONTENT, shapes.new_text, given=_SAME, take=_of_type("diff")),
    Aspect("diff", _CONTENT, shapes.inside, "content-outside", _SAME, elsewhere=True, take=_of_type("diff")),
    Aspect("raw output", ((*_UPDATE, "rawOutput"),), shapes.filled("raw output"), given=_SAME, value=True,
           repeats="content"),
    Aspect("metadata", ((*_UPDATE, "_meta"),), value=True, fold=_all),
)  # fmt: skip

#: Content of the updates of one turn.
OF_TURN = (
    Aspect("plan", ((*_UPDATE, "entries"), (*_UPDATE, "plan", "entries")), shapes.entries, value=True,
           elsewhere=True, of=("plan", "plan_update")),
)  # fmt: skip

SESSION_TITLE = Aspect("session title", ((*_UPDATE, "title"),), shapes.title, value=True, elsewhere=True,
                       of=(updates.SESSION_INFO,), words=lost_words.title)  # fmt: skip

#: Content of a session's updates, and of responses about its configuration.
OF_SESSION = (
    Aspect("command", ((*_UPDATE, "availableCommands"),), shapes.names, "choice-missing", value=True,
           keyed=True, elsewhere=True, of=("available_commands_update",), take=_commands, fold=_all),
    Aspect("mode", (("result", "modes", "availableModes"),), shapes.names, "choice-missing", value=True,
           keyed=True, elsewhere=True, of=("",), take=_modes, fold=_all),
    Aspect("model", (("result", "models", "availableModels"),), shapes.names, "choice-missing", value=True,
           keyed=True, of=("",), take=_modes, fold=_all),
    Aspect("model at the beginning", (("result", "models", "currentModelId"),), value=True,
           elsewhere=True, of=("",)),
    Aspect("option", _CONFIG, value=True,
           keyed=True, elsewhere=True, common=True, of=(updates.CONFIG, ""), take=_option_words, fold=_all),
    Aspect("order of options", _CONFIG, value=True,
           keyed=True, elsewhere=True, common=True, of=(updates.CONFIG, ""), take=_option_order),
    Aspect("choice", _CONFIG, shapes.choices, "choice-missing", value=True,
           keyed=True, elsewhere=True, common=True, of=(updates.CONFIG, ""), take=_choices, fold=_all),
    Aspect("usage", (_UPDATE,), shapes.figures, elsewhere=True, of=(updates.USAGE,),
           message="{what}: {names} is no longer a positive number", take=_figures, fold=_ranges,
           words=lost_words.spans),
    *(
        Aspect(f"usage, {' '.join(path)}", ((*_UPDATE, *path),), value=True, figures=True,
               elsewhere=True, repeats="usage", of=(updates.USAGE,), take=_figure, fold=fold)
        for path, fold in ((_USED, max), (_SIZE, max), (_SIZE, min))
    ),
    Aspect("usage, cost", (_UPDATE,), value=True, figures=True,
           elsewhere=True, repeats="usage", of=(updates.USAGE,), take=_cost, fold=max),
    SESSION_TITLE,
)  # fmt: skip
