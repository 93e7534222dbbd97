"""A conversation among real processes: pipes, process groups, folders, and the trace of the live run.

- `player`     one conversation between two descriptors: the only loop that waits
- `stop`       one wish to stop, for all that go on
- `waits`      how long to wait in one go
- `process`    an agent in a process group of its own, and its end, always
- `holders`    what the agent started outside of that group, and still holds its pipes
- `folders`    where the live run goes on: a fresh folder, or a copy of a workspace
- `copying`    that copy
- `workspace`  requests for files, served from that folder and from nowhere else
- `run`        one replay from start to end: the agent, the tee, the player
- `judged`     the same with its verdict: plan, drive, record, compare
- `mock`       the agent's side, played to the client that started this process

No rule about what is sent when stands here: the conversation knows it.
"""
