"""What commands print for people. One module a screen or a section; what several share comes last.

- `show` and its sections: `overview`, `findings`, `sessions`, `timeline` (with `timeline_table` and `turns`),
  `metadata` and `config` (with `final_state`), `cancels`, `failures`, `latency`, `logs`
- `model_calls`, `turn_bar`       the model's part of `show`: its calls, and where a turn's time went
- `transcript`, `session_report`  `show --transcript`, and `show SESSION`
- `trace_list`, `session_list`    the tables of `ls`; `log_readings`  what `import --explain` prints
- `frame_list`, `event_list`      a line for each frame, and for what it means; `follow_frame` surrounds
them in `frames --follow`
- `checks`, `stats`, `records`, `schema`  what `check`, `stats` and `query` print; `conform` what `conform`
does, `conform_kit` its results beside acp-tck's
- `differences`, `replays`, `plans`, `mask_proposals`  what `diff` and `replay` print
- `matrix`, `bisection`  what `matrix` and `bisect` print
- `call_list`, `exchange_list`, `prompt`  what `model` prints; `model_diff` (with `prompt_diff`) what
  `diff --model` does
- `driven`                        what `drive` prints
- `model_outcome`                what `diff` and `replay` say of a model's calls
- `columns`, `styles`             tables of a line a row; what colours mean
- `divergences`  divergences for people: the heaviest cause in full, the others in a line each, with their
consequences
- `last_output`  what an agent that died wrote to stderr at last: its error first, then the lines around it
- `streams`  the streams of a trace over HTTP or WebSocket: a section of `show`
- `timings`  the times of a recording and of its run side by side, with their names: the end of a
report
"""
