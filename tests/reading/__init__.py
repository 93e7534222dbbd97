"""A second reading of the rules of docs/report.md: slow, simple, and without a line of the analyser's code.

It exists to disagree. Each question is answered by looking through all frames again, so that a mistake
in the analyser's bookkeeping cannot be made here too. Nothing that reads imports `acp_trace`; only the
scenarios (builders of tests/support.py) and the test that compares the two do.

- `wire`, `story`                            frames; exchanges, turns, replays
- `sessions`, `metadata`, `config`, `modes`  the parts of a session
- `cancels`, `findings`                      cancellations; findings whose definition is mechanical
- `second`                                   all of it as the report's document
- `scenarios…`, `talk`, `chance`            traces made by hand, and by chance
"""
