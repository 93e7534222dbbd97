"""Trace format 1: JSON lines, one entry a line. Writing, reading, recovering, finding the files.

Knows nothing of ACP: a frame is a line of bytes with a sender and a time. Everything else in the
package may import this; this imports nothing of the package.

- `jsontext`  what is JSON, and what a piece of JSON says, without ever raising
- `encode`    bytes from a pipe -> lines of a trace file
- `entries`   the entries of a trace, as the parser hands them out
- `parse`     bytes of a trace file -> entries, in any pieces
- `files`     opening a trace file and reading it block by block
- `inputs`    what may be read to its end: no device without one
- `tree`      the names below a directory, however deep
- `carets`    errors in what people type, which point at the place
- `inflate`   compressed bytes -> what they stand for, in pieces and within a limit
- `codings`   bodies out of their content coding (gzip, zstd, br), piece by piece
- `lock`      how a live trace says that its recorder is alive
- `home`      where spool and store are
- `helper`    another process that does a part of the work of this one
- `spool`     the directory of traces that are being written or wait to be loaded
- `without_links`  opening what was checked, and nothing that was put in its place
- `scratch`   directories for the time of one command
- `emptying`  removing what is in one
- `capture_blocks`  bytes of a capture -> its blocks, fed in any pieces
- `capture_http`  blocks of ACP over HTTP and WebSocket -> lines of format 1
- `capture_layout`  the capture: what a trace is while it is recorded
- `capture_lines`  blocks of a capture -> lines of format 1
- `client_tail`  the client's lines of a trace that is still being written
- `cores`     how many things at a time this process may do
- `document`  the JSON of what a recorder says about itself: header, gaps, footer
- `durations` durations as people read them: three digits that matter, and the unit
- `http_lines`  the lines of ACP over HTTP and WebSocket
- `intervals` intervals of time: which moments several of them claim, each moment once
- `json_pointer`  JSON Pointers (RFC 6901)
- `last_out`  where `record --out` wrote last
- `late_places`  where secrets are in a capture that nobody knew when they were written
- `model_bodies`  bodies of requests to a model: each repeats most of the one before
- `model_copies`  parts of a body that are in earlier bodies, at any place
- `names`     what a trace is called and where it lies
- `note_files`  where the notes on a trace are
- `near_misses`  the nearest choices to a word that is not there
- `own_python`  how a module of this package runs as a program
- `os_errors` why the system refused something, in one wording
- `tail`      a trace file that is still being written, read on as it grows
- `whole_files`  files that are there whole or not at all
"""
