"""JUnit XML: the common parts of the suites of `check`, `diff` and `replay`, which supply the content.

Both kinds of readers accept the output. Jenkins' schema (xunit plugin, junit-10) has no `file` on
a case and no `skipped` on the root, and its tree ends a package at a dot. GitLab tells cases apart by
classname and name, shows the text of a failure, not its message, and takes no file over 30 MB.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from junitparser import Failure, JUnitXml, SystemOut, TestCase, TestSuite

from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe

T = TypeVar("T")

#: Of thousands of findings or divergences, the first ones show what is wrong.
_MOST = 50
_NO_XML = re.compile("[\ufffe\uffff]")
#: `[[ATTACHMENT|/a/file]]` in the text of a case: GitLab links that file, and a plugin of Jenkins
#: (JUnit Attachments) copies it to where everyone who sees the build can read it.
_ATTACHES = re.compile(r"\[(?=\[\s*ATTACHMENT)", re.IGNORECASE)


def document(name: str, suites: Sequence[TestSuite], *, time_ns: int | None = None) -> bytes:
    """Some suites as one XML document. `time_ns`: what they took together."""
    root = JUnitXml(name)
    for suite in suites:
        root.add_testsuite(suite)
    root.tests = sum(suite.tests for suite in suites)
    root.failures = sum(suite.failures for suite in suites)
    root.errors = 0
    if time_ns is not None:
        root.time = seconds(time_ns)
    written = io.BytesIO()
    root.write(written, pretty=True)
    return written.getvalue()


def passed(name: str, class_: str) -> TestCase:
    """A case that passed; of what was looked for and not found."""
    return TestCase(name, f"acp-trace.{class_}")


def noted(name: str, class_: str, text: str) -> TestCase:
    """A case that passed, with something to say."""
    case = passed(name, class_)
    case.append(SystemOut(text))  # type: ignore[no-untyped-call]
    return case


def failed(name: str, class_: str, text: str, *, message: str, kind: str) -> TestCase:
    """A case that failed. `message`: in one line; `text`: all of it."""
    case = passed(name, class_)
    failure = Failure(message, kind)
    failure.text = text
    case.result = [failure]
    return case


def listed(items: Sequence[T], lines: Callable[[T], Iterable[str]]) -> str:
    """What `lines` gives for each of the first items, and how many more there are, as a text."""
    text = [line for item in items[:_MOST] for line in lines(item)]
    if len(items) > _MOST:
        text.append(f"… and {len(items) - _MOST} more")
    return "\n".join(text)


def suite_names(places: Iterable[Place], taken: Iterable[str] = ()) -> list[str]:
    """A name for each trace that the next run gives again, all different and without a dot.

    `taken`: names of other suites of the document.
    """
    used = set(taken)
    names = []
    for place in places:
        plain = (place.path or place.asked).removesuffix(".jsonl").strip("/").replace(".", "_")
        name, number = xml_text(plain), 1
        while name in used:
            number += 1
            name = f"{xml_text(plain)} ({number})"
        used.add(name)
        names.append(name)
    return names


def seconds(ns: int) -> float:
    """A time in seconds with three digits behind the point: some copies of the schema take no more."""
    return round(ns / 1e9, 3)


def xml_text(text: str) -> str:
    """Text that XML can hold, without terminal control sequences or attachments of files to a report."""
    return _ATTACHES.sub("[ ", _NO_XML.sub("\ufffd", safe(text)))
