"""Which variables of the agent's environment a recording may set in a replay: the only place for this rule.

Pure. Anyone may have written a recording. A variable can hold a command (`BASH_ENV`), code (`PYTHONPATH`,
`LD_PRELOAD`) or a way around the proxy (`NO_PROXY`). So a replay uses a name from a recording only if a
closed table of ours has it (`profiles` for base URLs, `key_variables` for keys), or if the user repeats it
(`--model-base NAME`). It never uses the recorded value: a key gets a dummy, and a base URL is built again
and leads to acp-trace's proxy. With the real model (`live`), only names that the user repeats count,
because the agent would send the user's key to the recorded URL. Only the proxy sets the variables that lead
traffic to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from acp_trace.model.key_variables import KEY_VARIABLES
from acp_trace.model.proxy import profiles, settings
from acp_trace.model.recorded_environment import RecordedBase, RecordedEnvironment
from acp_trace.model.secrets import DUMMY
from acp_trace.replay.incidents import Incident

_SHOWN, _LONGEST = 5, 60  #: names in a note, and characters of one
_KEY = "a dummy key: the recorded agent had a key here"
_BASE = "the recorded agent's base URL: leads to the recorded answers"
_LIVE_BASE = "the recorded agent's base URL: leads through acp-trace's proxy"
_GIVEN = "your `--model-base` URL: leads through acp-trace's proxy"
_REPEATED = " (you repeated its name)"
_UNKNOWN = "left out: the recording does not name this variable"


@dataclass(frozen=True, slots=True)
class AgentVariable:
    """A variable that a replay sets in the agent's environment, or does not set, and why.

    `name`: `NAME`, or `NAME#/place` of a document in JSON. `is_set`: false if it is removed, or not set
    though the recording names it.
    """

    name: str
    is_set: bool
    why: str


@dataclass(frozen=True, slots=True)
class RecordedVariables:
    """What counts of a recording's environment. `bases`: `NAME=URL`, as for a proxy; `keys`: names."""

    bases: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    variables: tuple[AgentVariable, ...] = ()
    incidents: tuple[Incident, ...] = ()


def recorded_variables(
    recorded: RecordedEnvironment,
    given: Mapping[str, str],
    repeated: Sequence[str],
    mode: Literal["recorded", "live"],
    leading: Collection[str] = (),
) -> RecordedVariables:
    """Return what a run uses of a recording's environment, and what is reported about it.

    `given`: the agent's environment. `repeated`: the user's `NAME` or `NAME=URL`. `leading`: variables that
    lead traffic to the proxy.
    """
    own = [settings.base(text) for text in repeated if "=" in text]
    names = {text for text in repeated if "=" not in text}
    by_name: dict[str, RecordedBase] = {}
    for base in recorded.bases:
        by_name.setdefault(base.name, base)
    rule = _Rule(given, names, mode, leading)
    bases = [(AgentVariable(base.variable, is_set=True, why=_GIVEN), base.url) for base in own]
    bases = [(rule.never_leading(variable), url) for variable, url in bases]
    for name in (name for name in by_name if name not in {base.variable for base in own}):
        bases += rule.base(by_name[name])
    keys = [variable for name in dict.fromkeys(recorded.secrets) for variable in rule.key(name)]
    recorded_names = {*by_name, *recorded.secrets}
    unknown = [AgentVariable(name, is_set=False, why=_UNKNOWN) for name in sorted(names - recorded_names)]
    variables = (*(variable for variable, _ in bases), *keys, *unknown)
    return RecordedVariables(
        tuple(f"{variable.name}={url}" for variable, url in bases if variable.is_set),
        tuple(variable.name for variable in keys if variable.is_set),
        variables,
        tuple(_notes(variables, names | {base.variable for base in own})),
    )


@dataclass(frozen=True, slots=True)
class _Rule:
    """Decides about each name. A result is empty if there is nothing to report."""

    given: Mapping[str, str]
    names: Collection[str]
    mode: Literal["recorded", "live"]
    leading: Collection[str]

    def base(self, base: RecordedBase) -> list[tuple[AgentVariable, str]]:
        """Return the decision about a recorded base URL, and the URL."""
        is_live, is_repeated, url = self.mode == "live", base.name in self.names, base.rebuilt
        if is_live and not is_repeated and base.variable in self.given:
            return []  # the environment already has the model's current address
        if is_live and not is_repeated:
            variable = _left_out(base.name, "a recording does not decide where the real model is")
        elif not (is_repeated or profiles.is_known(base.name)):
            variable = _left_out(base.name, "acp-trace does not know it as a base URL")
        elif url is None:
            variable = _left_out(base.name, "its URL has more than a base URL needs")
        else:
            why = (_LIVE_BASE if is_live else _BASE) + _REPEATED * is_repeated
            variable = AgentVariable(base.name, is_set=True, why=why)
        return [(self.never_leading(variable), url or "")]

    def key(self, name: str) -> list[AgentVariable]:
        """Return the decision about the name of a key."""
        is_known, is_repeated = name in KEY_VARIABLES, name in self.names
        if name in self.given or (self.mode == "live" and not is_known and not is_repeated):
            return []
        if is_repeated or (is_known and self.mode == "recorded"):
            why = _KEY + _REPEATED * is_repeated
            return [self.never_leading(AgentVariable(name, is_set=True, why=why))]
        is_not = (
            "the real model needs its real key" if is_known else "acp-trace does not know it as a model's key"
        )
        return [_left_out(name, is_not)]

    def never_leading(self, variable: AgentVariable) -> AgentVariable:
        """Return the variable; not set if it leads traffic to the proxy."""
        if variable.name.partition("#")[0] not in self.leading:
            return variable
        return _left_out(variable.name, "acp-trace sets this variable itself, to its proxy")


def _left_out(name: str, why: str) -> AgentVariable:
    return AgentVariable(name, is_set=False, why=f"left out: {why}")


def _notes(variables: Sequence[AgentVariable], names: Collection[str]) -> Iterator[Incident]:
    """Yield the notes of a report: about names that are left out, and names that the user has allowed."""
    if let_in := [each.name for each in variables if each.is_set and each.name in names]:
        yield Incident("variable-permitted", f"set for the agent because you named them: {_some(let_in)}")
    if left_out := [each.name for each in variables if not each.is_set and each.name not in names]:
        yield Incident(
            "variable-left-out",
            f"the recording names variables that were not set for the agent: {_some(left_out)}. If the agent "
            "needs one, set it yourself, or repeat its name: `--model-base NAME`",
        )
    if useless := [each for each in variables if not each.is_set and each.name in names]:
        reasons = "; ".join(f"{_short(each.name)}: {each.why}" for each in useless[:_SHOWN])
        yield Incident("variable-left-out", f"not set for the agent though you named them: {reasons}")


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(_short, names[:_SHOWN])) + more


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"


def dummies(keys: Iterable[str]) -> dict[str, str]:
    """Return the variables of keys, with dummy values."""
    return dict.fromkeys(keys, DUMMY)
