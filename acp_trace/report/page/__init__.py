"""The page to look at: one HTML file that shows a trace, a diff or a replay. No I/O: bytes come out.

- `columns`   frames -> what lists and filters need of each, as arrays
- `parts`     facts and frames -> the named parts that the page reads, only those that it needs
- `frame_parts` the parts with the content of frames, made in several ways
- `condensed` the conversation in fewer frames
- `bundle`    the modules below `assets/scripts` -> one script
- `html`      script, styles and parts -> the file
- `about`     a trace as a whole: the line above all views, and the list below the overview
- `alignment` two traces side by side: which frames are in one row, as `diff` compares them
- `answered`  the shapes of a question and its answer, for all modules that answer one
- `answers`   the five questions that people open a trace with, answered from its facts
- `call_rows` the calls of the model as the rows of a table
- `cancels`   each cancel as the page draws it: what came after it until when, in words with links
- `check_rows`  a check as rows for the page: failures first, then the budgets that hold
- `failure_rows`  requests that failed or were never answered, with the lines on stderr meanwhile
- `conform_rows`  conformance as rows for the page: failures first
- `comparison`  a comparison -> the parts of a page that show it, beside those of its two traces
- `comparison_document`  the part of a comparison that the page reads first: its verdict, its causes, the row
of each divergence
- `documents`  what the parts of the page hold, as types, for the makers and for the scripts
- `config_answer`  were config changes applied? Each with the time it took, and what else changed with it
- `diff_lines`  a text before and after -> the lines of a diff that a page shows, with a little of what
              stays
- `late_updates`  the updates that came late: a turn's work, after a cancelled prompt settled and before the
              next one
- `matrix`    a matrix of recordings and builds: a page of its own, without a script
- `model_side`  calls of the model as the page reads them, one part each: what was sent, what came back,
what is new
- `spent`     tokens and cost: of the whole trace, and of each session, turn and model
- `state`     what changed in each session, step by step, as the page reads it: `state.json`
- `terminal_texts`  what terminals printed, from requests (version 1), updates (draft 2) or `_meta`
- `timeline`  what the timeline draws: facts -> bars and marks in lanes, of the connection and of each
              session
- `reported_elsewhere`  two answers whose lists differ, if another row has the divergence for that
- `tool_details`  the contents of tool calls and the offers of permissions, which facts lack: read from frames
- `transcript`  the conversation of each session as the page reads it: items, in slices that are read as
needed
- `turn_rows` where the time of each turn went, as the rows of a table

The page computes nothing that Python computes: facts come from the documents of `report.json`. What people
see is in `assets`: plain ES modules and CSS, joined when a page is written. Among the scripts, `tabs.js` has
the labels of the tabs and their views, and `live.js` asks for new entries of live traces.
"""
