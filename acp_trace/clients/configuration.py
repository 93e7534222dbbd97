"""A client's configuration as text: its agents, with the recorder put before one, or taken out.

Only the agent's command is changed. Each method returns the whole new text, and parses it first, so a bug in
acp-trace ends in an error and never in a file that cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.clients import edits, entries, jsonc, launch, recorder
from acp_trace.clients.edits import CannotEdit, TextEdit
from acp_trace.clients.jsonc import BadJson, Member
from acp_trace.clients.table import EditableClient
from acp_trace.trace.near_misses import suggestion


def created(client: EditableClient, name: str, command: Sequence[str], python: str) -> str:
    """Return the text of a new file with that agent, recorded."""
    return _whole(client, name, [*recorder.words(python, "file"), *command])


def by_hand(client: EditableClient, name: str, command: Sequence[str], python: str) -> str:
    """Return the same, as a person writes it: `uninstall` leaves the agent there."""
    return _whole(client, name, [*recorder.words(python), *command])


def _whole(client: EditableClient, name: str, words: Sequence[str]) -> str:
    written = {client.agents: {name: entries.entry(client, words)}}
    return entries.rendered(written, "", entries.Layout()) + "\n"


class Configuration:
    """The text of a client's file. Raises BadJson; and CannotEdit if its agents are not where they belong."""

    def __init__(self, client: EditableClient, text: str) -> None:
        self._client, self._text, self._root = client, text, jsonc.parse(text)
        if self._root.kind != "object":
            raise CannotEdit("it is not an object: correct the file first")
        self._container = launch.one_member(self._root, client.agents, "the file")
        if self._container is not None and self._container.kind != "object":
            raise CannotEdit(f"`{client.agents}` is not an object: correct the file first")

    @property
    def names(self) -> list[str]:
        """Return the agents, in order."""
        return [member.name for member in self._container.members] if self._container else []

    @property
    def with_command(self) -> list[str]:
        """Return the agents that have a command of their own."""
        return [name for name in self.names if self._command(name)]

    @property
    def installed(self) -> list[str]:
        """Return the agents before which `install` has put the recorder."""
        return [name for name in self.names if recorder.added_by(self._command(name))]

    @property
    def recorded(self) -> dict[str, tuple[str, ...]]:
        """Return the agents run by a recorder, from `install` or by hand, each with its whole command."""
        return {name: words for name in self.names if recorder.records(words := self._command(name))}

    def has(self, name: str) -> bool:
        """Whether an agent of that name exists, as the client compares names."""
        return any(self._is(one, name) for one in self.names)

    def records(self, name: str) -> bool:
        """Whether a recorder is before that agent, put there by `install` or by hand."""
        return recorder.records(self._command(self._member(name).name))

    def wrapped(self, name: str, python: str) -> str:
        """Return the text with the recorder before that agent. Raises CannotEdit."""
        found = launch.read(self._client, name, self._member(name).value)
        return self._edited(launch.wrap(found, self._text, python, self._client))

    def extended(self, name: str, command: Sequence[str], python: str) -> str:
        """Return the text with one more agent, recorded. Raises CannotEdit."""
        container = self._container
        words = [*recorder.words(python, "object" if container is None else "entry"), *command]
        written = entries.entry(self._client, words)
        if container is None:
            edit = entries.add(self._text, self._root, self._client.agents, {name: written})
        else:
            edit = entries.add(self._text, container, name, written)
        return self._edited([edit])

    def without(self, name: str) -> str | None:
        """Return the text without what `install` added for that agent; None if it made the whole file."""
        member = self._member(name)
        found = launch.read(self._client, name, member.value)
        added = recorder.added_by(found.words)
        if added is None:
            raise CannotEdit(
                f"install did not put the recorder in front of {name}: remove the recorder by hand"
            )
        if added == "words":
            return self._edited(launch.unwrap(found, self._text, name))
        return self._removed(member, added, found)

    def _removed(self, member: Member, added: recorder.Added, found: launch.Launch) -> str | None:
        container = self._container
        assert container is not None
        written = entries.entry(self._client, found.words)
        value = self._text[member.value.start : member.value.end]
        if not entries.is_written(value, written):
            raise CannotEdit(f"{member.name} was changed after install added it: remove it by hand")
        if added in ("object", "file"):
            whole = {self._client.agents: {member.name: written}}
            if added == "file" and entries.is_written(self._text, whole):
                return None
            if entries.is_written(self._text[container.start : container.end], {member.name: written}):
                holder = next(one for one in self._root.members if one.value is container)
                return self._edited([entries.remove(self._text, self._root, holder)])
        edit = [entries.remove(self._text, container, member)]
        return self._edited([*edit, *self._inherited(member, found)])

    def _inherited(self, member: Member, found: launch.Launch) -> list[TextEdit]:
        """Keep an object made by install for the other agents: one of install's entries then records that."""
        flags = found.words[1]
        for other in self._container.members if self._container else ():
            command = self._command(other.name)
            if other is not member and recorder.added_by(command) == "entry":
                where = launch.read(self._client, other.name, other.value).args
                if where is not None and flags != command[1]:
                    word = where.items[1 if self._client.form == "argv" else 0]
                    return [TextEdit(word.start, word.end, launch.quoted(flags))]
        return []

    def _command(self, name: str) -> tuple[str, ...]:
        """Return what an agent starts; empty if that could not be read."""
        try:
            return launch.read(self._client, name, self._member(name).value).words
        except CannotEdit:
            return ()

    def _member(self, name: str) -> Member:
        members = self._container.members if self._container else ()
        found = [member for member in members if self._is(member.name, name)]
        if not found:
            hint = suggestion(name, self.names)
            raise CannotEdit(f"there is no agent {name}{hint}")
        if len(found) > 1:
            raise CannotEdit(f"there are two agents {name}: remove one of them first")
        return found[0]

    def _is(self, one: str, other: str) -> bool:
        if self._client.any_case:
            one, other = one.strip().lower(), other.strip().lower()
        return one == other

    def _edited(self, changes: Sequence[TextEdit]) -> str:
        text = edits.apply(self._text, changes)
        try:
            jsonc.parse(text)
        except BadJson:
            raise CannotEdit("it was changed after install: remove the recorder by hand") from None
        return text
