"""Commands that may do only what the modes of files allow, for root as well."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def limited(scratch: Path) -> list[str] | None:
    """What stands before such a command: nothing, unless this is root. None if the system cannot do it.

    `scratch`: a directory to try it in.
    """
    if os.geteuid() != 0:  # root writes everywhere, unless this capability is taken from it
        return []
    words = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
    probe = scratch / "probe"
    probe.mkdir(mode=0o500)
    tried = [*words, "touch", str(probe / "file")]
    if not shutil.which(words[0]) or not subprocess.run(tried, capture_output=True, check=False).returncode:
        return None
    return words
