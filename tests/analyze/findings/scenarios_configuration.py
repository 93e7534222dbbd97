"""The group `configuration`: options as agents list them, what clients set, modes beside them."""

from __future__ import annotations

from typing import Any

from tests.analyze.findings.scenario import Found, Scenario, hello, raises, spares, start
from tests.reading.talk import Said, answer, ask, opened, prompt, refuse, stop, up


def _choices(*values: str) -> list[dict[str, str]]:
    return [{"value": one, "name": one.title()} for one in values]


def _option(
    id: str = "model", value: Any = "a", values: tuple[str, ...] = ("a", "b"), **more: Any
) -> dict[str, Any]:
    return {
        "id": id,
        "name": id,
        "type": "select",
        "currentValue": value,
        "options": _choices(*values),
        **more,
    }


def _set(value: Any = "b", option: str = "model", **more: Any) -> Said:
    return ask(1, "session/set_config_option", sessionId="s", configId=option, value=value, **more)


def _listed(*options: Any) -> Said:
    return answer(1, configOptions=list(options))


def _told(*options: Any) -> Said:
    return up("config_option_update", configOptions=list(options))


def _setup(*options: Any, **more: Any) -> list[Said]:
    return start(configOptions=list(options), **more)


_MODEL, _B = _option(), _option(value="b")
_FAST: dict[str, Any] = {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": True}
_GROUPED = {"group": "g", "name": "G", "options": _choices("c")}
_PLAIN: dict[str, Any] = {"fs": {"readTextFile": True}}

_SETS = [
    raises("config-unknown-option", "refused", [*_setup(_MODEL), _set(option="effort"), refuse(1, -32602)], Found("config-unknown-option", "client", 5, "s")),
    raises(
        "config-unknown-option", "no options at all",
        [*_setup(), _set(), refuse(1, -32602)],
        Found("config-unknown-option", "client", 5, "s"),
    ),
    raises(
        "config-unknown-option", "the agent has taken it back",
        [*_setup(_MODEL, _FAST), _told(_MODEL), _set(option="fast", type="boolean", value=False), refuse(1, -32602)],
        Found("config-unknown-option", "client", 6, "s"),
    ),
    spares("config-unknown-option", "nobody has said which there are", [*start(), _set(), _listed(_B)]),
    spares("config-unknown-option", "null says nothing", [*start(configOptions=None), _set(), _listed(_B)]),
    spares("config-unknown-option", "the agent has added it", [*_setup(), _told(_MODEL), _set(), _listed(_B)]),
    raises("config-unknown-value", "refused", [*_setup(_MODEL), _set("z"), refuse(1, -32602)], Found("config-unknown-value", "client", 5, "s")),
    raises(
        "config-unknown-value", "a group is no value",
        [*_setup(_option(value="c", options=[_GROUPED])), _set("g"), refuse(1, -32602)],
        Found("config-unknown-value", "client", 5, "s"),
    ),
    raises(
        "config-unknown-value", "a word for a boolean",
        [*_setup(_FAST), _set("true", "fast"), refuse(1, -32602)],
        Found("config-unknown-value", "client", 5, "s"),
    ),
    spares("config-unknown-value", "a value inside a group", [*_setup(_option(options=[{**_GROUPED, "options": _choices("a", "b")}])), _set(), _listed(_B)]),
    spares("config-unknown-value", "false for a boolean", [*_setup(_FAST), _set(False, "fast", type="boolean"), _listed({**_FAST, "currentValue": False})]),
    spares("config-unknown-value", "the value that already exists", [*_setup(_MODEL), _set("a"), _listed(_MODEL)]),
    spares(
        "config-unknown-value", "draft 2 calls things otherwise",
        [
            *start(2, configOptions=[{**_MODEL, "configId": "model", "options": [{**_GROUPED, "groupId": "g", "options": _choices("a", "b")}]}]),
            _set(type="id"), _listed({**_B, "configId": "model"}),
        ],
    ),
    spares("config-unknown-value", "an option of a type that we do not know", [*_setup({**_MODEL, "type": "_slider", "currentValue": 1}), _set(2), _listed({**_MODEL, "type": "_slider", "currentValue": 2})]),
    raises("set-not-honoured", "the old value", [*_setup(_MODEL), _set(), _listed(_MODEL)], Found("set-not-honoured", "agent", 6, "s")),
    raises("set-not-honoured", "the option is gone", [*_setup(_MODEL), _set(), _listed()], Found("set-not-honoured", "agent", 6, "s")),
    raises(
        "set-not-honoured", 'true is not "true"',
        [*_setup(_FAST), _set(False, "fast", type="boolean"), _listed({**_FAST, "currentValue": "false"})],
        Found("option-no-value", "agent", 6, "s"), Found("set-not-honoured", "agent", 6, "s"),
    ),
    spares("set-not-honoured", "an error honours nothing, and says so", [*_setup(_MODEL), _set(), refuse(1, -32603)]),
    spares("set-not-honoured", "other options change with it", [*_setup(_MODEL, _option("effort")), _set(), _listed(_B)]),
    spares("set-not-honoured", "an update before the response is older", [*_setup(_MODEL), _set(), _told(_MODEL), _listed(_B)]),
    spares("set-not-honoured", "the agent changes it again by itself", [*_setup(_MODEL), _set(), _listed(_B), _told(_MODEL)]),
    spares("set-not-honoured", "a legacy mode, whose response says nothing", [*start(modes={"currentModeId": "a", "availableModes": []}), ask(1, "session/set_mode", sessionId="s", modeId="b"), answer(1)]),
]  # fmt: skip

_MODES_A: dict[str, Any] = {
    "currentModeId": "a",
    "availableModes": [{"id": one, "name": one} for one in "ab"],
}
_MODE_A, _MODE_B = _option("mode"), _option("mode", "b")
_SET_MODE = [ask(1, "session/set_mode", sessionId="s", modeId="b"), answer(1)]


def _again(*listed: Any, method: str = "session/load", **result: Any) -> list[Said]:
    options = {"configOptions": list(listed)} if listed else {}
    return [ask(2, method, sessionId="s", cwd="/w", mcpServers=[]), answer(2, **options, **result)]


_LOST = [
    raises("config-lost", "after a load", [*_setup(_MODEL), _set(), _listed(_B), *_again(_MODEL)], Found("config-lost", "agent", 8, "s")),
    raises("config-lost", "after a resume, and said once", [*_setup(_MODEL), _set(), _listed(_B), *_again(_MODEL, method="session/resume"), *_again(_MODEL)], Found("config-lost", "agent", 8, "s")),
    raises("config-lost", "the option is gone", [*_setup(_MODEL, _FAST), _set(), _listed(_B, _FAST), *_again(_FAST)], Found("config-lost", "agent", 8, "s")),
    raises("config-lost", "the legacy mode", [*start(modes=_MODES_A), *_SET_MODE, *_again(modes=_MODES_A)], Found("config-lost", "agent", 8, "s")),
    raises(
        "config-lost", "a mode that was set the old way, and is an option now",
        [*_setup(_MODE_A), *_SET_MODE, *_again(_MODE_A)],
        Found("config-lost", "agent", 8, "s"),
    ),
    spares("config-lost", "it is still so", [*_setup(_MODEL), _set(), _listed(_B), *_again(_B)]),
    spares("config-lost", "the agent changed it by itself", [*_setup(_MODEL), _set(), _listed(_B), _told(_MODEL), *_again(_MODEL)]),
    spares("config-lost", "another set changed it", [*_setup(_MODEL, _FAST), _set(), _listed(_B, _FAST), ask(3, "session/set_config_option", sessionId="s", configId="fast", type="boolean", value=False), answer(3, configOptions=[_MODEL, {**_FAST, "currentValue": False}]), *_again(_MODEL, {**_FAST, "currentValue": False})]),
    spares("config-lost", "it was refused", [*_setup(_MODEL), _set(), refuse(1, -32603), *_again(_MODEL)]),
    spares("config-lost", "nobody set it", [*_setup(_B), *_again(_MODEL)]),
    spares("config-lost", "the answer says nothing of options", [*_setup(_MODEL), _set(), _listed(_B), *_again()],
           Found("config-missing", "agent", 8, "s")),
    spares("config-lost", "another session", [*_setup(_MODEL), _set(), _listed(_B), ask(2, "session/load", sessionId="other", cwd="/w", mcpServers=[]), answer(2, configOptions=[_MODEL])]),
    spares("config-lost", "the mode in both ways, and both kept it", [*start(modes=_MODES_A, configOptions=[_MODE_A]), *_SET_MODE, _told(_MODE_B), *_again(_MODE_B, modes={**_MODES_A, "currentModeId": "b"})]),
]  # fmt: skip

_LISTS = [
    raises("option-no-value", "none, counted", [*_setup(_option(value=None)), _told(_option(value=None))], Found("option-no-value", "agent", 4, "s", 2)),
    raises("option-no-value", "none of its choices", [*_setup(_option(value="z"))], Found("option-no-value", "agent", 4, "s")),
    raises("option-no-value", "no choices", [*_setup(_option(values=()))], Found("option-no-value", "agent", 4, "s")),
    raises("option-no-value", "a word for a boolean, each option by itself", [*_setup({**_FAST, "currentValue": "on"}, _option(value=1))], Found("option-no-value", "agent", 4, "s"), Found("option-no-value", "agent", 4, "s")),
    spares("option-no-value", "a value inside a group", _setup(_option(value="c", options=[_GROUPED]))),
    spares("option-no-value", "false", _setup({**_FAST, "currentValue": False})),
    spares("option-no-value", "any value of a type that we do not know", _setup({"id": "x", "name": "X", "type": "_slider", "currentValue": 5})),
    raises("option-mixed-choices", "a group and a value", [*_setup(_option(options=[*_choices("a"), _GROUPED]))], Found("option-mixed-choices", "agent", 4, "s")),
    spares("option-mixed-choices", "two groups", _setup(_option(options=[{**_GROUPED, "options": _choices("a")}, _GROUPED]))),
    spares("option-mixed-choices", "two options, one of each kind", _setup(_MODEL, _option("other", value="c", options=[_GROUPED]))),
    raises(
        "option-boolean-unannounced", "counted for each option",
        [*hello(client=_PLAIN), *opened(configOptions=[_FAST]), _told(_FAST, {**_FAST, "id": "slow"})],
        Found("option-boolean-unannounced", "agent", 4, "s", 2), Found("option-boolean-unannounced", "agent", 5, "s"),
    ),
    raises(
        "option-boolean-unannounced", "null announces nothing",
        [*hello(client={"session": {"configOptions": {"boolean": None}}}), *opened(configOptions=[_FAST])],
        Found("option-boolean-unannounced", "agent", 4, "s"),
    ),
    spares("option-boolean-unannounced", "it was, by an empty object", [*hello(client={"session": {"configOptions": {"boolean": {}}}}), *opened(configOptions=[_FAST])]),
    spares("option-boolean-unannounced", "on and off as choices", [*hello(client=_PLAIN), *opened(configOptions=[_option(value="on", values=("on", "off"))])]),
    spares("option-boolean-unannounced", "draft 2 asks for nothing", [*hello(2, client={}), *opened(configOptions=[{**_FAST, "configId": "fast"}])]),
    raises("option-malformed", "no id", [*_setup({"name": "x"})], Found("option-malformed", "agent", 4, "s")),
    raises(
        "option-malformed", "no type, twice in a list",
        [*_setup({"id": "x", "name": "X", "currentValue": 1}, _MODEL, _MODEL)],
        Found("option-malformed", "agent", 4, "s"), Found("option-malformed", "agent", 4, "s"),
    ),
    raises("option-malformed", "no list", [*_setup(_MODEL), up("config_option_update", configOptions={"model": "b"})], Found("option-malformed", "agent", 5, "s")),
    raises("option-malformed", "an update without the list", [*_setup(_MODEL), up("config_option_update")], Found("option-malformed", "agent", 5, "s")),
    raises("option-malformed", "a response without the list", [*_setup(_MODEL), _set(), answer(1)], Found("option-malformed", "agent", 6, "s")),
    spares("option-malformed", "an empty list", [*_setup(), _told()]),
    spares("option-malformed", "no options: null, or no member", [*start(configOptions=None), ask(1, "session/resume", sessionId="s"), answer(1)]),
    spares("option-malformed", "a category of its own", _setup(_option(category="_mine", description=None, _meta={"x": 1}))),
]  # fmt: skip


def _mode(value: str) -> dict[str, Any]:
    return _option("permission", value, ("ask", "code", "plan"), category="mode")


def _modes(current: str) -> dict[str, Any]:
    return {"currentModeId": current, "availableModes": [{"id": one, "name": one} for one in ("ask", "code")]}


_BOTH = _setup(_mode("ask"), modes=_modes("ask"))
_LEGACY = up("current_mode_update", currentModeId="code")

_MODES = [
    raises("modes-disagree", "from the start", [*_setup(_mode("code"), modes=_modes("ask"))], Found("modes-disagree", "agent", 4, "s")),
    raises("modes-disagree", "only the option changes, until the next prompt", [*_BOTH, _told(_mode("code")), prompt(1), stop(1)], Found("modes-disagree", "agent", 5, "s")),
    raises("modes-disagree", "only the mode changes, said once", [*_BOTH, _LEGACY, prompt(1), stop(1), prompt(2), stop(2)], Found("modes-disagree", "agent", 5, "s")),
    raises(
        "modes-disagree", "and then otherwise",
        [*_BOTH, _LEGACY, prompt(1), stop(1), _told(_mode("plan")), prompt(2), stop(2)],
        Found("modes-disagree", "agent", 5, "s"), Found("modes-disagree", "agent", 8, "s"),
    ),
    spares("modes-disagree", "the change is told in two messages", [*_BOTH, _LEGACY, up("usage_update"), _told(_mode("code")), prompt(1), stop(1)]),
    spares("modes-disagree", "session/set_mode, then an update of the option", [*_BOTH, ask(1, "session/set_mode", sessionId="s", modeId="code"), answer(1), _told(_mode("code"))]),
    spares("modes-disagree", "the option is set, then the mode follows", [*_BOTH, _set("code", "permission"), _listed(_mode("code")), _LEGACY]),
    raises("modes-disagree", "an update with another name of the mode changes nothing", [*_BOTH, _told(_mode("code")), up("current_mode_update", modeId="code")],
           Found("modes-disagree", "agent", 5, "s")),
    spares("modes-disagree", "an option called mode, of another category", _setup(_option("mode", category="model"), modes=_modes("ask"))),
    spares("modes-disagree", "the first of two options of the category counts", _setup(_mode("ask"), {**_mode("plan"), "id": "second"}, modes=_modes("ask"))),
    spares("modes-disagree", "modes alone", [*start(modes=_modes("ask")), _LEGACY]),
    spares("modes-disagree", "of another session", [*_BOTH, *opened("t", configOptions=[_mode("code")], modes=_modes("code"))]),
]  # fmt: skip

SCENARIOS: list[Scenario] = [*_SETS, *_LOST, *_LISTS, *_MODES]
