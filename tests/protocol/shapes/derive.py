"""`just shapes`: python tests/protocol/shapes/derive.py [--schema DIR] [--check].

Derives the tables in `acp_trace/protocol/shapes` from the official schema in the newest npm package
`@agentclientprotocol/sdk`: names, types and ranges alone, none of its texts. `--check` writes nothing, and
prints what is new there, and which methods and updates of the Python package `agent-client-protocol` our tables
do not have.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from acp_trace.protocol import methods, updates

_PACKAGE, _PYTHON = "@agentclientprotocol/sdk", "agent-client-protocol"
#: Where the Python package names things: its modules, a method, a kind of update.
_NAMING = re.compile(r"acp/(?:.*/)?(?:meta|schema)\.py$")
_METHOD = re.compile(r'"[a-z_]+": "([^"/]+/[^"]+)"')
_KIND = re.compile(r'session_update: Annotated\[\s*Literal\["([a-z_]+)"\]')
_TABLES = Path(__file__).parents[3] / "acp_trace" / "protocol" / "shapes"
_WIDTH = 108
#: How integers are called, by their format; `minimum` and `maximum` say the same where the schema has them.
_FORMATS = {"uint16": "u16", "uint32": "u32", "uint64": "u64", "int32": "i32", "int64": "i64"}
_SCALARS = {"string": "s", "number": "n", "boolean": "b", "null": "null"}
#: Definitions that are no shape of a payload: envelopes, and what an extension may be.
_ENVELOPES = {"AgentRequest", "AgentResponse", "AgentNotification", "ClientRequest", "ClientResponse",
              "ClientNotification", "ExtRequest", "ExtResponse", "ExtNotification", "ProtocolLevelNotification"}  # fmt: skip


class Deriver:
    """The definitions of one schema as lines."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._definitions = schema["$defs"]
        self._used: list[str] = []

    def lines(self) -> Iterator[str]:
        """First the methods, then every shape that one of them needs, by name."""
        methods: dict[tuple[str, str], dict[str, str]] = {}
        for name, definition in self._definitions.items():
            if "x-method" in definition:
                part = next(part for part in ("Request", "Response", "Notification") if name.endswith(part))
                methods.setdefault((definition["x-method"], definition["x-side"]), {})[part] = name
        for (method, side), names in sorted(methods.items()):
            shapes = " ".join(f"{part.lower()}={name}" for part, name in sorted(names.items()))
            yield f"@ {method} {side} {shapes}"
            self._used += names.values()
        self._used.append("Error")
        done: dict[str, str] = {}
        while self._used:
            name = self._used.pop()
            if name not in done:
                done[name] = self._line(self._definitions[name])
        yield from (f"{name} {line}" for name, line in sorted(done.items()))

    def _line(self, of: dict[str, Any]) -> str:
        """A definition: an object with its members, and what else must fit."""
        parts = []
        if "properties" in of or of.get("type") == "object":
            members = (self._member(of, name) for name in of.get("properties", {}) if name != "_meta")
            parts.append(f"{{{' '.join(members)}}}")
        parts += [self._union(of[key]) for key in ("oneOf", "anyOf") if key in of]
        if "allOf" in of and not parts:
            return self._type(of)
        return " ".join(parts) or self._type(of)

    def _member(self, of: dict[str, Any], name: str) -> str:
        value = of["properties"][name]
        flags = "!" if name in of.get("required", ()) else ""
        flags += "~" if value.get("x-deserialize-default-on-error") else ""
        flags += "^" if value.get("x-deserialize-default-on-null") else ""
        type_ = self._type(value)
        return f"{name}{flags}" if type_ == "any" else f"{name}{flags}:{type_}"

    def _type(self, of: dict[str, Any]) -> str:
        if "$ref" in of:
            return self._named(of["$ref"])
        if "allOf" in of:
            (only,) = of["allOf"]
            return self._type(only)
        for key in ("oneOf", "anyOf"):
            if key in of:
                return self._union(of[key])
        if "const" in of:
            return f"<{json.dumps(of['const'])}>" if not isinstance(of["const"], str) else f"<{of['const']}>"
        types = of.get("type")
        if types is None:
            return "any"
        types = [types] if isinstance(types, str) else types
        made = [self._plain(type_, of) for type_ in types if type_ != "null"]
        text = made[0] if len(made) == 1 else f"({' / '.join(made)})"
        return f"{text}?" if "null" in types else text

    def _plain(self, type_: str, of: dict[str, Any]) -> str:
        if type_ == "integer":
            return _FORMATS.get(of.get("format", ""), "i")
        if type_ == "number" and ("minimum" in of or "maximum" in of):
            return f"n({of.get('minimum')},{of.get('maximum')})"
        if type_ == "array":
            least = f"({of['minItems']})" if "minItems" in of else ""
            skip = "~" if of.get("x-deserialize-skip-invalid-items") else ""
            return f"[{self._type(of['items'])}]{least}{skip}"
        if type_ == "object":
            values = of.get("additionalProperties")
            if "properties" in of:
                return self._line(of)
            return f"{{*:{self._type(values)}}}" if isinstance(values, dict) and values else "o"
        if type_ == "string" and "minLength" in of:
            return f"s({of['minLength']})"
        return _SCALARS[type_]

    def _named(self, ref: str) -> str:
        name = ref.rpartition("/")[2]
        definition = self._definitions[name]
        if set(definition) <= {"description", "type", "format", "minimum", "maximum", "title", "minLength"}:
            return self._type(definition)  # an id: a string by another name
        self._used.append(name)
        return name

    def _union(self, forms: list[dict[str, Any]]) -> str:
        nullable = [form for form in forms if form.get("type") == "null"]
        forms = [form for form in forms if form.get("type") != "null"]
        suffix = "?" if nullable else ""
        if len(forms) == 1:
            return self._type(forms[0]) + suffix
        if all(
            "const" in form or set(form) <= {"type", "description", "title", "format"} for form in forms
        ) and any("const" in form for form in forms):
            words = [form.get("const", "*") for form in forms]
            return f"<{' '.join(map(str, words))}>{suffix}"
        tag = next(filter(None, map(tag_of, forms)), None)
        if tag is None:
            return f"({' / '.join(map(self._type, forms))}){suffix}"
        return f"{tag}({' '.join(self._case(form, tag) for form in forms)}){suffix}"

    def _case(self, form: dict[str, Any], tag: str) -> str:
        """One form of a union: a value of its tag; any other value (`*`); or no tag at all (`_`)."""
        own = {
            name: value for name, value in form.get("properties", {}).items() if name not in (tag, "_meta")
        }
        parts = (
            [f"{{{' '.join(self._member({**form, 'properties': own}, name) for name in own)}}}"]
            if own
            else []
        )
        if tag_of(form) == tag:
            parts += [self._type(form)] if "allOf" in form else []
            value = form["properties"][tag]["const"]
        elif form.get("properties", {}).get(tag, {}).get("type") == "null":
            return "_"
        elif "not" in form and tag in form["properties"]:
            parts += [self._union(form[key]) for key in ("oneOf", "anyOf") if key in form]
            value = "*"
        else:
            return f"_={self._type(form)}"
        return f"{value}={' '.join(parts)}" if parts else str(value)


