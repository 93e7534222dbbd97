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
"""
