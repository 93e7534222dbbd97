"""Which recorded call answers a request: the same one of another run, in another directory, on another day.

- `levels`     how strictly two requests are compared, from `raw` to `loose`
- `shapes`     a request, what it matches, what it misses
- `places`     directories of the recording and of the run, in all forms in which a text names them
- `programs`   where the agent's program was installed, and where it is
- `ids`, `times`  what names a session, a call, a moment: its shapes, and one form for all of them
- `document`   a request, taken apart into pieces that many requests share
- `normal`     a piece in the form in which it is compared at a level
- `outputs`    what tools gave
- `quotes`     whether two texts differ only in what they quote
- `learned`    what a matched pair teaches: ids that both sides made
- `comparison` how a recorded request and one of the run compare
- `likeness`   whether two requests stand at the same point of a conversation
- `matcher`    a request -> the recorded call that answers it
- `pairing`    the calls of two traces, in pairs

All of it is pure. How an answer is made for the run is in `serving`.
"""
