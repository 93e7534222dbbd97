"""The tables: complete, and in agreement with those of the findings."""

from __future__ import annotations

import re

from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.findings.requirements import NOT_JUDGED, REQUIREMENTS
from acp_trace.conform import exercised
from acp_trace.conform.checks import CHECKS
from acp_trace.conform.client_checks import CLIENT_CHECKS
from acp_trace.conform.requirement import OWN, TIERS, Requirement
from acp_trace.conform.requirements import ALL, of
from acp_trace.protocol import methods
from tests.rows import each

KIT = {one.id for one in ALL if not one.id.startswith(OWN)}
#: Of the kit, those that only a conversation in draft 2 could try, which `conform` does not drive.
ONLY_2 = {one.id for one in ALL if one.version == 2}


def test_each_is_there_once() -> None:
    """In each version of the protocol."""
    keys = [(one.id, one.version) for one in ALL]
    assert len(keys) == len(set(keys))
    assert len([one for one in ALL if one.version == 1]) == 56
    assert len([one for one in ALL if one.version == 2]) == 106


def test_all_that_findings_name_are_there() -> None:
    """Those that a finding shows broken, and those that none does."""
    assert {id_ for ids in REQUIREMENTS.values() for id_ in ids} <= KIT
    assert NOT_JUDGED.keys() <= KIT


def test_checks_are_of_requirements() -> None:
    """A check whose id nobody has would never run."""
    assert {*CHECKS, *CLIENT_CHECKS} <= {one.id for one in ALL}


def test_row() -> None:
    """Words that mean something: codes, methods, what must be seen."""

    def check(one: Requirement) -> None:
        assert re.fullmatch(r"AC[PT](-[A-Z]+)+-\d{3}", one.id)
        assert one.tier in TIERS
        assert one.codes <= CODES.keys()
        assert one.of <= methods.BY_NAME.keys()
        word, _, rest = one.seen.partition(" ")
        assert not word or word in exercised._WORDS
        assert all(name in methods.BY_NAME for name in rest.split() if "/" in name)
        assert 10 < len(one.text) <= 110
        assert (one.version == 0) == one.id.startswith(OWN)

    each(ALL, check, lambda one: f"{one.id}-{one.version}")


def test_each_of_version_1_can_be_exercised() -> None:
    """By what was seen, or by a check."""
    rows = [*of("agent", [1]), *of("client", [1])]
    assert [one.id for one in rows if not one.seen and one.id not in {*CHECKS, *CLIENT_CHECKS}] == []
