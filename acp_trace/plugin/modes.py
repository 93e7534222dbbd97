"""`--acp-record`: whether a recording that is not there is made, and what pytest says of those that were."""

from __future__ import annotations

import pytest

OPTION = "--acp-record"
MODES = ("none", "once", "all")
#: What a section of a report is called that says what was recorded.
_SECTION = "acp-trace"
_HEADING = f"Captured {_SECTION} call"


def add_option(group: pytest.OptionGroup) -> None:
    """The option, in the plugin's group."""
    group.addoption(
        OPTION,
        choices=MODES,
        default="none",
        help="Record what has a written conversation: once, where no recording is there, or all anew.",
    )


def note(item: pytest.Item, text: str) -> None:
    """Notes what was recorded, where workers of xdist hand it on, and JUnit's schema is not broken."""
    item.add_report_section("call", _SECTION, text)


def summary(reporter: pytest.TerminalReporter) -> None:
    """Prints what was recorded, one line each."""
    reports = [report for reports in reporter.stats.values() for report in reports]
    sections = [section for report in reports for section in getattr(report, "sections", ())]
    # A test has several reports, and each has the sections of those before it.
    told = dict.fromkeys(text for heading, text in sections if heading == _HEADING)
    if told:
        reporter.section("acp-trace")
        for text in told:
            reporter.line(text)
