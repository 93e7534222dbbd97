"""One side of a recorded session, played again to whoever is there; what then happens is a trace.

The *player* plays one side; the *peer* is the live process that it talks to. The player is the client in
`acp-trace replay` and the agent in `acp-trace mock`: one engine, two sides. docs/replay.md is for users.

Without I/O, clocks or processes, and tested as conversations:

The recording, and what is to be sent:

- `recording`        a trace as the player reads it: its messages, sessions, turns and directories
- `open_requests`    which own requests and turns are open at a point of a recording
- `turn_progress`    what can be seen of a turn while it is open, counted the same way in both runs
- `plan`             each message of the player as a step, with the conditions under which it is sent: shapes
- `planning`         makes the plan from a recording
- `session_copies`   a trace with its sessions several times, for several clients' sessions at once
- `explain`          a plan in words

The conversation with the peer:

- `conversation`     the engine: lines of the peer and the time in, lines of the player out
- `scheduler`        which step is due: the state machine
- `peer_state`       what has come from the peer so far
- `matching`         which recorded message an incoming one is
- `inbound_requests` what is done about a request of the peer
- `sender`           steps -> the lines that go out
- `rewriting`        ids that the peer made up, and directories, in messages
- `moving`           recorded directories -> those of the run
- `tool_call_ids`    tool calls and terminals that only updates name
- `patience`         when waiting has gone on for too long, and when a flood is one
- `limits`           every wait and limit, as a number with a name
- `waiting`          what is waited for, in words

What became of it:

- `incidents`          what the engine itself noticed: stable codes, as the comparison has them
- `incident_messages`  those of a conversation, in words
- `divergence_index`   divergences, found by the frames that they are about
- `verdict`            what was noticed and what was compared, as one list
- `settings`           how a replay is asked for: the options, and `NAME.replay.toml`
- `settings_file`      those settings, from the file beside a trace
- `mask_proposals`     what varies between runs, as masks

With I/O, in `drive`: processes, pipes, folders, the trace of the live run.
"""
