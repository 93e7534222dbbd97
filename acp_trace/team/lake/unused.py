"""Files of the tables that are no longer used. Pure: this module names them, and its callers remove them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from acp_trace.places import layout
from acp_trace.places.place import Object
from acp_trace.team.lake import names
from acp_trace.team.lake.snapshot import LakeSnapshot


def unused(objects: Iterable[Object], newest: LakeSnapshot, now: datetime) -> list[str]:
    """The files of tables that are in no group of the newest commit, and have been there for a day.

    A build puts files before the commit that names them, and a question reads those of the commit before.
    """
    return [
        each.name
        for each in objects
        if (group := names.group_of(each.name)) is not None
        and group not in newest.groups
        and each.modified < now - layout.LEAST_AGE
    ]
