"""Writes the generated parts of these pages: `python docs/generate.py`; with `--check`, only compares.

A part stands between two marker comments of its page, and is made from the code that it describes:
the commands from their own `--help`, the store's tables and views from its schema. What is outside
the markers is written by hand and never touched. The types of the page's scripts are a file of their own.
"""  # noqa: INP001  (a script, in no package)

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matrix
import reckoning
import report_keys
import script_types

if TYPE_CHECKING:
    from acp_trace.compare.codes import DivergenceCode
    from acp_trace.store.schema import SqlColumn

DOCS = Path(__file__).resolve().parent
COLUMNS = 80

_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end: \2 -->)", re.DOTALL)


def commands() -> str:
    """The help of every command, as it is printed to a terminal of 80 columns."""
    from typer.main import get_command

    from acp_trace.cli.app import ALIASES, app

    names = [name for name, one in get_command(app).flat().items() if not one.hidden]  # type: ignore[attr-defined]
    pages = [("acp-trace", _help())] + [(f"acp-trace {name}", _help(*name.split())) for name in names]
    ways = ALIASES | {f"{name} --at DEST": f"team {name} DEST" for name in ("ls", "query")}
    ways["rm --at DEST"] = "team prune DEST"
    older = _table(["older name", "today"], [[f"`{name}`", f"`{today}`"] for name, today in ways.items()])
    shown = "\n".join(f"## {title}\n\n```text\n{text}\n```\n" for title, text in pages)
    said = "These names still work, but no help lists them."
    return f"{shown}\n## Older names\n\n{said}\n\n{older}"


def fields() -> str:
    """The fields of the filter language."""
    from acp_trace.report.frame_filter.fields import ALIASES, FIELDS

    rows = []
    for each in FIELDS.values():
        others = [alias for alias, name in ALIASES.items() if name == each.name]
        names = " or ".join(f"`{name}`" for name in [each.name, *others])
        rows.append([names, each.meaning, f"`{each.example}`"])
    return _table(["field", "what it is", "example"], rows)


def metrics() -> str:
    """What a budget can be about."""
    from acp_trace.analyze.budgets.metrics import METRICS

    values = {"ns": "time", "number": "number", "seen": "only `count`"}
    own = [(f"`{one.name}`", one.doc, values[one.unit]) for one in METRICS.values()]
    latency = ("`latency METHOD`", "from a request to its response, even if that is an error", values["ns"])
    some = ("`findings.SEVERITY`, `findings.CODE`", "findings of that severity or code", values["seen"])
    return _table(["metric", "what it measures", "value"], [list(row) for row in (*own, some, latency)])


def systems() -> str:
    """What runs where: one row for all that run in the same places."""
    from acp_trace.system.support import TABLE

    together: dict[tuple[str, ...], list[str]] = {}
    for names, *systems in TABLE:
        together.setdefault(tuple(systems), []).extend(f"`{name}`" for name in names)
    rows = [[", ".join(names), *systems] for systems, names in together.items()]
    return _table(["command", "Linux", "macOS", "Windows"], rows)


def tables() -> str:
    """The store's tables, column by column."""
    from acp_trace.store import schema

    return "\n".join(_columns(table.name, table.doc, table.columns) for table in schema.TABLES)


def views() -> str:
    """The store's views, column by column."""
    from acp_trace.store import schema

    return "\n".join(_columns(view.name, view.doc, view.columns) for view in schema.VIEWS)


def findings() -> str:
    """Every code, group by group, with the rule behind it."""
    from acp_trace.analyze.findings.codes import CODES, GROUPS
    from acp_trace.analyze.findings.requirements import NOT_JUDGED, REQUIREMENTS

    made = []
    for group in GROUPS:
        made.append(f"## {group.capitalize()}\n")
        for one in (row for row in CODES.values() if row.group == group):
            counted = {"session": ", counted once a session", "trace": ", counted once a trace"}
            sides = {"either": "either side"}
            made.append(f"### {one.code}\n")
            is_softened = one.is_doubted and one.severity != "note"
            doubt = "; a note if frames are missing" if is_softened else ""
            head = f"{one.severity}, {sides.get(one.side, one.side)}{counted.get(one.once or '', '')}{doubt}"
            made.append(f"{head}. {one.meaning}\n")
            made.append(f"> {one.rule} — {one.source}\n")
            if shown := REQUIREMENTS.get(one.code):
                made.append(f"acp-tck: {', '.join(shown)}\n")
    made.append("## Requirements that no finding shows\n")
    made.append(
        "A recording can show whether these requirements of acp-tck hold, but no finding reports it. "
        "Requirements that only a probe can judge, by sending what no client sends, are not listed.\n"
    )
    reasons: dict[str, list[str]] = {}
    for id_, why in NOT_JUDGED.items():
        reasons.setdefault(why, []).append(id_)
    made.append(_table(["why", "requirements"], [[why, ", ".join(ids)] for why, ids in reasons.items()]))
    return "\n".join(made)


