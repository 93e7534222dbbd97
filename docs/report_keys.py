"""The tables of keys on docs/report.md, made from the classes of the report and the columns of the store.

A key that the store has as a column takes its explanation from there. The others, and those that differ in
the JSON, are explained here. A key without an explanation is an error.
"""  # noqa: INP001  (a script, in no package)

from __future__ import annotations

import dataclasses
import re
from typing import NamedTuple


class Keys(NamedTuple):
    """The keys of one class of `acp_trace.report.model`; `table` is the store's table of the same facts."""

    shape: str
    table: str
    own: dict[str, str]


_SIDES = "of each side: `client`, `agent`"

#: Part of the page -> what its table lists, in the order of the page.
PARTS: dict[str, Keys] = {
    "keys_trace": Keys(
        "TraceReport",
        "traces",
        {
            "id": "trace id, from the header; empty if it has none",
            "complete": "whether the recorder wrote the footer; `false` for a live trace",
            "live": "whether its recorder is alive",
            "lost": "`frames` and `bytes` that were forwarded but could not be written",
            "agent": "`name`, `title`, `version` as the agent gave them (`agentInfo`; in draft 2 of the "
            "protocol `info`); "
            "`argv` and `cwd` of its process",
            "client": "`name`, `title`, `version` (`clientInfo`; in draft 2 of the protocol `info`)",
            "frames": f"number of frames {_SIDES}",
            "bytes": f"bytes of the frames without newlines, {_SIDES}",
            "odd_frames": f"number of frames that are not JSON-RPC messages, {_SIDES}",
            "meta_merge": "the [rule](#merging-metadata) by which each `_meta` object was merged into the "
            "session's earlier `_meta`: `rfd`, `shallow` or `replace`",
            "labels": "labels given to the recorder, strings by name",
            "faults": "the [faults](faults.md) that acp-trace made on purpose in a run; empty if none",
            "has_times": "whether its entries have times; if not, every time and duration is `null`",
            "imported": "for an imported trace. `format`: the format of its log. `senders_inferred`: "
            "whether acp-trace inferred senders from methods and ids, because the log lacks them. `unused`: "
            "number of items of the log that are not in the trace",
            "end": "`null` if there is no footer. `exit_code` or `signal` of the agent. `error`: why the "
            "agent could not be started or reached. `aborted`: why acp-trace ended a run (`timeout`, "
            "`flood`, `stopped`, `stayed`). `client_left`: `true` if the client left first (it closed the "
            "connection, or asked the recorder to end), otherwise absent. `by_client`: whether the agent "
            "was ended by a signal that clients send: SIGTERM, SIGINT or SIGHUP or, once the client had "
            "left, also SIGKILL, SIGQUIT or SIGPIPE",
        },
    ),
    "keys_session": Keys(
        "SessionReport",
        "sessions",
        {
            "usage": "`used`, `size`, `cost` of the last `usage_update`",
            "turns": "its [turns](#turns)",
            "outside_turns": "`tool_calls` and `permissions` that are history or came between turns, as in "
            "`turns`",
            "metadata": "[below](#metadata)",
            "config": "[below](#config)",
            "cancellations": "[below](#cancellations)",
            "updates": "number of updates of each kind, including history updates",
            "events": "its [events](#events)",
        },
    ),
    "keys_event": Keys("SessionEventReport", "session_events", {}),
    "keys_turn": Keys(
        "TurnReport",
        "turns",
        {
            "name": "what reports call it: `S2.0` is the first turn of `S2`",
            "prompt": "the beginning of the prompt's text, at most 80 characters; "
            "without text, the kind of its first content block: `[image]`",
            "cost": "the amounts, by currency, that its updates added to the session's cost; `null` if "
            "unknown",
            "tool_calls": "its [tool calls](#tool-calls)",
            "permissions": "its [permissions](#permissions)",
            "time": "[where its time went](#time-of-a-turn): `before_output_ns`, `tools_ns`, "
            "`permissions_ns`, "
            "`requests_ns`, `writing_ns`, `rest_ns`; `null` while open",
            "open_ns": "for a turn that never ended, how long it was open; otherwise absent",
            "open_time": "for a turn that never ended, the parts of `open_ns`, as in `time`; otherwise "
            "absent",
        },
    ),
    "keys_tool_call": Keys(
        "ToolCallReport", "tool_calls", {"history": "`frame`, `t_ns` and `status` of each change of status"}
    ),
    "keys_permission": Keys("PermissionReport", "permissions", {}),
    "keys_config": Keys(
        "ConfigEntryReport",
        "config_entries",
        {"requested": "for a `set`: `config_id` and `value`", "changes": "what it changed: see below"},
    ),
    "keys_config_change": Keys(
        "ConfigChangeReport",
        "config_changes",
        {
            "before": "before the change; absent if there was nothing",
            "after": "after the change, in the same form; absent if nothing is left",
        },
    ),
    "keys_cancellation": Keys(
        "CancellationReport",
        "cancellations",
        {
            "target": "`frame`, `method` and `id` of the request; `null` if there was nothing to cancel",
            "cascade": "the requests cancelled with it: `frame`, `sender`, `method`, `outcome`, `settle_ns`",
            "model_calls": "the turn's model calls that were open when the cancel came: `call`, `aborted`, "
            "`cancel_to_end_ns`, `output_after_cancel`, `tokens_after_cancel`, as in "
            "[`model_calls`](#model_calls)",
        },
    ),
    "keys_exchange": Keys(
        "ExchangeReport",
        "exchanges",
        {
            "id": "the id with its JSON type, numbers as they were written",
            "stderr": "up to five lines that the agent wrote to stderr during a request that failed or got "
            "no answer ([rules](#our-decisions)), each with `t_ns` and `line`; absent if there are none",
        },
    ),
    "keys_finding": Keys(
        "FindingReport",
        "findings",
        {
            "requirements": "ids of requirements of the test kit [acp-tck](conform.md): this code can show "
            "that they are violated",
            "stderr": "up to five lines, as in [`exchanges`](#exchanges), if the finding is about a request "
            "without an answer, a turn that ended without saying why, a cancel that was not obeyed, or a "
            "line of the client that is not a message; absent if there are none",
        },
    ),
    "keys_model_call": Keys(
        "ModelCallReport",
        "model_calls",
        {"tools": "the names of the tools that the model asked for, in order"},
    ),
    "keys_stream": Keys("StreamReport", "streams", {"frames": f"number of frames on it, {_SIDES}"}),
}


def table(part: str) -> str:
    """The table of one part. Raises LookupError if a key has no explanation."""
    from acp_trace.report import model
    from acp_trace.store import schema

    shape, name, own = PARTS[part]
    columns = {column.name: column.doc for one in schema.TABLES if one.name == name for column in one.columns}
    lines = ["| key | what it holds |", "| --- | --- |"]
    for field in dataclasses.fields(getattr(model, shape)):
        doc = own.get(field.name) or _in_json(columns.get(field.name, ""))
        if not doc:
            raise LookupError(f"{shape}.{field.name} is not explained")
        lines.append(f"| `{field.name}` | {doc} |")
    return "".join(f"{line}\n" for line in lines)


def _in_json(doc: str) -> str:
    """What a column's explanation says of the JSON: a value instead of its text, null instead of NULL."""
    doc = re.sub(r",? as (?:a )?JSON(?: array| object)?(?: of strings)?", "", doc).replace("|", "\\|")
    return doc.replace("NULL", "`null`").replace("docs/findings.md", "[Findings](findings.md)")
