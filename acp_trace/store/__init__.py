"""DuckDB, built from trace files: schema, loading, reading back, exporting, querying.

- `schema`    the tables and views, with their comments; docs/store.md is made from it
- `connect`   opening the store: waiting for others, versions
- `duckdb_version` whether the DuckDB that is installed is new enough
- `place`     what is at the store's path, and whether it is still the same file once it is open
- `aside`     our own directory beside the database, for temporary files
- `make`      an empty database, made beside its place and moved there whole
- `repair`    repairs what a process left that was killed in the middle of a block
- `errors`    the exceptions of the store
- `upgrade`   making a store, and bringing an older one up to date
- `load`      a trace file -> rows, in one transaction
- `ids`       the ids of traces
- `rows`      rows of one trace on their way into the tables
- `read`      rows -> facts and frames
- `export`    rows -> the trace file, byte for byte
- `query`     users' SQL, read-only and sandboxed
- `statements` which SQL may be asked
- `interruptible` work in DuckDB that Ctrl-C ends at once
- `sweep`     loading what waits in the spool
- `remove`    removing traces
- `compact`   rewrites the database without what was removed
- `sources`   one trace, in a file or in the store
- `read_once` the frames of a trace, kept so that they are read once
- `catalog`   which trace a person means: files, ids, prefixes, `last`
- `bulk_insert`  inserts rows the fastest way that DuckDB has
- `collected_rows`  rows of one trace, collected until there are enough of them
- `derive`    the bytes of a stored trace file -> its entries, its facts by the rules of today, logs between
              frames
- `fill`      one trace's entries -> its rows
- `fill_process`  the process that reads and analyses a trace for one that loads it
- `glimpse`   the traces that shells complete, at once
- `headers`   whether DuckDB has opened the database as it is now, or as it was a moment before
- `latency_sql`  latencies in SQL
- `listings`  the available traces, with what `ls` shows of each: store and live spool as one list
- `literals`  text as SQL literals, for statements that take no parameters
- `of_files`  a store of only some trace files
- `parallel_fill`  the rows of a large trace, read in a separate process (`fill_process`)
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
