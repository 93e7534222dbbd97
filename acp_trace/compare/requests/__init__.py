"""Requests that belong together, and their responses.

- `details`      what requests show or do, beside what they match by
- `outcomes`     what requests ask for; results, errors, stop reasons
- `cancels`      how cancels end, and the words for one that is not obeyed
- `unmatched`    requests and sessions that only one trace has
- `permissions`  which `options` they offer; whether they show what then runs (`agreement`, `shown_files`)
"""
