"""Two traces -> what differs. Does no I/O: entries go in, divergences with their codes come out.

The first trace is what is expected (a recording), the second what was got (another recording, or the
live run of a replay). docs/diff.md says what is compared; its table of codes is made from `codes`.

- `codes`          every divergence's code: how bad it is, what it means, from which level on
- `difference`     the comparison: feed two `Reader`s, call `compare`
- `result`         the shapes of what comes out
- `collector`      takes divergences in, finds the last common event of each, and counts
- `reading`        entries -> events, chunks of one message joined (`kinds` says which)
- `story`          what a trace tells, as it is compared; `telling` makes one of events and facts
- `align`          two sequences -> their pairs, in less than quadratic time; `claims` does it in steps
- `bindings`       ids that the sides invent: where they stand, which is which
- `normalizer`           how one side's values are looked at: through `masks`, and from its `folders`
- `pointers`       JSON Pointers, and where two values differ
- `environment`    names, protocol version, capabilities, how the agent ended
- `sessions`       which session, turn and request is which: `matching` of requests by their `keys`
- `outcomes`       results, errors, stop reasons, cancels
- `work`, `calls`  messages and tool calls, turn by turn, between `barriers`; `tolerance` of chance
- `notices`        notifications, lines that are no messages
- `ledgers`        configuration and metadata
- `exact`          every frame, by `streams`
"""
