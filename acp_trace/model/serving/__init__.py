"""What a run gets instead of a provider's answer: the recorded one, made to fit the run, or a refusal. Pure.

- `rewriting`     pieces of a recorded response -> pieces of the served one
- `replacements`  what has to be another thing in the run: directories, ids
- `strings`       the strings of a response, and which of them go on in the next event
- `refusals`   what a request gets that no recorded call answers
"""
