"""Scenarios of configuration: cascades, groups, booleans, orders, sets that fail, modes beside it."""

from __future__ import annotations

from typing import Any

from tests.reading.talk import Said, answer, ask, call, hello, opened, prompt, refuse, reply, stop, up, words


def select(id: str, value: Any, *choices: Any, **more: Any) -> dict[str, Any]:
    options = [{"value": one, "name": one} if isinstance(one, str) else one for one in choices]
    return {"id": id, "name": id, "type": "select", "currentValue": value, "options": options, **more}


def boolean(id: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"id": id, "name": id, "type": "boolean", "currentValue": value, **more}


def group(id: str, *values: str) -> dict[str, Any]:
    return {"group": id, "name": id, "options": [{"value": one, "name": one} for one in values]}


def set(id: Any, option: Any, value: Any, **more: Any) -> Said:
    return ask(id, "session/set_config_option", sessionId="s", configId=option, value=value, **more)


def now(*options: Any, session: str = "s") -> Said:
    return up("config_option_update", session=session, configOptions=list(options))


def modes(current: Any, *offered: str) -> dict[str, Any]:
    return {"currentModeId": current, "availableModes": [{"id": one, "name": one} for one in offered]}


def mode(id: Any, wanted: Any) -> Said:
    return ask(id, "session/set_mode", sessionId="s", modeId=wanted)


_MODEL = select("model", "a", "a", "b")
_EFFORT = select("effort", "high", "low", "high")

