"""Facts -> what people and programs read. Reports compute nothing beyond the facts.

- `statements` the statements of a report, as data
- `text`       for people: screens of the terminal
- `json`       for programs: the documents of `--json`; `model` has their shapes
- `ci`         for CI systems: JUnit, SARIF, annotations
- `notes`      the notes of a comparison that people see
- `filters`    which frames are wanted: the options of `frames` and `follow`
- `frame_filter` the filter language for frames, of `frames`, `follow`, the page and MCP
- `selection`  a part of a trace's facts
- `session_names`  what reports call sessions and turns: S2, S2.0
- `tool_times`  how long a tool call took, and if that is known
- `work_tree`  which tool call a subagent made for which
- `units`      durations, sizes, times for people
- `badge`      a name and a word, side by side, as SVG
- `safe`       text from the traffic, made harmless for a terminal
- `chunk_runs` the chunks of a message as one row: `acp-trace frames --join`
- `frame_rows` frames with what depends on other frames: the time since the one before, a response's latency
- `gist`       the content of a frame, in a few words
- `grouping`   facts by a key
- `notebook`   reports as HTML for notebooks: short, without a script or a style sheet, on light and dark
               pages
- `page`       the page to look at: one HTML file that shows a trace, a diff or a replay
"""
