"""The note of files that the agent read in the recording, and that the run's directories do not have.

`files_named` finds the files in a recording's messages; this module checks whether they exist.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from acp_trace.replay.files_named import below, files_before, missing
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.settings import Settings


def missing_files(recording: Recording, settings: Settings, actual: Mapping[str, str]) -> Incident | None:
    """Return the note, before the run begins; None if no file is missing. `actual`: the run's directories.

    `the run's directory does not have a.txt, which the agent read in the recording`
    """
    messages = ((message.frame, message.sender, message.text) for message in recording.messages)
    absent: dict[str, int] = {}
    for path, frame in files_before(messages, recording.directories).items():
        directory, rest = below(path, recording.directories) or ("", "")
        if directory in actual and not os.path.lexists(os.path.join(actual[directory], rest)):
            absent[rest] = frame
    not_kept = left_out = ""
    if settings.snapshot is not None:
        from acp_trace.replay.drive import snapshot

        not_kept = snapshot.missing(settings.snapshot)
        left_out = "; ".join(filter(None, (not_kept, snapshot.changed(settings.snapshot))))
    if absent:
        given = settings.cwd or settings.workspace or settings.snapshot
        advice = "" if given else " (it is empty: give `--workspace DIR`)"
        if recording.snapshot and not given:
            advice = " (it is empty: the recording's workspace snapshot is not here; give `--workspace DIR`)"
        if left_out:
            advice = f" (its snapshot left out {left_out})"
        return missing(absent, advice)
    if not_kept:
        return Incident("files-missing", f"the recording's workspace snapshot left out {not_kept}")
    return None
