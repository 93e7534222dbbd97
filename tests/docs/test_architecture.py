"""docs/architecture.md holds in the code: arrows point one way, and the recorder starts light."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from acp_trace.cli.app import ALIASES, COMMANDS, TEAM, _function
from tests.docs.arrows import ALLOWED, ROOMS
from tests.rows import each
from tests.support import REPOSITORY

ROOT = "acp_trace"
PACKAGE = REPOSITORY / ROOT

HEAVY = {"duckdb", "rich", "watchfiles", "pydantic"}


class Import(NamedTuple):
    """One import: the module's whole name, and when it happens."""

    name: str
    at_start: bool  #: when the importing module is imported, not later in a function
    typing_only: bool


def name_of(path: Path) -> str:
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


#: A test whose body does not begin with a docstring. To parse all tests would take two seconds.
_SILENT = re.compile(
    r'^ *(?:async )?def (test_\w+)\((?:[^()]|\([^()]*\))*\)(?: -> [^:\n]+)?:\n(?! *r?""")', re.MULTILINE
)


class Module(NamedTuple):
    """What the tests look at in one of our modules."""

    docstring: str | None
    imports: tuple[Import, ...]
    public_classes: tuple[str, ...]


@cache
def module(name: str) -> Module:
    """One of our modules. Each is parsed once: many tests look at all of them."""
    tree = ast.parse(MODULES[name].read_text("utf-8"))
    classes = (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return Module(
        ast.get_docstring(tree),
        tuple(imports(tree)),
        tuple(name for name in classes if not name.startswith("_")),
    )


def imports(tree: ast.Module) -> Iterator[Import]:
    """Every import of a module."""
    yield from _imports(tree.body, at_start=True, typing_only=False)


def _imports(nodes: Iterable[ast.AST], *, at_start: bool, typing_only: bool) -> Iterator[Import]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, at_start, typing_only) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are written out in full here"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield Import(whole if whole in MODULES else node.module or "", at_start, typing_only)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from _imports(node.body, at_start=at_start, typing_only=True)
            yield from _imports(node.orelse, at_start=at_start, typing_only=typing_only)
        elif not isinstance(node, ast.expr):  # no expression has a statement in it
            inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            children = ast.iter_child_nodes(node)
            yield from _imports(children, at_start=at_start and not inside, typing_only=typing_only)


def reached(starts: Iterable[str], *, at_start_only: bool, without: Iterable[str] = ()) -> set[str]:
    """These modules, their packages, what they import, and what of this package that imports in turn."""
    seen = set(without)
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name not in MODULES:
            continue
        waiting += [name.rpartition(".")[0]] if "." in name else []
        for one in module(name).imports:
            later = not (at_start_only or name == ROOT)  # what `open_trace` imports is for its callers
            if not one.typing_only and (one.at_start or later):
                waiting.append(one.name)
    return seen


def test_the_reader_of_imports_sees_all_kinds() -> None:
    """At the start, in a function, in a class, in `try`, for types only."""
    source = (
        "import json\nfrom acp_trace.trace import encode\n"
        "if TYPE_CHECKING:\n    import rich\nelse:\n    import a\n"
        "class X:\n    import b\n    def f(self):\n        from duckdb import c\n"
        "try:\n    import d\nfinally:\n    pass\n"
    )
    assert list(imports(ast.parse(source))) == [
        Import("json", at_start=True, typing_only=False),
        Import("acp_trace.trace.encode", at_start=True, typing_only=False),
        Import("rich", at_start=True, typing_only=True),
        Import("a", at_start=True, typing_only=False),
        Import("b", at_start=True, typing_only=False),
        Import("duckdb", at_start=False, typing_only=False),
        Import("d", at_start=True, typing_only=False),
    ]


def test_every_folder_has_its_rule() -> None:
    """A new folder needs a row in both tables."""
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()} == set(ALLOWED)


def test_arrows_point_one_way() -> None:
    """A module imports its own folder and those that the table allows, for types too."""
    wrong = []
    for name in (name for name in MODULES if name != ROOT):
        folder = name.split(".")[1]
        if folder == "__main__":
            folder = "cli"
        for one in module(name).imports:
            root, _, rest = one.name.partition(".")
            if root == ROOT and rest and rest.split(".")[0] not in {folder, *ALLOWED[folder]}:
                wrong.append(f"{name} imports {one.name}")
    assert wrong == []


