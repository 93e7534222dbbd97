"""The documents that commands print for programs: public interfaces, whose keys are only added.

Each is made of the classes of `report.model`, or of plain values. What people read is in `report.text`.

- `check`          a verdict as JSON: what `acp-trace check --json` prints, a public interface
                   (docs/check.md)
- `conform`        conformance as JSON: what `acp-trace conform --json` prints, a public interface
                   (docs/conform.md)
- `diff`           a comparison as JSON: what `acp-trace diff --json` prints, a public interface
                   (docs/diff.md)
- `driven`         what `drive --json` prints (docs/drive.md)
- `encoding`       a document as bytes of JSON, for any text: also a file's name that is not UTF-8
- `exchanges`      `model --json`: an agent's requests, one object each
- `frames`         frames, joined chunks, logs and gaps for programs: the rows of `frames --json` and
                   `follow --json`
- `log_readings`   each reader's result for a log: `import --explain --json`
- `matrix`         a matrix as JSON: what `acp-trace matrix --json` prints, a public interface
                   (docs/builds.md)
- `model_calls`    `model --json`: calls of a model for programs, under the names of a report and of the
store
- `model_diff`     `model diff --json`: differences between two agents' requests to their models
- `query_rows`     rows of any query for programs: `query --json`, one object a row
- `replay`         replays as JSON: what `acp-trace replay --json` prints, a public interface
                   (docs/replay.md)
- `report`         facts -> the report: assembles the flat facts into the nested document, adding nothing
- `session`        a session over several traces -> JSON: parts of the report of each trace, with the trace
                   that has them
- `trace_list`     the available traces: `ls --json`
"""
