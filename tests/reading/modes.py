"""The legacy modes beside the config options, as a timeline of the same shape."""

from __future__ import annotations

from typing import Any

from tests.reading.config import change, requested
from tests.reading.story import OPENERS, Story
from tests.reading.wire import MISSING, Frame, fields, text


def timeline(story: Story, name: str) -> tuple[list[dict[str, Any]], str | None]:
    """The entries about modes, and the mode at the end."""
    entries: list[dict[str, Any]] = []
    mode: str | None = None
    choices: list[str] | None = None
    for frame in story.frames:
        said = _said(story, name, frame)
        if said is None:
            continue
        changes = []
        new, offered = said.pop("mode"), said.pop("choices")
        if new is not None and new != mode:
            what = "added" if mode is None else "value"
            changes.append(change("mode", what, MISSING if mode is None else mode, new))
            mode = new
        if offered is not None:
            if choices is not None and choices != offered:
                changes.append(change("mode", "choices", choices, offered))
            choices = offered
        about = {"frame": frame.number, "t_ns": frame.t, "legacy": True}
        entries.append({**about, **said, "changes": changes, "turn": story.turn_index(name, frame)})
    return entries, mode


def _said(story: Story, name: str, frame: Frame) -> dict[str, Any] | None:
    """What a frame says of the mode, or None."""
    nothing = {"requested": None, "honoured": None, "error_code": None, "choices": None}
    if frame.session == name and frame.update_kind == "current_mode_update":
        mode = _mode_of(frame.update)
        return None if mode is None else {**nothing, "cause": "agent", "mode": mode}
    exchange = story.answered_by(frame)
    if exchange is None or exchange.sender != "client":
        return None
    if exchange.method in OPENERS and exchange.opens == name:
        modes = fields(frame.result.get("modes"))
        mode = text(modes.get("currentModeId"))
        return None if mode is None else {**nothing, "cause": "setup", "mode": mode, "choices": _ids(modes)}
    if exchange.method == "session/set_mode" and exchange.request.session == name:
        asked = requested(exchange, "", "modeId") or {}
        return {
            "cause": "set",
            "requested": {**asked, "config_id": "mode"},
            "honoured": False if frame.failed else None,
            "error_code": frame.error_code,
            "mode": None if frame.failed else text(asked["value"]),
            "choices": None,
        }
    return None


def _mode_of(update: dict[str, Any]) -> str | None:
    return text(update.get("currentModeId"))


def _ids(modes: dict[str, Any]) -> list[str] | None:
    offered = modes.get("availableModes")
    if not isinstance(offered, list):
        return None
    ids = [text(fields(one).get("id")) for one in offered]
    return [one for one in ids if one is not None]
