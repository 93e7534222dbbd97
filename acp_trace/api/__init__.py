"""acp-trace from Python: `acp_trace.open_trace("last").analyze()` gives the report as typed, frozen data.

Each function does what one command does, and gives back what that prints. The classes of the report, with
shapes and units, are those of `acp_trace.report.model`. The commands do not live here, and nothing here
prints. What a name needs is imported when it is first used.

- `data_table`     rows with named, typed columns, and what notebooks do with them
- `exporting`      a trace as a file again, or in the format of another tool, as `acp-trace export` writes
                   it
- `fact_tables`    the facts and frames of one trace as tables, with the columns that they have in the store
- `homes`          which directory ids are looked up in, and that it is up to date
- `importing`      `import_log`: logs of other tools become traces, as `acp-trace import` makes them
- `listing`        `list_traces`: the traces that there are, as `acp-trace ls` lists them
- `log_source`     what users name to be looked at: a trace, or the log of another tool
- `opened`         one open trace: its report and its frames
- `querying`       `query`: SQL over the store, or over some trace files, as `acp-trace query` runs it
- `replay_result`  what a replay gives back, to Python and to a test
- `replay_run`     one replay, played, tried again and reported: what `replay_trace` and the pytest plugin
                   share
- `replaying`      `replay_trace`: the recorded client, played to an agent, as `acp-trace replay` plays it
- `spark`          `spark_tables`: the tables of a place in a session of Apache Spark
- `trace_diff`     `diff_traces`: two traces, compared as `acp-trace diff` compares them
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `acp_trace`: the pytest plugin imports a part of this in every run
if TYPE_CHECKING:
    from acp_trace.analyze.listing import Listing
    from acp_trace.api.data_table import DataTable
    from acp_trace.api.exporting import HasSecrets, TraceExport
    from acp_trace.api.importing import ImportedTrace, NotALog, import_log
    from acp_trace.api.listing import list_traces
    from acp_trace.api.opened import OpenTrace, open_trace
    from acp_trace.api.querying import query
    from acp_trace.api.replay_result import Replay
    from acp_trace.api.replaying import replay_trace
    from acp_trace.api.spark import spark_tables
    from acp_trace.api.trace_diff import TraceDiff, diff_traces
    from acp_trace.places.address import BadAddress
    from acp_trace.places.place import PlaceError
    from acp_trace.places.pull import NotInPlace
    from acp_trace.record.model_side import Lacking
    from acp_trace.replay.settings import SettingError
    from acp_trace.report.filters import BadFilter
    from acp_trace.report.selection import NoSuchSession, NoSuchTurn
    from acp_trace.store.catalog import NoTrace, UnknownTrace
    from acp_trace.store.errors import Conflict, StoreError
    from acp_trace.store.of_files import NotLoaded
    from acp_trace.store.statements import BadQuery
    from acp_trace.trace.inputs import Unreadable
    from acp_trace.trace.parse import NewerFormat

#: Where each public name lives.
_MODULES = {
    "BadAddress": "acp_trace.places.address",
    "BadFilter": "acp_trace.report.filters",
    "BadQuery": "acp_trace.store.statements",
    "Conflict": "acp_trace.store.errors",
    "DataTable": "acp_trace.api.data_table",
    "HasSecrets": "acp_trace.api.exporting",
    "ImportedTrace": "acp_trace.api.importing",
    "Lacking": "acp_trace.record.model_side",
    "Listing": "acp_trace.analyze.listing",
    "NewerFormat": "acp_trace.trace.parse",
    "NoSuchSession": "acp_trace.report.selection",
    "NoSuchTurn": "acp_trace.report.selection",
    "NoTrace": "acp_trace.store.catalog",
    "NotALog": "acp_trace.api.importing",
    "NotInPlace": "acp_trace.places.pull",
    "NotLoaded": "acp_trace.store.of_files",
    "OpenTrace": "acp_trace.api.opened",
    "PlaceError": "acp_trace.places.place",
    "Replay": "acp_trace.api.replay_result",
    "SettingError": "acp_trace.replay.settings",
    "StoreError": "acp_trace.store.errors",
    "TraceDiff": "acp_trace.api.trace_diff",
    "TraceExport": "acp_trace.api.exporting",
    "UnknownTrace": "acp_trace.store.catalog",
    "Unreadable": "acp_trace.trace.inputs",
    "diff_traces": "acp_trace.api.trace_diff",
    "import_log": "acp_trace.api.importing",
    "list_traces": "acp_trace.api.listing",
    "open_trace": "acp_trace.api.opened",
    "query": "acp_trace.api.querying",
    "replay_trace": "acp_trace.api.replaying",
    "spark_tables": "acp_trace.api.spark",
}

__all__ = [
    "BadAddress",
    "BadFilter",
    "BadQuery",
    "Conflict",
    "DataTable",
    "HasSecrets",
    "ImportedTrace",
    "Lacking",
    "Listing",
    "NewerFormat",
    "NoSuchSession",
    "NoSuchTurn",
    "NoTrace",
    "NotALog",
    "NotInPlace",
    "NotLoaded",
    "OpenTrace",
    "PlaceError",
    "Replay",
    "SettingError",
    "StoreError",
    "TraceDiff",
    "TraceExport",
    "UnknownTrace",
    "Unreadable",
    "diff_traces",
    "import_log",
    "list_traces",
    "open_trace",
    "query",
    "replay_trace",
    "spark_tables",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
