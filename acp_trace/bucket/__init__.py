"""A team's traces in one place: a directory, or a bucket of S3, Google Cloud or Azure. docs/team.md.

- `address`   what people type: `s3://bucket/team`, `/mnt/team`, and a trace there
- `layout`    under which name a trace is kept, and what a name says
- `objects`   the one module that talks to the place: list, get, put if absent
- `walked`    the files of a directory that it cannot list
- `reasons`   what its errors mean
- `endpoints` which endpoints of the environment cannot be used
- `profiles`  access by a profile of `~/.aws`
- `packing`   a trace's lines, compressed and back
- `push`      local traces to the place: which ones, without secrets, each once
- `presence`  which of them a place has
- `same`      whether what is there under an id is that trace
- `pull`      traces from the place; also which of them `rm --at` removes
- `fetched`   one of them to look at, as at a file
- `unfinished` what a killed put leaves in a directory
- `standing`  pushes after each recording, where that was switched on

A place has no server of ours and no lock. What is in it is never changed: an object is put if it is absent,
so two machines that push the same trace leave one.
"""
