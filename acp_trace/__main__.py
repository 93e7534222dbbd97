"""`python -I -m acp_trace`: the way to start that no PYTHONHOME or PYTHONPATH can break."""

from acp_trace.cli import main

if __name__ == "__main__":
    main()
