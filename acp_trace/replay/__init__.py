"""One side of a recorded session, played again to a peer; what then happens is a trace.

The *player* plays one side; the *peer* is the live process that it talks to. The player is the client in
`acp-trace replay` and the agent in `acp-trace mock`: one engine, two sides. docs/replay.md is for users.

Without I/O, clocks or processes (but for the one file of `settings`), and tested as conversations:

- `plan`             what is to be sent, and when: made from the recording
- `conversation`     with the peer: its lines and the time in, the player's lines out
- `written`          a conversation that a person writes, and the client that says it
- `faults`           what the player does wrong on purpose, and what the peer makes of that
- `verdict`          what became of it
- `declared`         each setting of a replay, declared once: options, keys and keywords come from it
- `settings`         what the settings mean; `NAME.replay.toml`, read and checked
- `timeouts`         every wait and limit, as a number with a name
- `incidents`        what the player itself noticed: stable codes, as the comparison has them, and their words
- `session_copies`   a trace with its sessions several times, for several clients' sessions at once
- `stored_sessions`  sessions that a recording loads, which only the agent's own store has
- `recorded_variables`  which variables of the agent's environment a recording may set
- `files_named`      files that the messages name, and where they lie
- `left_files`       the files of a directory when all is over: the shapes
- `remote_agent`     an agent that is reached at a URL, and which settings it can have

With I/O, in `drive`: processes, pipes, directories, the trace of the run.
"""
