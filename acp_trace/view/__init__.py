"""`acp-trace view`: the page of `report.page`, from a server on this machine, which writes nothing but notes.

- `gate`     which requests are answered, and what a path means. Pure
- `kept`     the parts of one page: made when they are first asked for, kept packed in a file without a name
- `growing`  a live trace, read on as it grows; how often the page asks for that is in its `live.js`
- `given`    traces and logs that were dropped on the page, in a temporary directory
- `notes`    marks and comments on frames, in a file beside the trace
- `store_access`  who reads the store, and who loads into it
- `traces`   the available traces, under numbers: a path never contains what a trace says about itself
- `pages`    a path's numbers -> the parts of its page
- `server`   sockets and HTTP, by the standard library
"""
