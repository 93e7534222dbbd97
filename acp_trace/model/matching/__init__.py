"""Which recorded call answers a request: the same request in another run, directory, or time.

- `levels`     how strictly two requests are compared, from `raw` to `loose`
- `shapes`     a request, what it matches, what it misses
- `document`   a request, taken apart into pieces that many requests share
- `piece_forms`  a piece in the form in which it is compared at a level
- `outputs`    what tools returned
- `quotes`     whether two texts differ only in what they quote
- `learned`    what a matched pair teaches: ids that both sides made
- `comparison` how a recorded request and one of the run compare
- `loose`      the loosest level: whether two requests are at the same point of a conversation
- `matcher`    a request -> the recorded call that answers it
- `pairing`    the calls of two traces, in pairs

All of it is pure. What may differ in a text is in `acp_trace.normalize`; how an answer is made for the run
is in `serving`.
"""
