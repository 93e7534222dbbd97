"""What of one trace belongs to what of the other, and what has no counterpart. Compares nothing.

- `pairs`        the result, in which checks look up what belongs to what
- `frames`       which frames belong together, and how much of them is compared
- `align`        two sequences -> their pairs, at once or in steps; barriers between them
- `keys`         by what requests match, and what of them and of their results is compared: tables by method
- `matching`     the requests of one side, of one session or outside of any
- `calls`        the tool calls of one section
- `request_fit`  whether a request of a run that is under way is a recorded one
- `sessions`     which session, turn and request is which, over a whole trace
- `sections`     the parts of sessions, with their tool calls
- `streams`      frames that are neither requests nor responses
- `tolerance`    where something may be missing, or too much, because nobody can tell
"""
