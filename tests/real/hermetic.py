"""`just hermetic`: python tests/real/hermetic.py [PART …] [--only AGENT] [--times N] [--later DAYS] [--keep DIR] [--write].

Unmodified agents at their providers' own addresses, without their models: each is recorded through the proxy
against a stand-in (`record`); then the stand-in is stopped, and the recording is replayed so many times where
nothing can be reached, in other directories, with another home, on another date (`replay`). Of some, older
versions are recorded as well, and replayed to the newest one, and the other way round (`versions`). Some are
recorded while their provider fails now and then, and replayed as well (`errors`). `--write` puts what came of it
into docs/evidence/hermetic.md. What is recorded is not recorded again, unless `--again` is given. Ends with 1 if a replay
failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real import builds, hermetic_run, hermetic_table, packages
from tests.real.hermetic_run import Place, Replayed
from tests.real.provider_errors import TRIED
from tests.real.providers import HOSTED, Hosted
from tests.support import ACP_TRACE

PARTS = ("record", "versions", "replay", "errors")
#: What the world has; a replay must not get there.
_OUTSIDE = (("1.1.1.1", 443), ("8.8.8.8", 53), ("api.openai.com", 443), ("registry.npmjs.org", 443))


def main(argv: Sequence[str]) -> int:
    """The script: 0 if every replay passed, or was out of reach."""
    parser = argparse.ArgumentParser(
        description="Real agents, recorded with their models and replayed alone."
    )
    parser.add_argument("parts", metavar="PART", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--only", metavar="AGENT", action="append", choices=[one.name for one in HOSTED])
    parser.add_argument("--times", metavar="N", type=int, default=20, help="replays of each; default: 20")
    parser.add_argument(
        "--later", metavar="DAYS", type=int, help="so much later, instead of the next month and weekday"
    )
    parser.add_argument("--keep", metavar="DIR", type=Path, help="where recordings are; default: the cache")
    parser.add_argument("--again", action="store_true", help="record again what was recorded")
    parser.add_argument("--write", action="store_true", help="put the table into docs/evidence/hermetic.md")
    asked = parser.parse_args(argv)
    parts = asked.parts or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        parser.error(f"invalid part: {', '.join(sorted(unknown))}; there is {', '.join(PARTS)}")
    keep = (asked.keep or packages.cache() / "hermetic" / "recordings").absolute()
    # npm chooses by the Node that it runs on.
    os.environ["PATH"] = f"{builds.node_programs()}{os.pathsep}{os.environ['PATH']}"
    chosen = [one for one in HOSTED if asked.only is None or one.name in asked.only]
    _make(parts, chosen, keep, again=asked.again)
    faulty = False
    if {"replay", "errors"} & set(parts):
        if not hermetic_run.can_be_alone():
            print("skipped: there are no network namespaces here, or this user may not make one")
            return 0
        if found := hermetic_run.reachable(*_OUTSIDE):
            raise SystemExit(f"hermetic: a replay would reach {', '.join(found)}")
    for hosted in chosen:
        if "replay" in parts:
            faulty = not _replay(hosted, keep / hosted.name, asked.times, asked.later) or faulty
        if "errors" in parts:
            faulty = (
                not _replay(hosted, hermetic_table.of_errors(keep, hosted), asked.times, asked.later)
                or faulty
            )
    if asked.write:
        hermetic_table.write(keep)
    return int(faulty)


def _make(parts: Sequence[str], chosen: Sequence[Hosted], keep: Path, *, again: bool) -> None:
    """Makes the recordings of these parts."""
    if "record" in parts:
        for hosted in chosen:
            _record(hosted, hosted.line.versions[0], keep / hosted.name, "ab", again=again)
    if "errors" in parts:
        for hosted in chosen:
            if hosted.name in TRIED:
                directory = hermetic_table.of_errors(keep, hosted)
                _record(hosted, hosted.line.versions[0], directory, "a", again=again, errors=True)
    if "versions" in parts:
        for hosted in chosen:
            for version in hosted.older:
                directory = keep / f"{hosted.name}-{version}"
                _record(hosted, version, directory, "a", again=again)
                _between(hosted, version, directory, keep / hosted.name)


def _record(
    hosted: Hosted, version: str, directory: Path, names: str, *, again: bool, errors: bool = False
) -> None:
    """Records it in as many places as there are names."""
    for name in names:
        recording = directory / f"{name}.jsonl"
        if recording.exists() and not again:
            continue
        try:
            # A short path: kimi-code takes 40 letters, digits and slashes in a row for a secret.
            with tempfile.TemporaryDirectory(prefix="w") as root:
                place = _recorded_in(Path(root), name)
                hermetic_run.record(hosted, version, recording, place, errors=errors)
            print(f"{hosted.name} {version}: recorded, {recording.stat().st_size} bytes", flush=True)
        except packages.OutOfReach as why:
            print(f"{hosted.name} {version}: {why}", flush=True)


def _between(hosted: Hosted, version: str, older: Path, newest: Path) -> None:
    """What is said of an older version and the newest one: by `model diff`, and by replays in both directions."""
    if not all((directory / "a.jsonl").exists() for directory in (older, newest)):
        return
    argv = [*ACP_TRACE, "model", "diff", str(older / "a.jsonl"), str(newest / "a.jsonl")]
    (older / "model-diff.txt").write_bytes(subprocess.run(argv, capture_output=True, check=False).stdout)
    last = hosted.line.versions[0]
    for directory, recorded, replayed in ((older, version, last), (newest, last, version)):
        place = _replayed_in(directory.parent, hosted, 0)
        report = directory / f"to-{replayed}.json"
        found = hermetic_run.replay(hosted, replayed, directory / "a.jsonl", place, report, "--all")
        print(f"{hosted.name} {recorded} → {replayed}: {_summary(found)}", flush=True)


def _replay(hosted: Hosted, directory: Path, times: int, later: int | None) -> bool:
    """Replays it so many times, each time somewhere else. Whether all passed."""
    recording = directory / "a.jsonl"
    if not recording.exists():
        return True
    shutil.rmtree(directory / "runs", ignore_errors=True)
    passed = 0
    for number in range(1, times + 1):
        report = directory / "runs" / f"{number}.json"
        place = _replayed_in(directory.parent, hosted, number)
        found = hermetic_run.replay(
            hosted, hosted.line.versions[0], recording, place, report, later_days=later
        )
        passed += found.passed
        print(f"{hosted.name} {number} of {times}: {_summary(found)}", flush=True)
        if found.passed:
            shutil.rmtree(place.root, ignore_errors=True)
    print(f"{hosted.name}: {passed} of {times} passed", flush=True)
    return passed == times


def _recorded_in(here: Path, name: str) -> Place:
    if name == "a":
        return Place(here, here / "work", here / "home")
    return Place(here, here / "me" / "src", here / "me" / "h")


def _replayed_in(keep: Path, hosted: Hosted, number: int) -> Place:
    here = keep.parent / "places" / hosted.name / f"moved-{number}"
    return Place(here, here / "elsewhere", here / "users" / f"user{number}")


def _summary(replayed: Replayed) -> str:
    found = replayed.found
    model = found.get("model") or {}
    said = "passed" if replayed.passed else f"FAILED, exit {replayed.exit_code}"
    levels = ", ".join(f"{count} {level}" for level, count in (model.get("matched") or {}).items() if count)
    said += f" in {replayed.took_s:.1f} s; {model.get('calls')} calls: {levels}; {model.get('unmatched')} unmatched"
    codes = [one["code"] for one in found.get("divergences", ()) if one["severity"] == "error"]
    changes = [f"{one['code']} {one['call']}" for one in model.get("changes") or ()]
    return " ".join((said, *codes, *changes, *filter(None, [found.get("broken")])))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
