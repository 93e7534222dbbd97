"""The tee: an agent behind pipes, every byte written down first, then passed on untouched.

- `recorder`   one recording from start to exit code: the order of things
- `tee`        all directions of one connection: the pumps, and the wait for the last bytes
- `pump`       one direction: read, write down, forward
- `sink`       the capture while it is written; what cannot be written becomes a gap
- `header`     the first line of a trace
- `finish`     a capture that `--out` named becomes a file of lines, at the end
- `place`      where the trace file goes, and how a file that is there already is kept; `outfile` says
               what `--out` may not name
- `drain`      how long to wait for bytes once the agent is gone
- `late_cuts`   secrets that were written before they were known, overwritten
- `model_side`  the proxy for the agent's language model: started, read from, ended
- `agents`     starting an agent and passing signals on: `posix`, and `portable` for Windows
- `afterwards` programs in the background: the loader, the snapshot
- `descriptor` what is done with the descriptor of a trace file
- `terminal`   what `record` tells somebody who typed it
- `network`    a proxy for ACP over HTTP and WebSocket: what passes is written down first, then passed on
               unchanged

Imports neither duckdb, rich, watchfiles nor pydantic: nothing here may, while traffic flows.
"""
