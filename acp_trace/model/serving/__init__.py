"""What a run gets instead of a provider's answer: the recorded one, made to fit the run, or a refusal. Pure.

- `rewriting`  pieces of a recorded response -> pieces of the served one
- `refusals`   what a request gets that no recorded call answers
"""
