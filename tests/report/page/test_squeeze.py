"""Scripts without what only people need."""

import pytest

from acp_trace.report.page.squeeze import squeezed


@pytest.mark.parametrize(
    ("source", "left"),
    [
        (
            "// Why.\nconst a = 1;  // don't\n\n  /** @type {any} */ (a).b = 'x  //  y';\n",
            "let a=1;(a).b='x  //  y';",
        ),
        ("return a + +b - --c;\nx()\ny()\n", "return a+ +b- --c;x()\ny()"),
        ('const q = /[/"`] \\/ "/g, r = a / b / c;\n', 'let q=/[/"`] \\/ "/g,r=a/b/c;'),
        ("f(`a  ${ g({ b: `c  }` }) }  d`, 1);\n", "f(`a  ${g({b:`c  }`})}  d`,1);"),
        (
            "class A {\n  b() { c(); }\n\n  get d() { return 1; }\n}\nf();\n",
            "class A{b(){c()}get d(){return 1}}f();",
        ),
        ("call({\n  a,\n  b: [1, 2],\n})\nnext", "call({a,b:[1,2]})\nnext"),
        (
            "const a = 1;\nlet b = 2, c;\nif (a) {\n  d();\n}\nconst e = 3;\n",
            "let a=1,b=2,c;if(a){d()}let e=3;",
        ),
        (
            "let a = 1;\nfor (let b = 0; b < a; b++) {\n  const c = b;\n}\n",
            "let a=1;for(let b=0;b<a;b++){let c=b}",
        ),
        (
            "f(async (a) => g(a), (b) => b, (c, d) => c, ({ e }) => e);",
            "f(async a=>g(a),b=>b,(c,d)=>c,({e})=>e);",
        ),
        ("const a = /** @type {any} */ (b ?? c), d = (1, 2);", "let a=b??c,d=(1,2);"),
        ("x = a === (b || c);\ny = (d) + 1;\nf((g, h), [(i)]);", "x=a===(b||c);y=(d)+1;f((g,h),[i]);"),
        (
            "const MOST = 20;\nconst STEP = 1 << 16;\nf(MOST, `${STEP + 1}`, this.MOST2);\n",
            "f(20,`${65536+1}`,this.MOST2);",
        ),
        ("const isOpen = x !== undefined || true;\nreturn false;", "let isOpen=x!==void 0||!0;return!1;"),
        ("class A {\n  #b() { this.#c(`${a.#b()}`); }\n}\n", "class A{#p0(){this.#p1(`${a.#p0()}`)}}"),
        ("f(Math.max(1, `${Math.min(a, b.Math)}`));", "f($max(1,`${$min(a,b.Math)}`));"),
        ("const a = b\n  .map((c) =>\n    d)\n  ? 1 : 2;\n", "let a=b.map(c=>d)?1:2;"),
    ],
)
def test_what_is_left_does_the_same(source: str, left: str) -> None:
    """Strings, templates and regular expressions stay, and the ends of lines on which something may depend."""
    assert squeezed(source) == left


def test_a_number_that_others_import_keeps_its_name() -> None:
    """What a module exports is asked for by its name."""
    assert squeezed("const MOST = 20;\n", ["MOST"]) == "let MOST=20;"
