"""Matching requests, and their responses.

- `details`      what requests show or do, beyond the keys by which they match
- `outcomes`     what requests ask for; results, errors, stop reasons
- `cancels`      how cancels end, and the words for a cancel that is not obeyed
- `unmatched`    requests and sessions that only one trace has
- `permissions`  the `options` that they offer; whether they show what then runs (`agreement`, `shown_files`)
"""
