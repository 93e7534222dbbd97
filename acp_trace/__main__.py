"""The program: `acp-trace`, and `python -EP -m acp_trace`, which no PYTHONHOME or PYTHONPATH can break.

`-E` keeps Python from looking at those variables, `-P` from looking into the current directory. `-I` would
do both, but also hide packages that were installed for the user alone.

Nothing but the first step lives here: Ctrl-C during the imports ends the process as it ends any program,
by the signal, and prints no traceback. `cli` decides what it does from then on.
"""

# `signal` itself is 2 ms of imports, during which the old handler would be in force.
import _signal  # type: ignore[import-not-found]

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # else it is ignored: that stays
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from acp_trace.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
