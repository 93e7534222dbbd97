"""`--acp-record`: whether a missing recording is made, and what pytest prints about those made."""

from __future__ import annotations

import pytest

OPTION = "--acp-record"
MODES = ("none", "once", "all")
#: The heading of a report's section about recordings.
_SECTION = "acp-trace"
_HEADING = f"Captured {_SECTION} call"


def add_option(group: pytest.OptionGroup) -> None:
    """Add the option to the plugin's group."""
    group.addoption(
        OPTION,
        choices=MODES,
        default="none",
        help="Record tests that have a written conversation: `once`, if there is no recording yet; "
        "`all`, all of them again.",
    )


def note(item: pytest.Item, text: str) -> None:
    """Note what was recorded, in a place that xdist's workers pass on and JUnit's schema allows."""
    item.add_report_section("call", _SECTION, text)


def summary(reporter: pytest.TerminalReporter) -> None:
    """Print what was recorded, one line each."""
    reports = [report for reports in reporter.stats.values() for report in reports]
    sections = [section for report in reports for section in getattr(report, "sections", ())]
    # A test has several reports, and each has the sections of those before it.
    texts = dict.fromkeys(text for heading, text in sections if heading == _HEADING)
    if texts:
        reporter.section("acp-trace")
        for text in texts:
            reporter.line(text)
