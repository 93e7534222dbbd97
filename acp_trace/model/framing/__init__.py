"""Pieces of a response -> its events, whatever the pieces.

What an event means is not known here. Content codings (gzip …) are undone before.

- `framer`        which framer a response needs; `events` is what all of them do
- `lines`         lines out of pieces
- `texts`         one JSON text, lines of JSON, the items of a JSON array
- `server_sent`   server-sent events
- `event_stream`  the binary frames of Amazon's event streams
"""
