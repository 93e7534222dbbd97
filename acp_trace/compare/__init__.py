"""Two traces -> what differs. Does no I/O: entries go in, divergences with their codes come out.

The *expected* trace is a recording; the *actual* one is another recording, or the run of a replay. In what
comes out (`result`) it is called `got`, as in the JSON documents. docs/diff.md says what is compared; its
table of codes is made from `codes`.

Start at `difference`: feed two `EventReader`s, call `compare`. Arrows point down this list:

- `difference`   the comparison: which rules are applied at which level, and what becomes of what they find;
                 `compare_traces` also reads both traces, and compares what their agents sent to the model
- `explained`    which divergences say what another one says already; their order, and the last common events
- `following`    which divergences follow from which: a table, by the keys of `following_keys` and `…_config`
- `order`        where a divergence stands among others; that nothing follows from what came later
- `environment`  a rule for the whole trace: names, protocol version, capabilities, how the agent ended
- `findings`     a rule: what the analysis finds in one of the two only
- `notices`      a rule: notifications, lines that are not messages
- `exact`        every frame; `reported` keeps away what a rule reported
- `requests`     rules for requests and their responses (a package, as the next ones)
- `work`         rules for what the agent's updates say that it did
- `content`      rules for what is shown to people, whatever it is
- `pairing`      what of one trace belongs to what of the other
- `trace_pair`   what every rule is given: both traces, how values are compared, how a divergence is made
- `side_names`   the directories of each trace, and the ids that it made up
- `result`       the shapes of what comes out; `codes` has every divergence's code, its weight and its level
- `following_config`  which choice, option or metadata a divergence is about, as keys by which others follow
                 from it
- `sides`        divergences, and what stands at the frames of both traces
- `traced_calls` the calls of the agents' models in two traces, read and compared: what `diff --model` says

The comparison reads each trace as an `acp_trace.story`. `acp_trace.normalize` gives one form to what may
differ between two runs.

The calls of a model are compared too, if both traces have them: `model_divergences` adds to a result what
`model_outcome` finds, with `model_reader` (one trace) and `model_places` (which directories belong
together). `acp_trace.model` finds what differs in a prompt.

Made from a result: `causes` puts repeats and consequences under their cause, heaviest first, as in all
reports; `obedience` says which side obeys the protocol, `timings` how long things took.
"""
