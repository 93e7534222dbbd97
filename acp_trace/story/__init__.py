"""The story of a trace: the messages of both sides, turn by turn. Does no I/O.

The facts of `analyze` are rows: one for each turn, tool call and permission. A story joins them with the
content of the frames, to show a conversation or compare two. Its terms:

- A *message* is what one side says in one go. It comes in chunks, which `messages` groups: `Hel`, a usage
  update, `lo` is one message, and `Hel`, a tool call, `lo` is two.
- A *phase* is the part of a session that an event is in: before all turns, in a turn, after it, or in a
  replay of its history. An update belongs to the oldest open turn of its session.
- A *turn* runs from a prompt to what settles it (docs/report.md, Turn).
- *History* is what a load sends again. It is not the work of any turn.

Modules:

- `messages`     which chunks are one message
- `unbatched`    the messages of a batch, each as a frame
- `unwrapped`    the messages inside envelopes, each as a frame
- `transcript`   the conversation of each session as its user saw it: frames and facts -> items
- `model`        the shapes of a story: requests with their ends, sessions, sections, tool calls
- `reader`       entries -> events, with chunks joined; `joined_text` is their content
- `builder`      events and facts -> a story
- `frame_facts`  the facts of a message: its prompt, tool call, permission, cancel, turn's end
- `frame_index`  what is at a frame of a story
- `frame_event`  a frame in a few words
"""
