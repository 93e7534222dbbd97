"""The tee: an agent behind pipes; every byte is written down first, then passed on unchanged.

- `recorder`   one recording from start to exit code: the order of events
- `tee`        all directions of one connection: the pumps, and the wait for the last bytes
- `pump`       one direction: read, write down, forward
- `sink`       the capture being written; what cannot be written becomes a gap
- `header`     the first line of a trace
- `finish`     a capture that `--out` named becomes a file of lines at the end
- `place`      where the trace file goes, and how an existing file is kept; `outfile` checks
              what `--out` may name
- `drain`      how long to wait for bytes once the agent is gone
- `late_cuts`   secrets that were written before they were known are overwritten
- `model_side`  the proxy for the agent's language model: started, read from, ended
- `agents`     starting an agent and passing signals on: `posix`, and `portable` for Windows
- `afterwards` programs in the background: the loader, the snapshot
- `descriptor` low-level operations on the descriptor of a trace file
- `terminal`   the hint that `record` prints when a person typed it
- `network`    a proxy for ACP over HTTP and WebSocket: traffic is written down first, then passed on
              unchanged

Imports neither duckdb, rich, watchfiles nor pydantic: they take too long while traffic flows.
"""
