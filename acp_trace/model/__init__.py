"""The model's side: what an agent says to its language model, beside what it says to its client.

- `wire`       bytes of a connection -> requests and responses as they go past (a package)
- `providers`  which requests go to a language model, by their shape
- `secrets`    what must not be written, and how it is cut out of what is
- `codings`    bodies out of their content coding (gzip, zstd, br), piece by piece
- `journal`    what goes past -> what is written of it
- `exchange`   entries of a trace -> exchanges, with whole bodies
- `proxy`      the process that stands between an agent and its providers (a package)

Only `proxy`, and the parsers that it uses, need the packages of the extra `acp-trace[model]`.
"""
