"""What in one trace matches what in the other, and what has no counterpart. Compares nothing.

- `pairs`        the result, in which checks look up matches
- `frames`       which frames belong together, and how much of them is compared
- `align`        two sequences -> their pairs, at once or in steps; barriers between them
- `request_keys` the keys by which requests match, and what of them and their results is compared: tables
- `matching`     the requests of one side, of one session or outside of any
- `calls`        the tool calls of one section
- `request_fit`  whether a request of a live run is a recorded one
- `sessions`     which session, turn and request is which, over a whole trace
- `sections`     the parts of sessions, with their tool calls
- `streams`      frames that are neither requests nor responses
- `tolerance`    where something may be missing, or extra, because the cause is unknown
- `waiting`      whether an agent only waited for its client when a turn was cancelled
"""
