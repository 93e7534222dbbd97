"""Logs of other tools, one module a format: bytes → messages, as far as the log has them.

- `log`         what every reader hands out
- `formats`     the table of all readers
- `directions`  who sent a message, where a log does not say it
- `trace_lines` a log → the lines of a trace
- `interleave`  the lines of two sides → one order that could have been
- `model_traffic`  requests to language models and their responses → what a trace has of them
- `acp_el`      the log of acp.el, which agent-shell uses
- `acpx`        acpx's journal of a session
- `connections` a log of several connections -> a log for each
- `devtools`    acp-devtools: its database, and its exports; `devtools_database`, `devtools_rows` are parts
                of it
- `devtools_database`  the database of acp-devtools -> its sessions with their messages
- `devtools_rows`  what a database and an export of acp-devtools have in common: shapes only
- `groups`      which files are one log together, which reader reads it best, and what its traces have of it
- `har`         HTTP archives (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/): requests to
                language models
- `jetbrains`   JetBrains IDEs' `acp-transport.log`: a line for each message
- `json_in_text`  JSON in any text, with the text before it
- `json_parts`  parts of a JSON text as they stand in it
- `jsons`       the trace of the official Rust SDK's conductor (`--trace FILE.jsons`): an event a line
- `lisp`        what Emacs prints -> values
- `lisp_strings`  the characters of a string that Emacs printed
- `log_times`   times as logs spell them
- `marks`       text beside a message that may show who sent it
- `messages_in_values`  the messages of a JSON value in a text
- `messages_in_words`  messages whose method and id a log has in words
- `mitmproxy`   flows that mitmproxy saved
- `pasted`      what pasting and copying have done to a text, undone
- `plain_text`  any text with messages in it
- `sense`       how much sense a log makes as it was read: decides between readers
- `snapshots`   the snapshots that claude-agent-acp and codex-acp keep of their own tests
- `spellings`   values as other languages print them, in the place of JSON
- `tck`         the JSON report of acp-tck, with the transcripts of tests that failed
- `tee`         two files of raw lines, one of each direction
- `text_lines`  the lines of a log that is text, and where they are
- `tnetstring`  typed netstrings, as mitmproxy writes its flows: `5:hello,` -> values
- `toad`        Toad's log of an agent
- `value_reader`  the JSON value at a place of a text, however it was written
- `zed`         what Zed copies of its view of ACP logs

Data that a format lacks is absent, never invented. Everything that a reader cannot use is counted, with its
reason.
"""