def own_requirements() -> str:
    """Our own requirements of agents and clients, with the findings that break them."""
    from acp_trace.conform.requirements import ALL

    own = [one for one in ALL if not one.version]
    rows = [[f"`{one.id}`", one.tier, one.text, ", ".join(sorted(one.codes))] for one in own]
    return _table(["requirement", "tier", "what it demands", "findings that break it"], rows)


def kit_requirements() -> str:
    """The requirements of acp-tck, by the version of the protocol."""
    from acp_trace.conform.requirements import ALL

    made = []
    for version, name in ((1, "Protocol 1"), (2, "Draft 2")):
        rows = [[f"`{one.id}`", one.tier, one.text] for one in ALL if one.version == version]
        made.append(f"### {name}\n\n{_table(['requirement', 'tier', 'what it demands'], rows)}")
    return "\n".join(made)


def behaviours() -> str:
    """What the scripted agent does to a client, in the order of its runs."""
    from acp_trace.conform.behaviours import BEHAVIOURS

    return _table(["behaviour", "what the agent sends"], [[f"`{one.name}`", one.about] for one in BEHAVIOURS])


def divergences() -> str:
    """Every code of a comparison, group by group, with the level from which on it is looked for."""
    from acp_trace.compare.codes import CODES, GROUPS

    made = []
    for group in GROUPS:
        made.append(f"### {group.capitalize()}\n")
        rows = [row for row in CODES.values() if row.group == group]
        cells = [[f"`{row.code}`", f"`{row.since}`", _rank(row), row.meaning] for row in rows]
        made.append(_table(["code", "from", "rank", "what it means"], cells))
    return "\n".join(made)


def runs() -> str:
    """The codes that a replay has beside those of a comparison."""
    from acp_trace.replay.incidents import RUN_CODES

    cells = [[f"`{row.code}`", _rank(row), row.meaning] for row in RUN_CODES.values()]
    return _table(["code", "rank", "what it means"], cells)


def verbs() -> str:
    """What a step of a script can say."""
    from acp_trace.replay.written.steps import VERBS

    return _table(
        ["verb", "what it does", "other keys"],
        [[f"`{name}`", verb.help, _code(verb.beside)] for name, verb in VERBS.items()],
    )


def profiles() -> str:
    """The clients that `drive` can act as."""
    from acp_trace.replay.written.profiles import PROFILES

    cells = []
    for name, row in PROFILES.items():
        ids = "UUIDs" if row.first_id is None else f"{row.id(0)}, {row.id(1)} …"
        tempo = [f"`{method}` {ns / 1e6:g} ms" for method, ns in {**row.pauses_ns, **row.answers_ns}.items()]
        cells.append([f"`{name}`", ids, "<br>".join(tempo), row.recording])
    return _table(["client", "ids", "tempo", "recording"], cells)


def agents() -> str:
    """The agents that `mock` and `conform --client` can act as."""
    from acp_trace.replay.faults.agents import AGENTS

    cells = []
    for name, row in AGENTS.items():
        mock = "<br>".join(f"`{text}`" for text in row.faults) if row.in_mock else "–"
        cells.append([f"`{name}`", row.about, f"`{row.behaviour}`", mock, row.recording])
    return _table(["agent", "what it does", "in `conform`", "in `mock`", "recording"], cells)


def settings() -> str:
    """The settings of a replay: what each is called where, and what it means."""
    from acp_trace.replay.declared import SETTINGS

    cells = []
    for setting in SETTINGS.values():
        said = setting.option
        option = f"`--{setting.key.replace('_', '-')}`" if said.help else ""
        words = (said.help or "Paths of other recordings; it is enough if one passes.").replace("|", "\\|")
        cells.append([f"`{setting.key}`", option, f"`{setting.keyword}`", words])
    return _table(["in the file", "option", "in Python and pytest", "what it means"], cells)


