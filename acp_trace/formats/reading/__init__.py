"""Logs of other tools, one module a format: bytes → messages, as far as the log has them.

- `log`         what every reader hands out
- `formats`     the table of all readers, and which of them a file is for
- `directions`  who sent a message, where a log does not say it
- `trace_lines` a log → the lines of a trace
- `interleave`  the lines of two sides → one order that could have been
- `model_traffic`  requests to language models and their responses → what a trace has of them

What a format does not have is absent, never invented; what a reader cannot use is counted, with its reason.
"""
