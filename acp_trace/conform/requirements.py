"""All requirements: those of the kit with the findings that break them, and our own.

A finding of a kit's requirement is named in `analyze.findings.requirements`, which is its one home.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from acp_trace.analyze.findings.requirements import REQUIREMENTS
from acp_trace.conform import kit_version_1, kit_version_2, own_agent, own_client
from acp_trace.conform.requirement import Requirement, Side

_KIT = (*kit_version_1.ROWS, *kit_version_2.ROWS)


def _with_codes(rows: Iterable[Requirement]) -> Iterable[Requirement]:
    for each in rows:
        codes = frozenset(code for code, ids in REQUIREMENTS.items() if each.id in ids)
        yield replace(each, codes=codes)


#: In the order of reports: the kit's, then ours.
ALL: tuple[Requirement, ...] = (*_with_codes(_KIT), *own_agent.ROWS, *own_client.ROWS)


def of(side: Side, versions: Iterable[int]) -> list[Requirement]:
    """The requirements of one side in these versions of the protocol; our own (version 0) always."""
    wanted = {0, *versions}
    return [each for each in ALL if each.side == side and each.version in wanted]
