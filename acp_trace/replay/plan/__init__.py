"""What to send, and when: made from the recording before anything runs.

- `recording`      a trace as the player reads it: its messages, sessions, turns and directories
- `steps`          each message of the player as a step, with the conditions under which it is sent: shapes
- `builder`        makes the plan from a recording
- `turn_progress`  what can be seen of a turn, counted the same way in the recording and in the run
"""