def kinds() -> str:
    """The kinds of faults on purpose: who can make each, on which messages, and which finding names it."""
    from acp_trace.replay.faults.declaration import KINDS

    players = {"client": "`replay`", "agent": "`mock`", None: "both"}
    cells = []
    for kind in KINDS.values():
        value = f" {kind.example}" if kind.example else ""
        value = f" [{kind.example}]" if value and kind.is_value_optional else value
        parts = " ".join(f"{part}s" for part in kind.parts) if len(kind.parts) < 3 else "any message"
        where = f"`{kind.only}`" if kind.only else {"responses": "answers"}.get(parts, parts)
        named = ", ".join(f"[`{code}`](findings.md#{code})" for code in kind.named)
        cells.append([f"`{kind.name}{value}`", players[kind.own], where, kind.help, named or "none"])
    return _table(["kind", "in", "on", "what happens", "named by"], cells)


def bases() -> str:
    """The variables with base URLs that the recorder replaces, and who reads them."""
    from acp_trace.model.proxy.profiles import DOCUMENTS, PLACES, VARIABLES

    rows = [[f"`{name}`", readers] for name, readers in VARIABLES.items()]
    rows += [
        [
            f"`{name}`",
            f"{reader}. Each base URL in its JSON is replaced; a replay sets only {_code(PLACES[name])}",
        ]
        for name, reader in DOCUMENTS.items()
    ]
    return _table(["variable", "read by"], rows)


def weights() -> str:
    """What divergences are about, the heaviest first."""
    from acp_trace.compare.codes import WEIGHTS

    return _table(["rank", "about"], [[str(rank), weight] for rank, weight in enumerate(WEIGHTS, 1)])


