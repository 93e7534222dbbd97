"""How Windows finds a command and quotes a command line. Pure: the caller says which files there are.

npm installs `.cmd` files. Windows starts only `.exe` files itself; `cmd.exe` runs the others, and reads
its line twice: once as a shell, once as the file's arguments. So `cmd.exe` gets each character that it would
obey behind a `^`, and twice so for a `.cmd` file that passes its arguments on with `%*`.
"""

from __future__ import annotations

import ntpath
import re
from collections.abc import Callable, Mapping, Sequence
from subprocess import list2cmdline

_EXTENSIONS = ".COM;.EXE;.BAT;.CMD"
_BATCH = (".bat", ".cmd")
_OBEYED = re.compile(r'([()\[\]%!^"`<>&|;, *?])')


def found(name: str, variables: Mapping[str, str], is_file: Callable[[str], bool]) -> str | None:
    """Return the file that Windows means by a command's name, or None.

    `variables`: the environment, of which `PATH` and `PATHEXT` are read, in any case of letters.
    """
    of = {key.upper(): value for key, value in variables.items()}
    extensions = [each for each in of.get("PATHEXT", _EXTENSIONS).split(";") if each]
    is_complete = ntpath.splitext(name)[1].upper() in (each.upper() for each in extensions)
    names = [name] if is_complete else [name + each.lower() for each in extensions]
    has_directory = ntpath.basename(name) != name
    directories = (
        [""] if has_directory else [each.strip('"') for each in of.get("PATH", "").split(";") if each]
    )
    paths = (ntpath.join(directory, each) for directory in directories for each in names)
    return next(filter(is_file, paths), None)


def command_line(path: str, arguments: Sequence[str], shell: str = "cmd.exe") -> str:
    """Return the line that starts a file of Windows with these arguments, each unchanged.

    Raises ValueError for a line break in an argument of a `.cmd` file: `cmd.exe` would end the line there.
    """
    if not path.lower().endswith(_BATCH):
        return list2cmdline([path, *arguments])
    if any(character in argument for argument in arguments for character in "\r\n\0"):
        raise ValueError("a .cmd file cannot be given an argument with a line break")
    words = [_escaped(path), *(_escaped(_escaped(_quoted(argument))) for argument in arguments)]
    return f'{shell} /d /s /c "{" ".join(words)}"'


def _quoted(argument: str) -> str:
    """In quotes, as the C runtime of Windows takes them off: backslashes before a quote are doubled."""
    inner = re.sub(r'(\\*)"', r'\1\1\\"', argument)
    whole = re.sub(r"(\\*)$", r"\1\1", inner, count=1)
    return f'"{whole}"'


def _escaped(text: str) -> str:
    return _OBEYED.sub(r"^\1", text)
