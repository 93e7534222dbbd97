"""One side of a recorded session, played again to whoever is there; what then happens is a trace.

"Own side" is the side that is played from the recording, "live side" the other one. Own is the client in
`acp-trace replay`, the agent in `acp-trace mock`: one engine, two sides. docs/replay.md says what users see.

Without I/O, clocks or processes, and tested as conversations:

- `recording`      a trace as the player reads it: its messages, sessions, turns and folders
- `sights`         what can be seen of a turn while it goes on, counted the same way in both runs
- `plan`           each message of the own side -> a step, with the conditions under which it is sent
- `copies`         a trace with its sessions several times, for several clients' sessions at once
- `explain`        a plan in words
- `claims`         which recorded request a live one is: who gets which recorded answer
- `rewriting`      recorded messages -> what goes out: ids that the live side made up, folders
- `live`           what has come from the live side so far
- `conversation`   the engine: lines of the live side and the time in, lines of the own side out
- `patience`       when waiting has gone on for too long, and when a flood is one
- `incidents`      what the engine itself noticed: stable codes, as the comparison has them
- `verdict`        what was noticed and what was compared, as one list
- `learning`       what varies from run to run -> masks
- `settings`       how a replay is asked for: the options, and `NAME.replay.toml`

With I/O, in `drive`: processes, pipes, folders, the trace of the live run.
"""