def forms() -> str:
    """The forms of logs that the tests read: where each was seen, and what is read of it."""
    import acp_trace

    tests = Path(acp_trace.__file__).parent.parent / "tests"
    lines = (tests / "formats" / "reading" / "forms.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    whole = [row for row in rows if row["holds"] and len(row["messages"]) == row["holds"]]
    table = _table(
        ["form", "seen in", "messages", "times"],
        [
            [row["form"].replace("|", "\\|"), row["source"], _read(row), _times(row)]
            for row in rows
            if row["source"]
        ],
    )
    said = f"The tests read {len(rows)} forms. In {len(whole)} of them, every message is read."
    return f"{said} These forms were seen in public:\n\n{table}"


def _read(row: dict[str, Any]) -> str:
    read, holds = len(row["messages"]), row["holds"]
    if not holds:
        return "none in it"
    return f"all {holds}" if read == holds else f"{read} of {holds}" if read else f"none of {holds}"


def _times(row: dict[str, Any]) -> str:
    if "times" not in row:
        return ""
    return "since the first" if row["times"][0] is None else "clock"


def _rank(row: DivergenceCode) -> str:
    from acp_trace.compare.codes import rank

    if row.may_fail:
        return f"{row.severity}, or {rank(row.code)}"
    return str(rank(row.code)) if row.severity == "error" else row.severity


def steps() -> str:
    """The states of a step: what they mean, and which state follows which event."""
    from acp_trace.replay.conversation.scheduler import STATES, TRANSITIONS

    rows = []
    for state, meaning in STATES.items():
        after = [f"{to}: {event}" for (before, event), to in TRANSITIONS.items() if before is state]
        rows.append([str(state), meaning, "<br>".join(after)])
    return _table(["state", "what it means", "next state, and what leads to it"], rows)


def methods() -> str:
    """The table of methods."""
    from acp_trace.protocol.methods import METHODS

    return _table(
        ["method", "handled by", "kind", "versions", "ids", "source"],
        [
            [f"`{one.name}`", one.handler, one.kind, _stages(one.stages), _code(one.ids), one.source]
            for one in METHODS
        ],
    )


def capabilities() -> str:
    """The table of capabilities."""
    from acp_trace.protocol import capabilities as table
    from acp_trace.protocol.methods import BY_NAME
    from acp_trace.protocol.updates import UPDATES

    first, second = table.METHODS[1], table.METHODS[2]
    rows = [
        [
            f"`{name}`",
            BY_NAME[name].handler,
            *(f"`{of[name]}`" if name in of else "" for of in (first, second)),
        ]
        for name in {**first, **second}
    ]
    rows += [[f"update `{one.kind}`", "client", f"`{one.announced}`", ""] for one in UPDATES if one.announced]
    return _table(["what", "announced by", "member of its capabilities", "in draft 2"], rows)


def updates() -> str:
    """The table of kinds of updates."""
    from acp_trace.protocol.updates import UPDATES

    return _table(
        ["kind", "versions", "turn", "source"],
        [
            [f"`{one.kind}`", _stages(one.stages), "turn" if one.of_turn else "", one.source]
            for one in UPDATES
        ],
    )


def stops() -> str:
    """The table of stop reasons."""
    from acp_trace.protocol.outcomes import STOP_REASONS

    rows = [[f"`{one.reason}`", _stages(one.stages), one.meaning] for one in STOP_REASONS]
    return _table(["stop reason", "versions", "meaning"], rows)


def errors() -> str:
    """The table of error codes."""
    from acp_trace.protocol.outcomes import ERROR_CODES

    rows = [[str(one.code), _stages(one.stages), one.meaning] for one in ERROR_CODES]
    return _table(["code", "versions", "meaning"], rows)


def rules() -> str:
    """The table of the rules of `redact` that have a path, those of one kind of message in a row."""
    from acp_trace.redact.rules import ANYWHERE, RULES

    rows: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for one in (*RULES, *ANYWHERE):
        above = "…" if one in ANYWHERE else ""
        rows.setdefault((one.name, one.methods, one.source), []).append(above + one.pointer)
    return _table(
        ["rule", "message", "path", "source"],
        [[name, _code(sent), _code(paths), source] for (name, sent, source), paths in rows.items()],
    )


def names() -> str:
    """The table of the names that decide about a command line, and about a URL."""
    from acp_trace.redact import secret_names

    def ends(*tables: frozenset[str]) -> list[str]:
        return [f"…{word}" for word in sorted(frozenset().union(*tables))]

    places: dict[str, secret_names.Where] = {
        "headers": "header",
        "variables": "variable",
        "options": "option",
        "parameters of URLs": "parameter",
    }
    only = [
        [
            f"{title} only",
            _code([*sorted(secret_names.NAMES_IN[where]), *ends(secret_names.ENDS_IN[where])]),
        ]
        for title, where in places.items()
    ]
    return _table(
        ["where", "names, in upper or lower case, without `-`, `_` and `.`"],
        [
            ["everywhere", _code(ends(secret_names.ENDS, secret_names.JOINED_ENDS))],
            *only,
            ["nowhere", _code(ends(secret_names.HARMLESS))],
            ["options whose value is a header", _code(sorted(secret_names.HEADER_OPTIONS))],
            ["options whose value is `USER:PASSWORD`", _code(sorted(secret_names.USER_OPTIONS))],
        ],
    )


def makers() -> str:
    """The table of the makers whose keys are known by their looks."""
    from acp_trace.redact.token_shapes import MAKERS

    rows: dict[str, list[str]] = {}
    for maker in MAKERS:
        rows.setdefault(maker.name, []).extend(maker.prefixes)
    return _table(
        ["maker", "how a key begins"],
        [[name, _code(dict.fromkeys(prefixes))] for name, prefixes in sorted(rows.items())],
    )


def tools() -> str:
    """The tools of the MCP server."""
    from acp_trace.mcp_server.table import TOOLS

    cells = [
        [f"`{tool.name}`", tool.description.partition("\n\n")[0], _code(tool.schema["properties"])]
        for tool in TOOLS
    ]
    return _table(["tool", "what it does", "arguments"], cells)


def directories() -> str:
    """The directories of the package: the first paragraph of each docstring, and what each may import."""
    from tests.docs.arrows import ALLOWED

    rows = [
        [f"`{name}`", _opening(f"{name}/__init__.py"), _code(sorted(ALLOWED[name]))]
        for name in sorted(ALLOWED)
    ]
    return _table(["directory", "what it is for", "may import"], rows)


def passage() -> str:
    """The files of `replay` that a request of the agent passes; tests/replay/test_passage.py counts them."""
    files = {
        "drive": ("player", "link", "workspace", "terminals"),
        "conversation": ("engine", "peer_state", "inbound_requests", "rewriting", "scheduler"),
    }
    paths = [f"{directory}/{name}.py" for directory, names in files.items() for name in names]
    return _table(["file", "what it has"], [[f"`{path}`", _opening(f"replay/{path}")] for path in paths])


def _opening(file: str) -> str:
    """The first paragraph of a module's docstring, as one line."""
    import ast

    import acp_trace

    source = (Path(acp_trace.__file__).parent / file).read_text("utf-8")
    return " ".join((ast.get_docstring(ast.parse(source)) or "").partition("\n\n")[0].split())


def ordered() -> str:
    """The findings that are notes if their messages came on several event streams."""
    from acp_trace.analyze.findings.stream_order import ORDERED

    return _code(sorted(ORDERED)) + "\n"


def rooms() -> str:
    """The directories with packages inside, in the order in which these may use each other."""
    from tests.docs.arrows import ROOMS

    return _table(["directory", "rooms"], [[f"`{name}`", _code(inside)] for name, inside in ROOMS.items()])


#: Page -> part -> what makes it.
PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "commands.md": {"commands": commands},
    "check.md": {"metrics": metrics},
    "filter.md": {"fields": fields},
    "store.md": {"tables": tables, "views": views},
    "findings.md": {"findings": findings},
    "conform.md": {"behaviours": behaviours, "own": own_requirements, "kit": kit_requirements},
    "evidence/logs.md": {"forms": forms},
    "model.md": {"bases": bases},
    "diff.md": {"weights": weights, "divergences": divergences},
    "systems.md": {"systems": systems},
    "../README.md": {"systems": systems},
    "drive.md": {"verbs": verbs, "profiles": profiles},
    "replay.md": {"settings": settings, "steps": steps, "runs": runs},
    "faults.md": {"kinds": kinds, "agents": agents},
    "evidence/replay-matrix.md": {
        "faults": matrix.faults,
        "variations": matrix.variations,
        "waits": matrix.waits,
    },
    "evidence/ten-million.md": {part: partial(reckoning.table, part) for part in ("size", "work", "cost")},
    "report.md": {part: partial(report_keys.table, part) for part in report_keys.PARTS},
    "redact.md": {"rules": rules, "names": names, "makers": makers},
    "mcp.md": {"tools": tools},
    "transports.md": {"ordered": ordered},
    "architecture.md": {"directories": directories, "rooms": rooms, "passage": passage},
    "protocol.md": {
        "methods": methods,
        "capabilities": capabilities,
        "updates": updates,
        "stops": stops,
        "errors": errors,
    },
}


