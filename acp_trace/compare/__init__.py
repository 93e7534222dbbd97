"""Two traces -> their differences. Does no I/O: entries go in, divergences with their codes come out.

The *expected* trace is a recording; the *actual* one is another recording, or the run of a replay. The result
(`result`) calls it `got`, as the JSON documents do. docs/diff.md describes what is compared; its table of
codes is generated from `codes`.

Start at `difference`: feed two `EventReader`s, call `compare`. Arrows point down this list:

- `difference`   the comparison: the rules for each level, and what happens to their divergences;
                 `compare_traces` also reads both traces, and compares what their agents sent to the model
- `explained`    divergences that another one already reports; their order, and the last common events
- `following`    which divergences follow from which: a table, by the keys of `following_keys` and `…_config`
- `run_order`    the place of a divergence among others; that causes are never later than consequences
- `environment`  a rule for the whole trace: names, protocol version, capabilities, how the agent ended
- `findings`     a rule: findings of the analysis in only one of the two
- `notices`      a rule: notifications, lines that are not messages
- `exact`        every frame; `reported` excludes what a rule has reported
- `requests`     rules for requests and their responses (a package, like the next ones)
- `work`         rules for an agent's work according to its updates
- `content`      rules for everything that is shown to people
- `pairing`      what in one trace matches what in the other
- `trace_pair`   the input of every rule: both traces, how values are compared, how a divergence is made
- `side_names`   the directories of each trace, and the ids that it made up
- `result`       the shapes of the result; `codes` has every divergence's code, its weight and its level
- `following_config`  which choice, option or metadata a divergence is about, as keys by which others follow
                 from it
- `sides`        divergences, and what is at the frames of both traces
- `traced_calls` the calls of the agents' models in two traces, read and compared, for `diff --model`

The comparison reads each trace as an `acp_trace.story`. `acp_trace.normalize` gives one form to values that
differ normally between two runs.

The calls of a model are compared too, if both traces have them: `model_divergences` adds the findings of
`model_outcome` to a result, with `model_reader` (one trace) and `model_places` (matching directories).
`acp_trace.model` finds the differences in a prompt.

Made from a result: `causes` puts repeats and consequences under their cause, heaviest first, as in all
reports; `obedience` shows which side obeys the protocol, `timings` how long things took.
"""
