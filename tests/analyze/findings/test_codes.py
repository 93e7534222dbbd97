"""Every code: what raises it does, what comes near does not, and both are there."""

from __future__ import annotations

import pytest

from acp_trace.analyze.findings.codes import CODES, GROUPS, SEVERITIES
from tests.analyze.findings import (
    scenes_cancellation,
    scenes_configuration,
    scenes_connection,
    scenes_jsonrpc,
    scenes_metadata,
    scenes_turns,
    scenes_wire,
)
from tests.analyze.findings.scene import Scene, found_in

SCENES: dict[str, list[Scene]] = {
    "wire": [*scenes_jsonrpc.SCENES, *scenes_wire.SCENES],
    "connection": scenes_connection.SCENES,
    "turns": scenes_turns.SCENES,
    "cancellation": scenes_cancellation.SCENES,
    "configuration": scenes_configuration.SCENES,
    "metadata": scenes_metadata.SCENES,
}
_ALL = [scene for scenes in SCENES.values() for scene in scenes]


@pytest.mark.parametrize("scene", _ALL, ids=lambda one: f"{one.code}: {one.name}")
def test_a_scene_raises_what_it_says_and_nothing_else(scene: Scene) -> None:
    """Code, blame, frame, session and count of every finding; the scene's own code among them, or not."""
    assert (scene.code in {one.code for one in scene.found}) == scene.raises
    assert found_in(scene) == list(scene.found)


@pytest.mark.parametrize("code", CODES)
def test_a_code_has_a_scene_that_raises_it_and_a_near_miss(code: str) -> None:
    """A new code needs both, in the table of its group."""
    told = [scene.raises for scene in SCENES[CODES[code].group] if scene.code == code]
    assert set(told) == {True, False}


def test_scenes_are_about_codes_that_exist() -> None:
    """Each group has its table, no scene is in a foreign one, and no name stands twice."""
    assert set(SCENES) == set(GROUPS)
    names = [(scene.code, scene.name) for scene in _ALL]
    assert len(set(names)) == len(names)
    for group, scenes in SCENES.items():
        assert {CODES[scene.code].group for scene in scenes} == {group}


def test_a_code_is_counted_once_a_session_or_trace_as_its_row_says() -> None:
    """Codes that may stand many times in a trace are listed each time, others are counted."""
    for scene in _ALL:
        for one in scene.found:
            assert one.count == 1 or CODES[one.code].once is not None


@pytest.mark.parametrize("code", CODES)
def test_a_row_explains_its_code(code: str) -> None:
    """Each has a known severity, a meaning, the rule behind it, and whose rule that is."""
    row = CODES[code]
    assert row.code == code
    assert row.severity in SEVERITIES
    assert row.meaning
    assert row.rule
    assert row.source
