"""The page to look at: one HTML file that shows a trace, a diff or a replay. No I/O: bytes come out.

- `columns`   frames -> what lists and filters need of each, as arrays
- `parts`     facts and frames -> the named parts that the page reads, each as few as it needs
- `frame_parts` the parts that hold what frames say, made in several ways
- `condensed` the conversation in fewer frames
- `bundle`    the modules below `assets/scripts` -> one script
- `html`      script, styles and parts -> the file
- `about`     what is known of a trace as a whole: the line above all views, and the list below the overview
- `alignment` two traces side by side: which frame stands beside which, as `diff` compares them
- `answered`  what a question and its answer are, for all that answer one
- `answers`   the five questions that people open a trace with, answered from its facts
- `call_rows` the calls of the model as the rows of a table
- `cancels`   each cancel as the page draws it: what came after it until when, in words with links
- `check_rows`  what a check said, as rows for the page: what failed first, then the budgets that hold
- `failure_rows`  requests that failed or were never answered, with what stderr said meanwhile
- `conform_rows`  what conforms, as rows for the page: what failed first
- `comparison`  a comparison -> the parts of a page that show it, beside those of its two traces
- `comparison_document`  what the page reads of a comparison first: its verdict, its causes, where each
              divergence stands
- `documents`  what the parts of the page hold, as types, for the makers and for the scripts
- `config_answer`  were config changes applied? Each with the time it took, and what else changed with it
- `diff_lines`  a text before and after -> the lines of a diff that a page shows, with a little of what
              stays
- `late_updates`  the updates that came late: a turn's work, after a cancelled prompt settled and before the
              next one
- `matrix`    a matrix of recordings and builds: a page of its own, without a script
- `model_side`  calls of the model as the page reads them, one part each: what was told, what came back,
              what is new
- `owned_time`  whose the time of turns was: the model's, the tools', the client's or the agent's own
- `spent`     tokens and cost: of the whole trace, and of each session, turn and model
- `state`     what changed in each session, step by step, as the page reads it: `state.json`
- `terminal_texts`  what terminals printed, however it is told: by requests (version 1), updates (draft 2)
              or `_meta`
- `timeline`  what the timeline draws: facts -> bars and marks in lanes, of the connection and of each
              session
- `told_elsewhere`  two answers that list other choices, where a divergence at another place says so
- `tool_details`  what tool calls hold and permissions offer, which no fact says: read from their frames
- `transcript`  the conversation of each session as the page reads it: items, in slices that are read as
              needed
- `turn_rows` where the time of each turn went, as the rows of a table

The page computes nothing that Python computes: facts come from the documents of `report.json`. What people
see is in `assets`: plain ES modules and CSS, joined when a page is written. Of the scripts, `tabs.js` has the
labels of the tabs and their views, `live.js` asks what live traces have got.
"""
