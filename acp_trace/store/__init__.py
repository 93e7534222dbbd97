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
- `bulk_insert`  rows into a table as DuckDB takes them in fastest
- `collected_rows`  rows of one trace, collected until there are enough of them
- `derive`    the bytes of a stored trace file -> its entries, its facts by the rules of today, logs between
              frames
- `fill`      one trace's entries -> its rows, for whoever takes them
- `fill_process`  the process that reads and analyses a trace for one that loads it
- `glimpse`   what shells complete, at once
- `headers`   whether DuckDB has opened the database as it is now, or as it was a moment before
- `latency_sql`  latencies in SQL
- `listings`  which traces there are, with what `ls` says of each: store and live spool as one list
- `literals`  text as literals of SQL, for what takes no parameters
- `of_files`  a store of some trace files alone
- `parallel_fill`  the rows of a large trace, read in a process of their own (`fill_process`)
- `parquet`   one trace as Parquet, a file for each table
- `private`   files for their owner only, while the store is open for writing
- `read_ahead`  a stream, read by a thread before it is asked for
- `rows_of_many`  rows of many traces on their way into the tables
- `session_traces`  which session a person means, over all traces that name it
- `stats`     figures over many traces, by agent, version, client or method, from the tables of facts alone
- `table_rows`  what a frame and a fact look like as rows of their tables, without the trace id
- `transactions`  all or nothing
- `wanted`    which traces are meant by `ls`, `ls --sessions` and `stats`: one filter for all of them

The trace file is the truth; everything here can be made again from it.
"""
