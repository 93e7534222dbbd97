"""The faults of a run; and a seed -> faults: the same seed gives the same faults for the same messages. Pure.

The chosen faults are given as texts that can be repeated alone; a later version may choose others.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from acp_trace.replay.faults.aims import Aim, aims, can_do, check, fits, script_aims
from acp_trace.replay.faults.declaration import KINDS, FaultError, PlannedFault, Value, fault
from acp_trace.replay.plan.steps import Plan
from acp_trace.replay.settings import SettingError, Settings, model_mode
from acp_trace.replay.written.steps import WrittenConversation
from acp_trace.trace.entries import Sender

#: Most faults at once: with more, the cause of an effect is not visible.
_MOST = 3
_TIMES = ("50ms", "200ms", "1s", "2s")
_CODES = ("-32603", "-32602", "-32601", "-32000")
_NUMBERS = 1000


def planned(plan: Plan, settings: Settings) -> list[PlannedFault]:
    """Return the faults of a run: those that the settings name, and those of their seed.

    Raises SettingError for an impossible fault.
    """
    is_recorded = bool(plan.recording.model)
    answers = plan.own == "client" and model_mode(settings, is_recorded=is_recorded) == "recorded"
    return _planned(aims(plan, plan.recording.model_calls if answers else 0), plan.own, settings)


def planned_for_script(written: WrittenConversation, settings: Settings) -> list[PlannedFault]:
    """Return the same for a written conversation. Raises SettingError, too."""
    return _planned(script_aims(written), "client", settings)


def _planned(of: Sequence[Aim], own: Sender, settings: Settings) -> list[PlannedFault]:
    try:
        check(settings.faults, of, own)
    except FaultError as error:
        raise SettingError(f"fault: {error}") from None
    more = [] if settings.chaos is None else chosen(settings.chaos, of, own)
    return list({each.text: each for each in (*settings.faults, *more)}.values())


def chosen(seed: int, aims: Sequence[Aim], own: Sender) -> list[PlannedFault]:
    """Return the faults of a seed, unordered; empty if no message can have any."""
    chance = random.Random(seed)
    possible = [aim for aim in aims if not aim.is_general and (aim.times or aim.part is None)]
    of_kinds = [
        (kind, fitting)
        for kind in KINDS.values()
        if can_do(kind, own) and (fitting := [aim for aim in possible if fits(kind, aim)])
    ]
    faults: list[PlannedFault] = []
    for _ in range(chance.randint(1, _MOST) if of_kinds else 0):
        kind, fitting = chance.choice(of_kinds)
        aim = chance.choice(fitting)
        value = _value(kind.value, chance) if kind.value is not None else ""
        faults.append(fault(kind.name, aim.name, value, chance.randint(1, max(aim.times, 1))))
    return list({each.text: each for each in faults}.values())


def _value(of: Value, chance: random.Random) -> str:
    """Return a value; kinds of updates have their own."""
    if of == "time":
        return chance.choice(_TIMES)
    if of == "code":
        return chance.choice(_CODES)
    return str(chance.randrange(_NUMBERS)) if of == "number" else ""
