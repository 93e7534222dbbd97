"""ACP as tables and readers: what a message is, which methods and updates there are. Does no I/O.

Knows no time, no order and no state: one message at a time. What follows from several messages lives
in `analyze`.

- `message`   a frame's text -> kind, id, method, session, update
- `methods`   the methods that the analysis treats specially, each with its source
- `updates`   the kinds of `session/update`, likewise
"""
