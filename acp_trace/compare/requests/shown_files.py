"""The files that permissions and tool calls show, and their fate: diffs, locations, raw inputs.

As with commands (`agreement`), values are only compared with values of the same trace. A diff may show a part
of a file, and name it from any directory. A diff without an old text, or whose old text is everything that
was read of the file, shows all of it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from acp_trace.compare.requests.agreement import Does, Held, Permissions, Shown, raw_input, tool_call
from acp_trace.normalize import pointers, windows
from acp_trace.normalize.quotes import SHORTEST, stands
from acp_trace.story.model import Request, Story
from acp_trace.trace.jsontext import objects

_READ, WRITE = "fs/read_text_file", "fs/write_text_file"
_URI = "file://"
_MOST = 100  #: files of one permission that are looked at: only a hostile trace has more, to slow us down


class _File(NamedTuple):
    """A file and its content, as far as known. `is_whole`: the file has nothing else."""

    frame: int
    path: str
    text: str | None = None
    is_whole: bool = True


#: Reads the files in a tool call of a frame.
_Reader = Callable[[int, Mapping[str, Any]], list[_File]]
#: Files by their fate.
_Used = Mapping[Does, Sequence[_File]]
_Agrees = Callable[[_File, _File], bool]


class ShownDiffs:
    """The diffs that the tool calls of one trace show."""

    def __init__(self, story: Story) -> None:
        self._story = story

    def written(
        self, updates: Sequence[tuple[int, dict[str, Any]]], requests: Iterable[Request]
    ) -> dict[str, Shown]:
        """Return the diffs that a tool call shows last, with what some requests write."""
        diffs, files = _last(updates, "content", self.of), _used(requests)["writes"]
        found = {
            "path of a diff": _paths(diffs, {"writes": files}, all),
            "diff": _texts(diffs, files, "writes", _holds),
        }
        return {place: shown for place, shown in found.items() if shown is not None}

    def of(self, frame: int, call: Mapping[str, Any]) -> list[_File]:
        """Return the diffs that a tool call shows in a frame."""
        diffs = []
        for block in objects(call.get("content")):
            path, text, old = (block.get(key) for key in ("path", "newText", "oldText"))
            if block.get("type") == "diff" and isinstance(path, str):
                is_whole = not isinstance(old, str) or not old
                is_whole = is_whole or self._read.get((_plain(path), _lines(old)), frame) < frame
                diffs.append(_File(frame, path, _filled(text), is_whole))
        return diffs[:_MOST]

    @cached_property
    def _read(self) -> dict[tuple[str, str], int]:
        """Return the paths and texts of files that the agent read as a whole, each with the first frame."""
        texts: dict[tuple[str, str], int] = {}
        sessions = self._story.sessions.values()
        for request in chain.from_iterable(session.requests["agent"] for session in sessions):
            path, text = request.params.get("path"), pointers.at(request.result, ("content",))
            is_part = any(request.params.get(key) is not None for key in ("line", "limit"))
            if request.method == _READ and isinstance(path, str) and isinstance(text, str) and not is_part:
                texts.setdefault((_plain(path), _lines(text)), request.frame)
        return texts


class ShownFiles:
    """The files that the permissions of one trace show."""

    def __init__(self, story: Story, permissions: Permissions) -> None:
        self._permissions = permissions
        self._diffs = ShownDiffs(story).of

    def places(self, permission: Request) -> dict[str, Shown]:
        """Return the places in which it, or its tool call, shows files, with the fate of the files."""
        call, updates = tool_call(permission), self._permissions.updates(permission)
        located = _located(permission.frame, call)
        diffs = self._diffs(permission.frame, call)
        later = _last(updates, "content", self._diffs)
        named = _last(updates, "locations", _located)
        raw = raw_input(call)
        if not (located or diffs or later or named or raw):
            return {}
        used = _used(self._permissions.requests(permission, (_READ, WRITE)))
        found: dict[str, Shown | None] = {
            "path of a diff": _paths(diffs, {"writes": used["writes"]}, all),
            "diff": _texts(diffs, used["writes"], "writes", _holds),
            "path of a diff beside the tool call": _paths(diffs, {"changes": later}, all),
            "diff beside the tool call": _texts(diffs, later, "changes", _overlaps),
            "location": _paths(located, used, any),
            "location beside the tool call": _paths(located, {"names": named}, any),
            "path of a diff of the tool call": _paths(later, {"writes": used["writes"]}, all),
            "diff of the tool call": _texts(later, used["writes"], "writes", _holds),
            "location of the tool call": _paths(named, used, any),
        }
        for name, (value, *_) in raw.items():
            given = _File(permission.frame, value, value)
            found[f"path in raw input {name}"] = _paths([given], used, any)
            found[f"path in raw input {name} beside the tool call"] = _paths([given], {"names": named}, any)
            found[f"text in raw input {name}"] = _whole(given, used["writes"])
        return {place: shown for place, shown in found.items() if shown is not None}


def same_file(path: str, other: str) -> bool:
    """Whether two paths may name the same file: a relative one names the end of an absolute one."""
    names = [_plain(each) for each in (path, other)]
    if names[0] == names[1]:
        return True
    short, long = sorted(names, key=lambda name: (_is_absolute(name), len(name)))
    end = short.removeprefix("./")
    while end.startswith("../"):
        end = end.removeprefix("../")
    return not _is_absolute(short) and f"/{long}".endswith(f"/{end}")


def _is_absolute(name: str) -> bool:
    return posixpath.isabs(name) or windows.read(name) is not None


def _plain(path: str) -> str:
    on_windows = windows.read(path)
    if on_windows is not None:
        return "/".join(on_windows.key)
    return posixpath.normpath(path.removeprefix(_URI).replace("\\", "/"))


def _covers(shown: _File, used: _File) -> bool:
    """Whether that file is shown, or a directory around it."""
    directory = _plain(shown.path).rstrip("/")
    return same_file(shown.path, used.path) or _plain(used.path).startswith(f"{directory}/")


def _used(requests: Iterable[Request]) -> dict[Does, list[_File]]:
    """Return the files that some requests use, by their fate."""
    used: dict[Does, list[_File]] = {"writes": [], "reads": []}
    for request in requests:
        path, text = (request.params.get(key) for key in ("path", "content"))
        if isinstance(path, str):
            how: Does = "writes" if request.method == WRITE else "reads"
            used[how].append(_File(request.frame, path, _filled(text)))
    return {how: files[:_MOST] for how, files in used.items()}


def _filled(text: Any) -> str | None:
    return text if isinstance(text, str) and text.strip() else None


def _located(frame: int, call: Mapping[str, Any]) -> list[_File]:
    paths = (location.get("path") for location in objects(call.get("locations")))
    return [_File(frame, path) for path in paths if isinstance(path, str) and path][:_MOST]


def _last(updates: Sequence[tuple[int, dict[str, Any]]], key: str, read: _Reader) -> list[_File]:
    """Return the files in the last update that shows any."""
    shown = (read(*update) for update in reversed(updates) if key in update[1])
    return next((files for files in shown if files), [])


def _paths(shown: Sequence[_File], used: _Used, how_many: Callable[[Iterable[bool]], bool]) -> Shown | None:
    """Compare shown files with used ones, of which all or any must match; None if none was used."""
    held: dict[str, Held] = {}
    other = shown[0].path if shown else ""
    for does, files in used.items():
        count = len({_plain(file.path) for file in files})
        if not files or not shown or (how_many is all and count < len({_plain(file.path) for file in shown})):
            continue  # cut short: the fate of the others is unknown
        if how_many is all:
            unused = [file for file in shown if not any(same_file(file.path, each.path) for each in files)]
        else:
            unused = [] if any(_covers(file, each) for file in shown for each in files) else [*shown]
        other = unused[0].path if unused else other
        held[does] = Held(not unused, files[0].path, count, does, _frames(shown, files))
    return Shown(other, held) if held else None


def _texts(shown: Sequence[_File], files: Sequence[_File], does: Does, agrees: _Agrees) -> Shown | None:
    """Compare the shown texts of files with the texts of the same files afterwards.

    An empty file, or a diff without a text, is reported as lost content.
    """
    pairs: list[tuple[_File, list[_File]]] = []
    for diff in shown:
        same = [file for file in files if file.text is not None and same_file(diff.path, file.path)]
        if diff.text is not None and same:
            pairs.append((diff, same))
    if not pairs:
        return None
    unlike = [pair for pair in pairs if not any(agrees(pair[0], file) for file in pair[1])]
    diff, same = unlike[0] if unlike else pairs[0]
    frames = (_frames([diff], same) for diff, same in pairs)
    held = Held(not unlike, same[-1].text or "", len(pairs), does, tuple(chain.from_iterable(frames)))
    return Shown(diff.text or "", {does: held})


def _whole(given: _File, files: Sequence[_File]) -> Shown | None:
    """Return a text that may be all that a file holds afterwards."""
    texts = [file for file in files if file.text is not None]
    if not texts or given.text is None or len(given.text) < SHORTEST:
        return None
    agrees = any(_holds(given, file) for file in texts)
    held = Held(agrees, texts[-1].text or "", len(texts), "writes", _frames([given], texts))
    return Shown(given.text, {"writes": held})


def _frames(*files: Iterable[_File]) -> tuple[int, ...]:
    return tuple(file.frame for file in chain(*files))


def _holds(shown: _File, file: _File) -> bool:
    """Whether a file holds a shown text: as all of it, or as a part if there was more before."""
    text, whole = _lines(shown.text), _lines(file.text)
    return text == whole or (not shown.is_whole and stands(whole, text))


def _overlaps(shown: _File, other: _File) -> bool:
    """Whether one of two shown texts of a file may be a part of the other."""
    return _holds(shown._replace(is_whole=False), other) or _holds(other._replace(is_whole=False), shown)


def _lines(text: str | None) -> str:
    """Return a text without blanks at the ends of its lines, and of itself."""
    return "\n".join(line.rstrip() for line in (text or "").splitlines()).strip()
