"""Entries of a trace -> facts: sessions, turns, ledgers, cancellations, findings. Does no I/O, never raises.

One incremental analyser for `show`, `follow`, the loader and the comparison: feed it entries in any
pieces, ask for the facts at any time. Time is linear, and memory does not grow with chunk text.

- `facts/`         the shapes: flat, frozen, each field with its unit; also the store's tables
- `analyzer`       takes entries in, numbers the frames, hands each message on; `frame` is what it gives out
- `trace_totals`   the trace as a whole: header, counts, losses, end
- `batches`        the places of messages in an array
- `inner_messages`  which messages envelopes carry; `inner_connections`: the facts of these
- `version`        of all these rules
- `exchanges`      pairs requests with responses; `latency` percentiles over them
- `handshake`      what `initialize` agreed on
- `openings`       which sessions are open
- `sessions`       hands a message to the rules it concerns; `state` is what they change
- `turns`, `work`  turns; tool calls, permissions, usage; `silence` measures the gaps between messages
- `session_events`  notices, compactions, questions, plans, messages between turns, usage, silence
- `metadata`       title, updatedAt, _meta over time; `merge` has the three rules, `timestamps` RFC 3339
- `settings`       messages about configuration -> `config`, the ledger of options, and `modes`, the
                   legacy one; `options` reads and compares lists of options
- `cancellation`   cancels -> `cancellations`: what each was aimed at, and what became of it
- `model_calls`    the calls of a language model, if its side was recorded -> `model_turns`: what they say of
                   turns and cancels
- `findings/`      the codes, and the rules that are about one message or one cancel
- `contradictions/`  what was announced, offered or opened, against what came later
- `budgets/`       what `check` measures and allows; `verdict` is what it decides
- `peers`          what people see as the name of an agent or a client
- `listing`        the few facts that `ls` shows
- `session_facts`  how the state of a session becomes facts: rows for the store and the reports, a class of
                   `facts` each
- `subagents`      the sessions of subagents: who announced them, when they worked
- `session_names`  what reports call sessions: S1, S2 …
- `session_over_traces`  one session through all its traces
- `set_values`     whether what a client has set still holds when its session is opened again
- `replays`        which updates are history, by the facts
- `history`        whether the history of a loaded session is what was recorded
- `stats`          what `acp-trace stats` says of an agent, a version of one, or a client, over all its
                   traces: plain values
- `streams`        the streams of a trace over HTTP or WebSocket: each request with its response, and the
                   frames on it
- `timeless`       facts of a trace without times: whatever is measured in ns is absent
- `tool_span`      from when until when a tool call is drawn and measured
- `turn_time`      where the time of a turn went: each moment of it belongs to exactly one part
"""