SCENARIOS: dict[str, list[Said]] = {
    "config, a cascade": [
        *hello(),
        now(select("early", 1)),
        *opened(configOptions=[_MODEL, _EFFORT, boolean("fast", False)]),
        set(1, "model", "b"),
        answer(1, configOptions=[boolean("fast", False), select("model", "b", "a", "b")]),
        prompt(2),
        now(boolean("fast", True), select("model", "b", "b", "a"), _EFFORT),
        set(3, "effort", "low"),
        stop(2),
        answer(
            3,
            configOptions=[
                select("model", "b", "b", "a"),
                select("effort", "low", "low"),
                boolean("fast", 1),
            ],
        ),
        now(),
        now(_MODEL),
        now(_MODEL),
        ask(4, "session/resume", sessionId="s"),
        answer(4, configOptions=None),
        ask(5, "session/load", sessionId="s"),
        now(_MODEL, _EFFORT),
        answer(5, configOptions=[_EFFORT, _MODEL]),
        ask(6, "session/fork", sessionId="s"),
        answer(6, sessionId="f", configOptions=[_EFFORT]),
        now(_EFFORT, _MODEL, session="f"),
    ],
    "config, groups and details": [
        *hello(),
        *opened(configOptions=[select("model", "a", group("g", "a", "b"), group("h", "c"))]),
        now(select("model", "a", group("g", "a"), group("h", "b", "c"))),
        now(select("model", "c", group("h", "b", "c"), description="d", category="model")),
        now(select("model", "c", group("h", "b", "c"), description="e")),
        now(select("model", "c", {**group("h", "b", "c"), "name": "H"}, description="e")),
        now(select("model", "c", {"group": "h", "options": [{"value": "b", "name": "B"}, {"value": "c"}]})),
        now(select("model", "c", "b", "c", group("h", "b"), {"groupId": "k", "options": [{"value": "b"}]})),
        now(
            select(
                "model",
                "c",
                {"value": 5},
                {"name": "no value"},
                "c",
                group("h"),
                {"options": [{"value": "x"}]},
            )
        ),
        now({**select("model", "c", "c"), "_meta": {"n": 1}}),
        now({**select("model", "c", "c"), "_meta": {"n": 1.0}}),
        now({"id": "model", "type": "boolean", "currentValue": True, "options": [{"value": "c"}]}),
        now({"id": "model", "type": "boolean"}),
        now({"id": "model", "type": "slider", "currentValue": None, "options": 7}),
        now({"configId": "model", "type": "slider", "currentValue": None}),
    ],
    "config, lists that are odd": [
        *hello(),
        *opened(
            configOptions=[_MODEL, 5, None, {"name": "no id"}, {**_MODEL, "currentValue": "b"}, {"id": 3}]
        ),
        up("config_option_update", configOptions={}),
        up("config_option_update"),
        now(select("b", 1), select("a", 2), select("c", 3)),
        now(select("c", 3), select("x", 0), select("a", 2), select("b", 1)),
        now(select("x", 0), select("b", 1), {"id": "a"}),
        now(select("x", 0), {"id": "a", "currentValue": None}),
        now({"id": "", "currentValue": ""}, {"id": 4, "configId": "four"}),
    ],
    "config, sets": [
        *hello(),
        set(0, "model", "b"),
        answer(0),
        *opened(
            configOptions=[
                _MODEL,
                boolean("fast", False),
                select("n", 1),
                select("g", "x", group("k", "x", "y")),
            ]
        ),
        set(1, "model", "b"),
        answer(1, configOptions=[_MODEL, boolean("fast", False)]),  # not honoured
        set(2, "model", "c"),  # no such choice
        refuse(2, -32602),
        set(3, "effort", "low"),  # no such option
        answer(
            3,
            configOptions=[
                _MODEL,
                boolean("fast", False),
                select("n", 1),
                select("g", "x", group("k", "x", "y")),
            ],
        ),
        set(4, "fast", "true"),
        answer(4, configOptions=None),
        set(5, "fast", True, type="boolean"),
        answer(5, configOptions=[boolean("fast", 1)]),
        set(6, "fast", True),
        answer(6, configOptions=[boolean("fast", True), select("n", "1")]),
        set(7, "n", 1),
        answer(7, configOptions=[boolean("fast", True), select("n", "1")]),
        set(8, "fast", False),  # never answered, and the agent changes something meanwhile
        now(boolean("fast", False), select("g", "x", group("k", "x", "y"))),
        set(9, "g", "y"),
        answer(9, configOptions=[select("g", "y", group("k", "x", "y"))]),
        set(10, "g", "k/x"),
        refuse(10, -32800),
        set(11, None, None),
        answer(11, configOptions=[{"configId": "g", "currentValue": None}]),
        set(12, "g", None),
        answer(12, configOptions=[{"configId": "g", "currentValue": None}]),
        ask(13, "session/set_config_option", sessionId="s", configId="g"),
        answer(13, configOptions=[{"configId": "g"}]),
        ask(14, "session/set_config_option", sessionId="unknown", configId="g", value="x"),
        answer(14, configOptions=[{"configId": "g", "currentValue": "x"}]),
        call(15, "session/set_config_option", sessionId="s", configId="g", value="x"),
        reply(15, configOptions=[]),
    ],
    "config, modes beside it": [
        *hello(),
        *opened(
            configOptions=[select("mode", "ask", "ask", "code", category="mode")],
            modes=modes("ask", "ask", "code"),
        ),
        mode(1, "code"),
        up("current_mode_update", currentModeId="code"),
        now(select("mode", "code", "ask", "code", category="mode")),
        answer(1),
        mode(2, "none"),
        refuse(2, -32602),
        prompt(3),
        up("current_mode_update", modeId="ask"),
        mode(4, "plan"),
        answer(4),
        stop(3),
        ask(5, "session/load", sessionId="s"),
        up("current_mode_update", currentModeId="code"),
        answer(5, modes=modes("plan", "plan", "ask")),
        ask(6, "session/resume", sessionId="s"),
        answer(6, modes={"currentModeId": "plan"}),
        ask(7, "session/resume", sessionId="s"),
        answer(7, modes=modes(None, "x"), configOptions=[]),
        up("current_mode_update", currentModeId=5, modeId="code"),
        up("current_mode_update"),
        mode(8, 5),
        answer(8),
        mode(9, "never answered"),
        up("current_mode_update", session="m", currentModeId="first"),
        ask(10, "session/load", sessionId="m"),
        answer(10, modes=modes("second", "first", "second")),
        words("m"),
    ],
}