def tag_of(form: dict[str, Any]) -> str | None:
    """The member that says which form of a union a value has."""
    return next((name for name, value in form.get("properties", {}).items() if "const" in value), None)


def modules(schemas: dict[int, dict[str, Any]], source: str) -> dict[str, str]:
    """The modules by their names. What both versions have in common stands once."""
    lines = {version: list(Deriver(schema).lines()) for version, schema in schemas.items()}
    common = set.intersection(*map(set, lines.values()))
    made = {"both_versions": _module("of both versions", [one for one in lines[1] if one in common], source)}
    for version, each in lines.items():
        own = [one for one in each if one not in common]
        made[f"version_{version}"] = _module(f"of version {version} alone", own, source)
    return made


def _module(which: str, lines: list[str], source: str) -> str:
    wrapped = (
        textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        for line in lines
    )
    return (
        f'"""The shapes {which}, stable and unstable, in the form of `grammar`.\n\n'
        f'Derived from {source} by `just shapes`: not to be edited.\n"""\n\n'
        'from __future__ import annotations\n\nTABLE = """\n' + "\n".join(wrapped) + '\n"""\n'
    )


def main(argv: list[str]) -> int:
    """Writes the tables, or says what is new."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schema", metavar="DIR", type=Path, help="the unpacked package; else the newest")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(argv)
    if asked.schema is not None and not (asked.schema / "schema").is_dir():
        parser.error(f"{asked.schema} is not the unpacked package {_PACKAGE}: it has no folder schema")
    with tempfile.TemporaryDirectory() as scratch:
        package = asked.schema or fetched(Path(scratch))
        source = f"{_PACKAGE} {json.loads((package / 'package.json').read_bytes())['version']}"
        schemas = {
            version: json.loads((package / "schema" / f"v{version}" / "schema.unstable.json").read_bytes())
            for version in (1, 2)
        }
        if asked.check:
            print(*_unknown_in_python(Path(scratch)), sep="\n")
    for name, made in modules(schemas, source).items():
        path = _TABLES / f"{name}.py"
        if asked.check:
            sys.stdout.writelines(_news(path.read_text(), made))
        else:
            path.write_text(made)
    return 0


def fetched(scratch: Path) -> Path:
    """The newest package, unpacked. Ends with one line if it cannot be had."""
    if shutil.which("npm") is None:
        raise SystemExit(
            "npm is needed to fetch the schema: install Node.js, or name a package with --schema"
        )
    subprocess.run(["npm", "pack", "--silent", _PACKAGE], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    (archive,) = scratch.glob("*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(scratch, filter="data")
    return scratch / "package"


def _unknown_in_python(scratch: Path) -> Iterator[str]:
    """Methods and updates of the newest Python package, also of one before its release, that we do not know."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--pre",
        "--no-deps",
        "-d",
        str(scratch),
        _PYTHON,
    ]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        yield f"{_PYTHON} cannot be had: nothing is said about it"
        return
    (wheel,) = scratch.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        texts = [packed.read(name).decode() for name in packed.namelist() if _NAMING.search(name)]
    said = "\n".join(texts)
    known = {*methods.BY_NAME, *updates.BY_KIND}
    unknown = {*_METHOD.findall(said), *_KIND.findall(said)} - known
    yield f"{wheel.name}: " + (
        f"not in our tables: {', '.join(sorted(unknown))}" if unknown else "nothing is new"
    )


def _news(before: str, after: str) -> Iterable[str]:
    was, now = (text.splitlines(keepends=True) for text in (before, after))
    return difflib.unified_diff(was, now, "these tables", "the newest package", n=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
