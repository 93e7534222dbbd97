"""Entries of a trace -> facts: sessions, turns, changes, cancellations, findings. Does no I/O, never raises.

One incremental analyser serves `show`, `follow`, the loader and the comparison: feed it entries in any
pieces, and ask for the facts at any time. Its time is linear, and its memory does not grow with chunk text.

- `facts/`         the shapes: flat, frozen, each field with its unit; also the store's tables
- `analyzer`       reads entries, numbers the frames, hands each message on; it returns each as a `frame`
- `trace_totals`   the trace as a whole: header, counts, losses, end
- `batches`        the places of messages in an array
- `inner_messages`  the messages that envelopes carry; `inner_connections`: the facts of these
- `version`        of all these rules
- `exchanges`      pairs requests with responses; `latency` computes percentiles over them
- `handshake`      the result of `initialize`
- `openings`       which sessions are open
- `sessions`       hands a message to the rules that it concerns; `state` is what they change
- `turns`, `work`  turns; tool calls, permissions, usage; `silence` measures the gaps between messages
- `session_events`  notices, compactions, questions, plans, messages between turns, usage, silence
- `metadata`       title, updatedAt, _meta over time; `merge` has the three rules, `timestamps` RFC 3339
- `settings`       messages about configuration -> `config`, the ledger of options, and `modes`, the
                   legacy one; `options` reads and compares lists of options
- `cancellation`   cancels -> `cancellations`: the target of each, and its outcome
- `model_calls`    the calls of a language model, if its side was recorded -> `model_turns`: their effect on
                   turns and cancels
- `findings/`      the codes, and the rules about one message or one cancel
- `contradictions/`  what was announced, offered or opened, against what came later
- `budgets/`       what `check` measures and allows; `verdict` is its decision
- `peers`          the name of an agent or a client that people see
- `listing`        the few facts that `ls` shows
- `session_facts`  turns the state of a session into facts: rows for the store and the reports, a class of
                   `facts` each
- `subagents`      the sessions of subagents: who announced them, when they worked
- `session_names`  the names of sessions in reports: S1, S2 …
- `session_over_traces`  one session through all its traces
- `set_values`     whether what a client has set still holds when its session is opened again
- `replays`        which updates are history, by the facts
- `history`        whether the history of a loaded session is what was recorded
- `stats`          the figures of `acp-trace stats` for an agent, a version of it, or a client, over all its
                   traces: plain values
- `streams`        the streams of a trace over HTTP or WebSocket: each request with its response, and the
                   frames on it
- `timeless`       facts of a trace without times: everything measured in ns is absent
- `tool_span`      the interval in which a tool call is drawn and measured
- `turn_time`      where the time of a turn went: each moment belongs to exactly one part
"""
