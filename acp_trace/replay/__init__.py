"""One side of a recorded session, played again to a peer; the result is a trace.

The *player* plays one side; the *peer* is the live process that it talks to. The player is the client in
`acp-trace replay` and the agent in `acp-trace mock`: one engine, two sides. docs/replay.md is for users.

Without I/O, clocks or processes (except for the one file of `settings`), and tested as conversations:

- `plan`             what to send, and when: made from the recording
- `conversation`     with the peer: its lines and the time go in, the player's lines come out
- `written`          a conversation that a person writes, and the client that plays it
- `faults`           the player's deliberate faults, and how the peer reacts
- `verdict`          the result of a run
- `declared`         each setting of a replay, declared once: options, keys and keywords are derived from it
- `settings`         the meaning of the settings; `NAME.replay.toml`, read and checked
- `timeouts`         every wait and limit, as a named number
- `incidents`        what the player itself noticed: stable codes, as in the comparison, and their words
- `session_copies`   a trace with several copies of its sessions, for several clients' sessions at once
- `stored_sessions`  sessions that a recording loads, which only the agent's own store has
- `recorded_variables`  which variables of the agent's environment a recording may set
- `files_named`      files that the messages name, and where they are
- `left_files`       the files of a directory at the end: the shapes
- `remote_agent`     an agent at a URL, and which settings it can have

With I/O, in `drive`: processes, pipes, directories, the trace of the run.
"""
