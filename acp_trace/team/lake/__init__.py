"""The tables of a place: what the store has of one machine, as Parquet, for a whole team. docs/team.md.

- `names`      under which names tables and commits are kept
- `snapshot`   which files are the tables, at one commit
- `plan`       what a build has to do: which traces, which files
- `log`        the commits of a place: the newest, the next
- `columns`    what a file of a table has more than the store's table, and what older files lack
- `parquet`    rows of some traces -> one file for each table
- `unit`       one part of a plan, done: traces, or files, to new files in the place
- `workers`    the parts of a plan, done by several processes
- `unused`     files that no commit names any more
- `build`      a build from its plan to its commits
- `tables`     the tables for SQL
- `listings`   what `ls` says of the traces in them
- `filesystem` files of a bucket, read by DuckDB
- `ranges`     an object of a place as a file that is only read
- `spark`      a build, and the tables, by Apache Spark

`names`, `snapshot`, `plan`, `unused` and `columns` do no I/O. Nothing here talks to a place except through
`places.place`; DuckDB and Spark read the files of a directory themselves.
"""