def fresh(page: str, text: str) -> str:
    """The page as it should be. Raises KeyError where it lacks a part, or has one that nobody makes."""
    makers = dict(PARTS[page])
    new = _PART.sub(lambda found: f"{found[1]}\n{makers.pop(found[2])()}\n{found[3]}", text)
    if makers:
        raise KeyError(f"no markers for {', '.join(makers)}")
    return new


def main(argv: list[str]) -> int:
    """Writes, or checks, every page; 1 where `--check` finds a stale one."""
    parser = argparse.ArgumentParser(description="Writes the generated parts of docs/*.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a page is stale")
    check = parser.parse_args(argv).check
    sys.path.insert(0, str(DOCS.parent))  # the code beside these pages, not an installed older one
    from acp_trace.report import page as of_page

    scripts = Path(of_page.__file__).parent / "assets" / "scripts"
    stale = 0
    for path in (*map(DOCS.joinpath, PARTS), scripts / script_types.FILE):
        old = path.read_text("utf-8")
        is_page = path.is_relative_to(DOCS)
        name = path.relative_to(DOCS).as_posix() if is_page else path.name
        new = fresh(name, old) if is_page else script_types.declarations()
        if new == old:
            continue
        name = f"docs/{name}".removeprefix("docs/../") if is_page else name
        if check:
            stale += 1
            print(f"{name} is stale: run `python docs/generate.py`", file=sys.stderr)
        else:
            path.write_text(new, "utf-8")
            print(f"{name} is written again")
    return 1 if stale else 0


def _help(*command: str) -> str:
    """What `--help` prints to a terminal of 80 columns that has no colour."""
    from acp_trace.cli.app import app

    os.environ |= {"COLUMNS": str(COLUMNS), "NO_COLOR": "1"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        app([*command, "--help"], prog_name="acp-trace", standalone_mode=False)
    return printed.getvalue().rstrip()


def _columns(name: str, doc: str, columns: Iterable[SqlColumn]) -> str:
    head = f"### {name}\n\n{doc}.\n\n| column | type | what it holds |\n|---|---|---|\n"
    return head + "".join(f"| `{one.name}` | {one.type} | {_cell(one.doc)} |\n" for one in columns)


def _stages(stages: frozenset[str]) -> str:
    from acp_trace.protocol.methods import STAGES

    return ", ".join(name for stage, name in STAGES.items() if stage in stages)


def _code(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
