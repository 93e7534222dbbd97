"""Pieces of a response -> its events, whatever the pieces.

What an event means is not known here. Content codings (gzip …) are undone before.

- `framer`        which framer a response needs; `events` is what all of them do. `acp_trace.transport.sse`
                  cuts server-sent events
- `texts`         one JSON text, lines of JSON, the items of a JSON array
- `event_stream`  the binary frames of Amazon's event streams
"""
