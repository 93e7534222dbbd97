"""`acp-trace docs`: the documentation, in the terminal or in a browser."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from acp_trace.cli import common, completion
from acp_trace.cli.errors import UNREADABLE, USAGE, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.manual.index import Topic

#: How many pages a question lists.
_MOST = 5


def docs(
    topic: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TOPIC",
            help="A page, such as `replay`, or one section of it, such as `replay#limitations`; or words "
            "to search for. Without it, all pages are listed.",
            autocompletion=completion.topics,
        ),
    ] = None,
    web: Annotated[
        bool, typer.Option("--web", help="Open the page in a browser, on the site of this version.")
    ] = False,
    json: common.Json = False,
) -> None:
    """Print a page of the documentation, or find one.

    In a terminal a page is formatted and goes through a pager; in a pipe it is the Markdown of its file. If
    no page is called TOPIC, lists the pages that fit its words best, as in `acp-trace docs 'replay passes
    here and fails in CI'`. The pages are part of the installation, so only --web needs a network.
    """
    from acp_trace.manual import files, index

    place = files.directory()
    if place is None:
        fail("this installation has no pages: install acp-trace again, from a wheel", UNREADABLE)
    topics = index.of_docs(files.text(place, files.INDEX))
    words = " ".join(topic or ())
    name, _, anchor = words.partition("#") if " " not in words else (words, "", "")
    page = index.named(name, topics)
    text = "" if page is None else files.text(place, page.path)
    section = _section(page, text, anchor) if page and anchor else text
    if web:
        if words and page is None:
            _unknown(words, topics)
        _open(page.path if page else files.INDEX, anchor)
    elif page is not None:
        _print_page(page, section, json=json)
    elif words:
        pages = [(one, files.text(place, one.path)) for one in topics]
        _print_matches(words, pages, json=json)
    elif json:
        common.print_json([_row(one) for one in topics])
    else:
        _print_topics(topics)


def _section(page: Topic, text: str, anchor: str) -> str:
    from acp_trace.manual import headings
    from acp_trace.trace.near_misses import suggestion

    found = headings.section(text, anchor)
    if found is None:
        known = [headings.slug(part.heading) for part in headings.parts(text) if part.level]
        raise Misuse(f"the page {page.name} has no section `{anchor}`{suggestion(anchor, known)}")
    return found


def _print_page(page: Topic, text: str, *, json: bool) -> None:
    if json:
        common.print_json([{**_row(page), "text": text}])
    elif not sys.stdout.isatty():
        common.write(text.encode())
    else:
        from rich.markdown import Markdown

        with common.paged() as out:
            out.print(Markdown(text, hyperlinks=False))


def _print_matches(words: str, pages: Sequence[tuple[Topic, str]], *, json: bool) -> None:
    from acp_trace.manual.search import search

    found = search(words, pages, most=_MOST)
    if not found:
        _unknown(words, [topic for topic, _ in pages])
    if json:
        common.print_json(
            [{**_row(one.topic), "heading": one.heading, "anchor": one.anchor} for one in found]
        )
        return
    rows = [(one.topic.name, one.heading) for one in found]
    _print_rows(rows)
    print(f"\nTo read the first one: acp-trace docs {found[0].name}")


def _print_topics(topics: Sequence[Topic]) -> None:
    from itertools import groupby

    out = common.console()
    width = max(len(one.name) for one in topics)
    for section, inside in groupby(topics, key=lambda one: one.section):
        out.print(section, style="bold")
        _print_rows([(one.name, one.about or one.title) for one in inside], width)
        out.print()
    out.print("To read one: acp-trace docs TOPIC. To search: acp-trace docs WORDS.")


def _print_rows(rows: Sequence[tuple[str, str]], width: int = 0) -> None:
    out = common.console()
    width = max(width, *(len(name) for name, _ in rows))
    for name, about in rows:
        out.print(f"  {name.ljust(width)}  {about}", overflow="ellipsis", no_wrap=out.is_terminal)


def _unknown(words: str, topics: Sequence[Topic]) -> NoReturn:
    from acp_trace.trace.near_misses import suggestion

    raise Misuse(
        f"no page is named `{words}` or contains it{suggestion(words, [one.name for one in topics])}"
    )


def _row(topic: Topic) -> dict[str, Any]:
    """What `--json` has of a topic; `path` is from docs/ in the repository."""
    return {
        "name": topic.name,
        "title": topic.title,
        "section": topic.section,
        "about": topic.about,
        "path": topic.path,
    }


def _open(path: str, anchor: str = "") -> None:
    """Print the address of a page of this version, or of a section, and open it."""
    from importlib.metadata import metadata

    from acp_trace import __version__
    from acp_trace.cli.browsing import open_in_browser

    addresses = dict(line.split(", ", 1) for line in metadata("acp-trace").get_all("Project-URL") or ())
    site = addresses.get("Documentation", "")
    if not site or "//OWNER." in site:  # before release/repository.py has filled it in
        fail("this copy of acp-trace has no site; without --web, the page is printed here", USAGE)
    file = re.sub(r"(README)?\.md$", lambda end: "index.html" if end[1] else ".html", path)
    url = f"{site}{'.'.join(__version__.split('.')[:2])}/{file}{'#' * bool(anchor)}{anchor}"
    print(url, flush=True)
    open_in_browser(url)
