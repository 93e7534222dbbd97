"""DuckDB, built from trace files: schema, loading, reading back, exporting, querying.

- `schema`    the tables and views, with their comments; docs/store.md is made from it
- `connect`   opening the store: waiting for others, versions
- `duckdb_version` whether the DuckDB that is installed is new enough
- `place`     what is at the store's path, and whether it is still the same file once it is open
- `aside`     a directory of our own beside the database, for files that are only on their way
- `make`      an empty database, made beside its place and moved there whole
- `repair`    what a process left that was killed in the middle of a block
- `errors`    what can be wrong
- `upgrade`   making a store, and bringing an older one up to date
- `load`      a trace file -> rows, in one transaction
- `ids`       what a trace is called
- `rows`      what a frame and a fact look like as rows
- `read`      rows -> facts and frames
- `export`    rows -> the trace file, byte for byte
- `query`     other people's SQL, read-only and shut in
- `statements` which SQL may be asked
- `interruptible` work of DuckDB's that Ctrl-C ends at once
- `sweep`     loading what waits in the spool
- `remove`    removing traces
- `compact`   the database without what was removed
- `sources`   one trace, in a file or in the store
- `read_once` what was read of a trace, kept to be gone through again
- `catalog`   which trace a person means: files, ids, prefixes, `last`

The trace file is the truth; everything here can be made again from it.
"""
