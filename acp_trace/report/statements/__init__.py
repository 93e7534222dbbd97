"""The statements of a report, as data: made once, and shown by the terminal, the page, CI, notebooks and MCP.

- `status`        the status of something: failed, open, faint
- `phrases`       the few words and signs that all reports share
- `consequences`  how many findings there are; what follows from one, as it is shown below it
- `timeline`      what happened in the sessions, in time: one list of items
- `subagent`      the session of a subagent: whose it is, and what it was for
- `tools`         the tool calls of a session that took longest
- `turns`         how a turn ended; `cancels` what became of a cancel
- `turn_parts`    the parts of a turn's time, with their names and owners
- `failures`      requests that failed or were never answered, with their errors
- `stderr`        what the agent wrote to stderr while something went wrong
- `config_steps`  what changed in the configuration of a session, and the outcome of each change
- `checks`        a check in a line: its verdict, each budget, each trace
- `conformance`   conformance in a line: its verdict, who was tried, the word of a badge
- `kit`           acp-tck's results beside ours
- `comparisons`   a comparison in a line: its verdict, what was compared, both sides of a divergence
- `driven`        a scripted session: its steps, and which of the agent's capabilities were tried
- `matrix`        a matrix of recordings and builds: all cells in a line, and each cell
- `tokens`        tokens that calls of the model read and wrote, summed, and in words; those of a turn
- `spent`         tokens and cost of a trace, its sessions and turns, and which turn took most
- `time_spent`    how long the turns of a trace took, whose time that was, and the time outside of turns
- `silence`       the longest time without a frame, and who owed an answer meanwhile
- `model_calls`   calls of the model: how many, how long, the tokens, what went wrong
- `replays`       a replay: its attempts, its verdict, its outcome
"""
