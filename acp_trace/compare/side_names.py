"""Names that belong to one trace: its directories, and the ids that its sides made up. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from acp_trace.compare.codes import Match, at_level
from acp_trace.normalize.directories import Directories
from acp_trace.normalize.moved_places import MovedPlaces
from acp_trace.story.model import SessionStory, Story

#: Expected sessions, each with its actual counterpart.
PairedSessions = Sequence[tuple[SessionStory, SessionStory]]


def directories(
    expected: Story,
    actual: Story,
    sessions: PairedSessions | None = None,
    others: Sequence[tuple[str, str]] = (),
) -> tuple[Directories, Directories]:
    """Return the directories of each trace: all under one name, or named by matching `sessions`.

    With `sessions`, each has its own name. Directories in which matching sessions were opened share a name;
    then those in which the agents were started, unless sessions have named both; then the rest, in order, and
    the `others`, such as the homes. A directory without a counterpart is compared as it is.
    """
    sides = _opened(expected), _opened(actual)
    agents = expected.facts.trace.agent_cwd, actual.facts.trace.agent_cwd
    if sessions is None:
        was, now = ([agent, *opened.values()] for agent, opened in zip(agents, sides, strict=True))
        moved = list(zip(was, now, strict=False))
        return Directories(was, moved), Directories(now, moved)
    pairs = [(sides[0].get(was.id), sides[1].get(now.id)) for was, now in sessions]
    named = [*_both(pairs), *_both([agents])]
    left = (
        [cwd for cwd in dict.fromkeys([*opened.values(), agent]) if cwd not in {pair[side] for pair in named}]
        for side, (agent, opened) in enumerate(zip(agents, sides, strict=True))
    )
    places = MovedPlaces.of(_both(pairs), [*_both([agents, *zip(*left, strict=False)]), *others])
    return places.recorded, places.actual


def _opened(story: Story) -> dict[str, str | None]:
    """Return the directories in which sessions were opened."""
    return {session.session_id: session.cwd for session in story.facts.sessions}


def _both(pairs: Sequence[tuple[str | None, str | None]]) -> Iterator[tuple[str, str]]:
    return ((was, now) for was, now in pairs if was and now)


def made_up_ids(expected: Story, actual: Story, match: Match) -> tuple[Collection[str], Collection[str]]:
    """Return the ids of each trace that its texts may quote; none at levels that compare no texts."""
    if not at_level("content-differs", match):
        return (), ()
    return _ids(expected), _ids(actual)


def _ids(story: Story) -> set[str]:
    """Return the ids that the sides of a trace made up, which its texts may quote."""
    ids = set(story.sessions)
    for session in story.sessions.values():
        ids |= {call.id for section in session.sections.values() for call in section.calls}
        results = (request.result for request in session.requests["agent"])
        made = (result.get("terminalId") for result in results if isinstance(result, dict))
        ids |= {id_ for id_ in made if isinstance(id_, str)}
    return ids