def test_the_core_names_the_code_of_a_team_at_its_door_alone() -> None:
    """By import, as the table of arrows has it; and by the texts that modules are imported by."""
    core = {name: path for name, path in MODULES.items() if not name.startswith("acp_trace.team")}
    naming = {
        name for name, path in core.items() if re.search(r"acp_trace[.]team\b", path.read_text("utf-8"))
    }
    assert naming == {"acp_trace.places", "acp_trace.places.door"}


@pytest.mark.parametrize("folder", ROOMS)
def test_rooms_use_those_before_them(folder: str) -> None:
    """Whoever changes a room knows which ones may notice."""
    rooms = ROOMS[folder]
    assert {path.name for path in (PACKAGE / folder).iterdir() if (path / "__init__.py").exists()} == set(
        rooms
    )
    for at, room in enumerate(rooms):
        start = f"{ROOT}.{folder}."
        for name in (name for name in MODULES if name.startswith(f"{start}{room}.")):
            used = (one.name.removeprefix(start).split(".")[0] for one in module(name).imports)
            assert not set(used) & set(rooms[at + 1 :]), name


def test_an_opening_names_what_is_there() -> None:
    """Whoever reads the first lines of a package finds what they name, and everything is named."""

    def check(init: Path) -> None:
        opening = ast.get_docstring(ast.parse(init.read_text("utf-8"))) or ""
        heads = re.findall(r"^- ((?:`\w+/?`(?:, )?)+)", opening, re.MULTILINE)
        entries = set(init.parent.iterdir()) - {init, init.with_name("__main__.py")}
        there = {path.stem for path in entries if path.suffix == ".py" or (path / init.name).exists()}
        assert set(re.findall(r"\w+", " ".join(heads))) <= there
        assert there <= set(re.findall(r"`(\w+)/?`", opening))

    each(
        sorted(PACKAGE.glob("*/**/__init__.py")),
        check,
        lambda path: path.parent.relative_to(PACKAGE).as_posix(),
    )


#: Who has the text of a terminal to show, or takes words from it that are not in `report.statements` yet.
TEXT_ELSEWHERE = {
    "api.replay_run",
    "api.trace_diff",
    "mcp_server.reports",
    "plugin.recording",
    "report.ci.comparison_junit",
    "report.page.model_side",
}


def test_what_is_shared_is_no_text_of_a_terminal() -> None:
    """The page, CI, notebooks and MCP render `report.statements`, and so does `report.text`."""
    text = f"{ROOT}.report.text"
    using = {
        name.removeprefix(f"{ROOT}.")
        for name in MODULES
        if any(one.name == text or one.name.startswith(f"{text}.") for one in module(name).imports)
    }
    others = {name for name in using if not name.startswith(("cli.", "report.text", "team.commands."))}
    assert others == TEXT_ELSEWHERE


def test_a_public_class_name_is_one_class() -> None:
    """Whoever reads `Turn` in a message or a type knows which one: no two modules have a class of that name."""
    modules: dict[str, list[str]] = {}
    for name in MODULES:
        for class_name in module(name).public_classes:
            modules.setdefault(class_name, []).append(name)
    # What is read from the model's side keeps everything; its fact is the row in the store and the report.
    modules.pop("ModelCall")
    assert {name: homes for name, homes in modules.items() if len(homes) > 1} == {}


def test_no_modules_import_each_other() -> None:
    """No circles, for types and in functions neither: each module can be read before those that use it."""
    graph = {
        name: {one.name for one in module(name).imports if one.name in MODULES} - {ROOT, name}
        for name, path in MODULES.items()
        if path.name != "__init__.py"
    }
    order: list[str] = []
    while ready := [name for name, used in graph.items() if not used - set(order) & graph.keys()]:
        order += ready
        for name in ready:
            del graph[name]
    assert not graph, "these are in circles, or use what is"


def test_the_root_imports_nothing() -> None:
    """Everyone may import `acp_trace` itself, because that costs nothing until `open_trace` is called."""
    at_start = [one for one in module(ROOT).imports if one.at_start and not one.typing_only]
    assert [one.name for one in at_start] == ["__future__"]


def test_the_recorder_is_light() -> None:
    """`record` and all that it imports, in functions too, keep away from the heavy libraries."""
    found = reached([name for name in MODULES if name.startswith("acp_trace.record")], at_start_only=False)
    assert "acp_trace.trace.encode" in found
    assert {name.partition(".")[0] for name in found} & HEAVY == set()


