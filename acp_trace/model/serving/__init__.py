"""What a run gets instead of a provider's answer: the recorded one, adapted to the run, or a refusal. Pure.

- `rewriting`     pieces of a recorded response -> pieces of the served one
- `replacements`  what has to be replaced in the run: directories, ids
- `strings`       the strings of a response, and which of them continue in the next event
- `refusals`   the answer to a request that no recorded call matches
"""
