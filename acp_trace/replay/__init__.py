"""One side of a recorded session, played again to whoever is there; what then happens is a trace.

"Own side" is the side that is played from the recording, "live side" the other one. Own is the client in
`acp-trace replay`, the agent in `acp-trace mock`: one engine, two sides. docs/replay.md says what users see.

Without I/O, clocks or processes, and tested as conversations:

The recording, and what is to be said:

- `recording`   a trace as the player reads it: its messages, sessions, turns and folders
- `under_way`   which own requests and turns are going on at a point of a recording
- `sights`      what can be seen of a turn while it goes on, counted the same way in both runs
- `plan`        each message of the own side as a step, with the conditions under which it is sent: shapes
- `planning`    makes the plan from a recording
- `copies`      a trace with its sessions several times, for several clients' sessions at once
- `explain`     a plan in words

The conversation with the live side:

- `conversation`  the engine: lines of the live side and the time in, lines of the own side out
- `live`          what has come from the live side so far
- `lanes`         how far each track is, and which answers were asked for
- `conditions`    whether what a step waits for is there, and whether it is time
- `asked`         what is done about a request of the live side
- `claims`        which recorded request a live one is: who gets which recorded answer
- `notices`       the same for notifications
- `saying`        steps -> the lines that go out
- `rewriting`     ids that the live side made up, and folders, in messages
- `moving`        recorded folders -> those of the live run
- `naming`        tool calls and terminals that only updates name
- `patience`      when waiting has gone on for too long, and when a flood is one
- `waiting`       what is waited for, in words

What became of it:

- `incidents`   what the engine itself noticed: stable codes, as the comparison has them
- `noticing`    those of a conversation, in words
- `byframe`     divergences, found by the frames that they are about
- `verdict`     what was noticed and what was compared, as one list
- `settings`    how a replay is asked for: the options, and `NAME.replay.toml`
- `beside`      those settings, from the file beside a trace
- `learning`    what varies between runs, as masks

With I/O, in `drive`: processes, pipes, folders, the trace of the live run.
"""
