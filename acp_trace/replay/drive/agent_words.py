"""The words of an agent's command line that name files, as seen from the caller's directory.

An agent does not start there (`agent_start`), so the file names in its words are made absolute.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence

#: A path that ends as the files of the usual interpreters do.
_PROGRAM = re.compile(r"[\w./\\][\w./\\ -]*\.(?:[cm]?[jt]s|py|rb|jar|sh)")


def caller_directory() -> str:
    """Return the directory of this process; empty if it is deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def located(argv: Sequence[str], directory: str) -> tuple[str, ...]:
    """Return an agent's words, with the files that they name in `directory` made absolute.

    `node dist/agent.js` becomes `node /here/dist/agent.js`, `--config=cfg.json` becomes
    `--config=/here/cfg.json`. A word without a `/` is a file only if it has a suffix: `acp` in `agent acp` is
    not, even if such a file exists. The command itself is looked up as a shell does.
    """
    if not argv or not directory:
        return tuple(argv)
    return _command(argv[0], directory), *(_word(word, directory) for word in argv[1:])


def absent(argv: Sequence[str], *directories: str) -> str | None:
    """Return the first argument that names a program's file which is in none of the directories, or None.

    As typed, such as `dist/agent.js` if the build was not made. An option, a URL and the name of a package
    (`@scope/agent`) are not files.
    """
    return next(
        (
            word
            for word in argv[1:]
            if _PROGRAM.fullmatch(word)
            and not any(os.path.lexists(os.path.join(each, word)) for each in directories)
        ),
        None,
    )


def early_end_hint(argv: Sequence[str], directory: str, chosen: str) -> str:
    """Return what may have ended an agent before it sent anything: a file that does not exist, its directory.

    `directory`: where it started; `chosen`: that in words, if the user did not choose it.
    """
    if file := absent(argv, directory, caller_directory()):
        return f". {file} does not exist: was it built?"
    if chosen:
        return f". It was started in {chosen}: `--agent-cwd DIR` sets another directory"
    return f". It was started in {directory}"


def _command(word: str, directory: str) -> str:
    if "/" in word:
        return _absolute(word, directory)
    found = shutil.which(word)  # PATH may contain relative directories
    return word if found is None or os.path.isabs(found) else os.path.join(directory, found)


def _word(word: str, directory: str) -> str:
    option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    return f"{option}{equals}{_absolute(value, directory)}"


def _absolute(word: str, directory: str) -> str:
    path = os.path.join(directory, word.removeprefix("./"))
    if "/" in word or word in (".", ".."):
        return path if os.path.exists(path) else word
    return path if os.path.splitext(word)[1] and os.path.isfile(path) else word
