"""What differs between Linux, macOS and Windows, so that everything else need not ask where it runs.

- `choice`     which of the two implementations is in use: the system's own, or the portable one
- `processes`  ending an agent with all that it started; how a process ended
- `files`      reading and writing at an offset, flags of `open`, who owns a file
- `pipes`      blocking, size and unread bytes of a pipe
- `loop_pipes` pipes beside an event loop: input as it comes, output that never waits
- `support`    what runs where, as the docs show it
- `commands`   how Windows finds a command, and how it quotes a command line. Pure

Nothing here knows what a trace is. Locks of traces are in `trace/lock.py`; the agent of `record`, which must
start fast, is in `record/agents`.
"""
