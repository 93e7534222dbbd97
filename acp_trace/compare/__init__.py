"""Two traces -> what differs. Does no I/O: entries go in, divergences with their codes come out.

The *expected* trace is a recording; the *actual* one is another recording, or the run of a replay. In what
comes out (`result`) it is called `got`, as in the JSON documents. docs/diff.md says what is compared; its
table of codes is made from `codes`.

What goes in, and what comes out:

- `chunk_joiner` entries -> events, chunks of one message joined; `joined_text` what these show
- `story`        a trace as it is compared: shapes. `story_builder` makes one of events and facts
- `difference`   the comparison: feed two `EventReader`s, call `compare`
- `codes`        every divergence's code: how bad it is, its weight, what it means, from which level on
- `result`       the shapes of what comes out; `causes` puts repeats and consequences under their cause
- `collector`    takes divergences in, finds the last common event of each, and counts

How two values, or two lists, are held against each other:

- `align`        two sequences -> their pairs, at once or in steps; barriers between them
- `bindings`     ids that the sides invent: where they stand, which is which
- `normalizer`   how one trace's values are looked at: through `masks`, and from its `directories`
- `wording`      texts without the ids, times and figures that are others in each run
- `keys`         what is compared of a request and of its result
- `pointers`     JSON Pointers, and where two values differ
- `tolerance`    where something may be missing, or too much, because nobody can tell

What is compared:

- `environment`  names, protocol version, capabilities, how the agent ended
- `sessions`     which session, turn and request is which; `matching` does one list of requests
- `permissions`  which `options` they offer; whether they show what runs (`agreement`, by `quoting`)
- `details`      what requests show or do, beside what they match by
- `outcomes`     results, errors, stop reasons, cancels
- `work`         what the agent did, turn by turn: messages, plans; `calls` its tool calls
- `content`      a package: what is shown to people, whatever it is
- `notices`      notifications, lines that are not messages
- `ledgers`      configuration and metadata
- `findings`     what the analysis finds in one of the two only; `obedience` says which side obeys
- `exact`        every frame, by `streams`
"""
