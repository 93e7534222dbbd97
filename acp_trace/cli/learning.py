"""`replay --learn N`: run a build N times, and propose masks for what varies."""

from __future__ import annotations

import json as json_text
import sys
from dataclasses import replace
from typing import Any

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import DIED
from acp_trace.cli.playable import Playable
from acp_trace.cli.playing import play_all
from acp_trace.compare.result import Comparison
from acp_trace.replay.drive.replay_and_compare import ComparedRun
from acp_trace.replay.verdict.mask_proposals import Learned, learn
from acp_trace.report.safe import safe
from acp_trace.report.statements.replays import Replayed


def learned(recordings: list[Playable], runs: int, *, exact: bool, json: bool) -> None:
    """Runs each recording's agent `runs` times, and says which masks would hide what varied.

    `exact`: compare every frame, because no other level was asked for. Changes no file.
    """
    documents: list[dict[str, Any]] = []
    for playable in recordings:
        settings = replace(playable.settings, match="exact") if exact else playable.settings
        comparisons: list[Comparison] = []
        again = [replace(playable, settings=replace(settings, retries=0), alternatives=())] * runs

        def take(
            _: Playable, __: ComparedRun, replayed: Replayed, comparisons: list[Comparison] = comparisons
        ) -> None:
            if replayed.died:
                print(f"acp-trace: {safe(replayed.found.divergences[0].message)}", file=sys.stderr)
                raise typer.Exit(DIED)
            comparisons.append(replayed.found)

        play_all(again, take, jobs=1)
        taught = learn(comparisons)
        documents.append(_document(playable.name, taught))
        if not json:
            _print(playable.name, comparisons[0].match, taught)
    if json:
        common.print_json({"acp_trace_learned": 1, "traces": documents})


def _print(name: str, level: str, taught: Learned) -> None:
    from acp_trace.report.text.mask_proposals import report

    out = common.console()
    out.print(report(name, level, taught.runs, _rows(taught), out.width), end="", soft_wrap=True)
    masks = [proposal.mask for proposal in taught.proposals]
    for key, texts in (("mask", masks), ("allow", [row.allow for row in taught.structure if row.allow])):
        if texts:
            lines = "".join(f"  {_quoted(text)},\n" for text in texts)
            out.print(f"\n{key} = [\n{lines}]", highlight=False, soft_wrap=True)


def _quoted(text: str) -> str:
    """A basic string of TOML, in ASCII: the one of JSON, but TOML has no surrogates."""
    escaped = (f"\\U{ord(each):08x}" if each > "\uffff" else json_text.dumps(each)[1:-1] for each in text)
    return '"{}"'.format("".join(escaped).replace("\x7f", "\\u007f"))


def _rows(taught: Learned) -> list[tuple[str, int, str, bool]]:
    """What varied, in how many runs, an example, and whether a mask hides it."""
    return [
        *((proposal.mask, proposal.runs, proposal.example.message, True) for proposal in taught.proposals),
        *((row.allow or row.code, row.runs, row.example.message, False) for row in taught.structure),
    ]


def _document(name: str, taught: Learned) -> dict[str, Any]:
    return {
        "trace": name,
        "runs": taught.runs,
        "masks": [
            {
                "mask": proposal.mask,
                "runs": proposal.runs,
                "places": proposal.places,
                "example": proposal.example.message,
            }
            for proposal in taught.proposals
        ],
        "not_maskable": [
            {"code": row.code, "allow": row.allow, "runs": row.runs, "example": row.example.message}
            for row in taught.structure
        ],
    }
