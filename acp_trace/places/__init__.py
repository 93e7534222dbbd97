"""Places (directories or buckets with a team's traces): how the other packages reach them without `team`.

- `place`     what a place must provide, and what goes wrong at one
- `opening`   which package takes an address, and its place, opened
- `foreign`   a place of another package, whose failures become one line
- `address`   what people type: `s3://bucket/team`, `/mnt/team`, and a trace there
- `layout`    under which name a trace is kept, and what a name says
- `packing`   a trace's lines, compressed and back
- `pull`      traces of a place: which one is meant, its lines; also which of them `team prune` removes
- `fetched`   one of them to look at, as at a file
- `door`      the only module of the core that names `acp_trace.team`, where all else about places is

acp-trace runs no server, and a place has no lock. Objects are never modified: an object is put if it is
absent, so two machines that push the same trace leave one.
"""
