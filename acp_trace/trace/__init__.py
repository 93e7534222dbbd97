"""Trace format 1: JSON lines, one entry a line. Writing, reading, recovering, finding the files.

It knows nothing of ACP: a frame is a line of bytes with a sender and a time. Everything else in the package
may import these modules; they import nothing of the package.

- `jsontext`  whether a text is JSON, and its value, without ever raising
- `encode`    bytes from a pipe -> lines of a trace file
- `entries`   the entries of a trace, as the parser returns them
- `parse`     bytes of a trace file -> entries, in any pieces
- `files`     opening a trace file and reading it block by block
- `inputs`    which files may be read to their end: no endless device
- `tree`      the names below a directory, however deep
- `carets`    errors in what people type, with a caret under the place
- `inflate`   decompressing bytes, in pieces and within a limit
- `codings`   bodies out of their content coding (gzip, zstd, br), piece by piece
- `lock`      how a live trace shows that its recorder is alive
- `home`      where spool and store are
- `helper`    another process that does a part of this process's work
- `spool`     the directory of traces that are being written or are not yet imported
- `without_links`  opening exactly the file that was checked, and no replacement
- `scratch`   directories for the duration of one command
- `emptying`  removing the contents of such a directory
- `capture_blocks`  bytes of a capture -> its blocks, fed in any pieces
- `capture_http`  blocks of ACP over HTTP and WebSocket -> lines of format 1
- `capture_layout`  the capture: the form of a trace while it is recorded
- `capture_lines`  blocks of a capture -> lines of format 1
- `client_tail`  the client's lines of a trace that is still being written
- `cores`     the number of tasks that this process may run at a time
- `document`  the JSON of what a recorder says about itself: header, gaps, footer
- `durations` durations for people: three significant digits, and the unit
- `counts`    numbers for people, alone and with their nouns
- `http_lines`  the lines of ACP over HTTP and WebSocket
- `intervals` intervals of time: which of several claims gets each moment
- `json_pointer`  JSON Pointers (RFC 6901)
- `last_out`  where `record --out` wrote last
- `late_places`  places of secrets in a capture that became known after they were written
- `model_bodies`  bodies of requests to a model: each repeats most of the one before
- `model_copies`  parts of a body that are in earlier bodies, at any place
- `names`     the names and paths of traces
- `note_files`  where the notes on a trace are
- `near_misses`  the nearest choices to a word that is not a choice
- `own_python`  how a module of this package runs as a program
- `os_errors` why the system refused something, in one wording
- `tail`      a trace file that is still being written, read as it grows
- `whole_files`  files that exist whole or not at all
"""
