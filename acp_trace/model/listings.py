"""What `ls -la` says of a directory itself and of the one around it: a run makes its own.

Size, owner and date of `.` and `..` belong to the place and the time of a run. Frames of two traces and
requests to a model are compared without them, so the pattern stands here alone.
"""

from __future__ import annotations

#: A line of `ls -la` for `.` or `..`; an escaped end of a line ends it, too.
OWN_DIRECTORY = (
    r"d(?:[r-][w-][xsS-]){2}[r-][w-][xtT-][.+@]?(?: +[^\s\\]+){4} +[^\n\\]{5,24} \.{1,2}(?=\\+n|\s|$)"
)
#: What takes its place.
LISTED = "‹listed›"
