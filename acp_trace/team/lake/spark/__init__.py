"""The tables of a place by Apache Spark: built on its executors, asked in its SQL. docs/team.md, "Spark".

- `wire`     a unit of a plan, and its result, as bytes
- `task`     what an executor does with a unit. Its module needs nothing but Python until then
- `shipped`  this package as a file, so that executors run the same version
- `engine`   the units of a plan, done by executors
- `problems` an error of Spark's -> one line
- `session`  a session of Spark, started by this process
- `tables`   the tables as views of a session
- `ddl`      the columns of a table in Spark's words
- `source`   the tables of a bucket as a data source of Spark's
- `reading`  what an executor reads for it: files, as batches of Arrow's

`wire`, `ddl` and `problems` are pure. `engine`, `session`, `source` and `tables` alone know pyspark, and
import it late; `source` itself is imported late.
"""