def test_the_recorder_decodes_nothing_while_traffic_flows() -> None:
    """Only `finish` and `late_cuts` do, when it is over: before, no JSON is read, and nothing slow is imported."""
    late = {"acp_trace.record.finish", "acp_trace.record.late_cuts"}
    on_windows = {"acp_trace.system.processes"}
    while_it_flows = reached(["acp_trace.record.recorder"], at_start_only=False, without=late | on_windows)
    assert {"acp_trace.record.sink", "acp_trace.trace.capture_layout"} <= while_it_flows
    slow = {"json", "msgspec", "pathlib", "dataclasses", "typing", "re", "base64"}
    assert while_it_flows & (slow | {"acp_trace.trace.encode", "acp_trace.trace.capture_lines"}) == set()
    assert "msgspec" in reached(late, at_start_only=False)


def test_only_the_proxy_and_its_parsers_need_the_extra() -> None:
    """What reads a trace with a model in it needs nothing that is not installed always."""
    extra = {"cryptography", "h11", "hpack", "hyperframe", "wsproto"}
    needing = {
        name for name in MODULES if extra & {one.name.partition(".")[0] for one in module(name).imports}
    }
    rooms = ("acp_trace.model.wire.", "acp_trace.model.proxy.")
    assert needing
    assert all(name.startswith(rooms) for name in needing)
    free = ["acp_trace.model.exchange", "acp_trace.model.proxy.settings", "acp_trace.redact.redactor"]
    used = {name.partition(".")[0] for name in reached(free, at_start_only=False)}
    assert used & extra == set()


def test_the_commands_start_light() -> None:
    """What a command imports before it has read its options is typer, its settings and tables, never the engine."""
    one = reached(["acp_trace.__main__", "acp_trace.cli.app"], at_start_only=True)
    commands = {
        _function(name).__module__
        for heading in (*COMMANDS.values(), *TEAM.values(), ALIASES)
        for name in heading
    }
    assert one & commands == set()
    found = reached(sorted(one | commands), at_start_only=True)
    assert {name.partition(".")[0] for name in found} & HEAVY == set()
    ours = {name.removeprefix("acp_trace.") for name in found if name.startswith("acp_trace.")}
    settings = {"compare", "compare.codes", "replay", "replay.declared"}  #: tables, of which options are made
    assert {name for name in ours if not name.startswith(("__main__", "cli", "team"))} == settings


def test_the_screens_need_no_shapes_of_the_document() -> None:
    """Those of the JSON document are many classes: to make them takes 13 ms, in each command that reports."""
    screens = [name for name in MODULES if name.startswith("acp_trace.report.text.")]
    found = reached(screens, at_start_only=True)
    assert "acp_trace.report.grouping" in found
    assert {
        name for name in found if name.startswith(("acp_trace.report.model", "acp_trace.report.json"))
    } == set()


def test_calls_of_a_model_are_read_only_where_there_are_some() -> None:
    """Reading them takes 50 ms of a start; most traces have no model's side."""
    found = reached(["acp_trace.analyze.analyzer", "acp_trace.store.load"], at_start_only=True)
    assert "acp_trace.analyze.session_facts" in found
    assert [name for name in found if name.startswith("acp_trace.model")] == []


def test_the_start_imports_nothing_of_ours() -> None:
    """Before it is known whether there is anything to parse (`cli/start.py`)."""
    ours = {name for name in reached(["acp_trace.__main__"], at_start_only=True) if name.startswith("acp_")}
    assert ours == {"acp_trace", "acp_trace.__main__", "acp_trace.cli", "acp_trace.cli.start"}


def test_every_module_says_what_lives_there() -> None:
    """The first thing in a module is its docstring."""
    assert [name for name in MODULES if not module(name).docstring] == []


def test_every_test_says_what_it_holds() -> None:
    """A test's docstring is the sentence that is false when it fails."""
    silent = [
        f"{path.name}: {found[1]}"
        for path in sorted((REPOSITORY / "tests").rglob("test_*.py"))
        for found in _SILENT.finditer(path.read_text("utf-8"))
    ]
    assert silent == []
    assert _SILENT.search("def test_it(a: list[int]) -> None:\n    assert a\n")
