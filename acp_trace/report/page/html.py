"""Script, styles and parts -> one HTML file, piece by piece. Nothing is loaded, and nothing can be.

The file says by its content security policy that only its own script and styles count, by their digests: what
a trace holds is data. The page that a server sends is the same, without parts, which it asks its server for.
"""

from __future__ import annotations

import base64
import hashlib
import html
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from acp_trace.report.page.bundle import bundle
from acp_trace.report.page.parts import Part

#: Scripts to begin with: of pages with traces, and of the list of all.
PAGE, LIST = "main.js", "list_main.js"


def packed(data: bytes) -> bytes:
    """Bytes as the page reads them: in the zlib format, which `DecompressionStream("deflate")` takes."""
    return zlib.compress(data, 6)


def file(title: str, parts: Iterable[Part]) -> Iterator[bytes]:
    """The page as one self-contained file."""
    yield _shell(title, PAGE, served=False)
    for part in parts:
        name = html.escape(part.name)
        yield f'<script type="application/octet-stream" id="part:{name}">'.encode()
        yield base64.b64encode(part.data if part.is_packed else packed(part.data))
        yield b"</script>\n"
    yield b"</body>\n</html>\n"


def served(title: str, main: str = PAGE) -> bytes:
    """The page without parts, which it then asks its server for. `main`: PAGE or LIST."""
    return _shell(title, main, served=True) + b"</body>\n</html>\n"


def still(title: str, body: str) -> bytes:
    """A page that runs no script, as one file. `body`: HTML, in which every text is escaped."""
    policy = f"default-src 'none'; style-src '{_digest(_style())}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_style()}</style>\n</head>\n"
        f"<body>{body}</body>\n</html>\n"
    ).encode("utf-8", "backslashreplace")


def policy(main: str = PAGE, *, served: bool) -> str:
    """The content security policy of the page."""
    script, style = _script(main), _style()
    asks = "connect-src 'self'; " if served else ""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; {asks}"
        "base-uri 'none'; form-action 'none'"
    )


def _shell(title: str, main: str, *, served: bool) -> bytes:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(main, served=served)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_style()}</style>\n</head>\n"
        f'<body data-source="{"served" if served else "embedded"}">\n'
        "<noscript>This page needs JavaScript. `acp-trace show` prints the same.</noscript>\n"
        f'<div id="page"></div>\n<script type="module" async>{_script(main)}</script>\n'
    ).encode("utf-8", "backslashreplace")


@cache
def _script(main: str = PAGE) -> str:
    modules = dict(_texts(files("acp_trace.report.page") / "assets" / "scripts", ".js"))
    return bundle(modules, main)


@cache
def _style() -> str:
    return "\n".join(
        text for _, text in sorted(_texts(files("acp_trace.report.page") / "assets" / "styles", ".css"))
    )


def _texts(directory: Traversable, ending: str, above: str = "") -> Iterator[tuple[str, str]]:
    for each in directory.iterdir():
        if each.is_dir():
            yield from _texts(each, ending, f"{above}{each.name}/")
        elif each.name.endswith(ending):
            yield above + each.name, each.read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
