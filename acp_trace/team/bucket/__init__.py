"""A directory, or a bucket of S3, Google Cloud or Azure; and traces on their way there. docs/team.md.

- `objects`   the one module that talks to them: list, get, put if absent
- `walked`    the files of a directory that it cannot list
- `reasons`   what its errors mean
- `endpoints` which endpoints of the environment cannot be used
- `profiles`  access by a profile of `~/.aws`
- `push`      local traces to a place: which ones, without secrets, each once
- `presence`  which of them a place has
- `same`      whether what is there under an id is that trace
- `unfinished` what a killed put leaves in a directory
- `standing`  pushes after each recording, where that was switched on
"""
