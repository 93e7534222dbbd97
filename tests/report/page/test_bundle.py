"""Modules joined into one script."""

import pytest

from acp_trace.report.page.bundle import UnfitModule, bundle
from acp_trace.report.page.html import _script


def test_modules_stand_in_the_order_of_their_imports() -> None:
    """In one scope; but a module with a name that another one has becomes a function, which gives what it exports."""
    script = bundle(
        {
            "main.js": 'import { twice } from "./lib/twice.js";\nimport { own } from "./own.js";\n\ntwice(/** @type {any} */ (own));\n',
            "lib/twice.js": "// Why.\n\nconst own = f();\n/** @param {number} value\n * @returns {number} */\nexport function twice(value) {\n  return own * value;\n}\n",
            "own.js": "export const own = 1;\n",
        },
        "main.js",
    )
    assert script == (
        "const { twice } = (() => {\nconst own = f();\nfunction twice(value) {\nreturn own * value;\n}\nreturn { twice };\n})();\n"
        "const own = 1;\n"
        "twice((own));\n"
    )


def test_comments_and_indentation_are_left_out() -> None:
    """Those that have their lines to themselves, and types; what only looks like one stays."""
    source = '/**\n * Why.\n */\n\nexport const a = "// no /* comment */"; // as it is\n  // Why.\n  /** @type {any} */ (b).c = 1;\n'
    assert bundle({"main.js": source}, "main.js") == (
        'const a = "// no /* comment */"; // as it is\n(b).c = 1;\n'
    )


@pytest.mark.parametrize(
    ("modules", "problem"),
    [
        ({"main.js": 'import { a } from "./a.js";\n'}, "main.js imports a.js, which is not there"),
        ({"main.js": 'import a from "./a.js";\n', "a.js": ""}, "main.js cannot be joined: import a from"),
        ({"main.js": "export default 1;\n"}, "main.js cannot be joined: export default 1;"),
        (
            {"main.js": 'import { a } from "./a.js";\n', "a.js": 'import { m } from "./main.js";\n'},
            "modules import each other: main.js -> a.js -> main.js",
        ),
        (
            {
                "main.js": 'import { a } from "./a.js";\nexport function b() {}\n',
                "a.js": "export const a = 1;\nexport const b = 1;\n",
            },
            "a.js and main.js both export b",
        ),
    ],
)
def test_modules_that_cannot_be_joined_are_refused(modules: dict[str, str], problem: str) -> None:
    """The message says which, and why."""
    with pytest.raises(UnfitModule, match=problem):
        bundle(modules, "main.js")


def test_the_script_is_small_and_ends_no_element() -> None:
    """At most 190 kB, nothing that HTML would take for its end, and no text over several lines."""
    assert len(_script().encode()) <= 190_000
    assert "</script" not in _script().lower()
    assert "<!--" not in _script()
    assert all(line.count("`") % 2 == 0 for line in _script().splitlines())
    assert not any(
        word in _script()
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "new Function")
    )
