"""`python -EP -m acp_trace`: the way to start that no PYTHONHOME or PYTHONPATH can break.

`-E` keeps Python from looking at those variables, `-P` from looking into the current folder. `-I` would
do both, but also hide packages that were installed for the user alone.
"""

from acp_trace.cli import main

if __name__ == "__main__":
    main()
