"""One side of a recorded session, played again to a peer; what then happens is a trace.

The *player* plays one side; the *peer* is the live process that it talks to. The player is the client in
`acp-trace replay` and the agent in `acp-trace mock`: one engine, two sides. docs/replay.md is for users.

Without I/O, clocks or processes (but for the one file of `settings`), and tested as conversations:

The recording, and what is to be sent:

- `recording`        a trace as the player reads it: its messages, sessions, turns and directories
- `plan`             each message of the player as a step, with the conditions under which it is sent: shapes
- `plan_builder`     makes the plan from a recording
- `session_copies`   a trace with its sessions several times, for several clients' sessions at once
- `explain`          a plan in words, and what a conversation waits for

The conversation with the peer. A request of the peer passes the first five, and the player in `drive`:

- `conversation`     the engine: lines of the peer and the time in, lines of the player out
- `peer_state`       what has come from the peer: its turns, what was seen of them, when there is too much
- `matching`         which recorded message an inbound one is
- `scheduler`        which step is due: the state machine
- `rewriting`        ids of the run in the place of recorded ones; its directories with `directories`
- `sender`           own requests and notifications, as they go out
- `tool_call_ids`    tool calls and terminals that only updates name
- `timeouts`         every wait and limit, as a number with a name

What became of it:

- `incidents`        what the engine itself noticed: stable codes, as the comparison has them, and their words
- `verdict`          what was noticed and what was compared, as one list
- `divergence_index` divergences, by the frames that they are about
- `settings`         how a replay is asked for: the options, and `NAME.replay.toml`
- `mask_proposals`   what varies between runs, as masks

With I/O, in `drive`: processes, pipes, directories, the trace of the run.
"""
