"""What `ls` says of the traces in the tables of a place."""

from __future__ import annotations

from acp_trace.analyze.listing import Listing
from acp_trace.places.place import SharedPlace
from acp_trace.store.listings import newest, stored
from acp_trace.team.lake.tables import ALWAYS, Period, opened
from acp_trace.trace.scratch import scratch


def listings(place: SharedPlace, period: Period = ALWAYS) -> list[Listing]:
    """The traces that began in a period, the newest first.

    Raises PlaceError; before the first build, NoTables.
    """
    with scratch() as directory, opened(place, directory, period) as tables, tables.errors_explained():
        return sorted(stored(tables.connection), key=newest, reverse=True)
