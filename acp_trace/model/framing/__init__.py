"""Pieces of a response -> its events, however the response was cut.

Framers do not know what an event means. Content codings (gzip …) are undone before.

- `framer`        which framer a response needs; `events` is what all of them do. `acp_trace.transport.sse`
                  cuts server-sent events
- `texts`         one JSON text, lines of JSON, the items of a JSON array
- `event_stream`  the binary frames of Amazon's event streams
"""
