"""The commands: one thin module each, which parses words, calls the package and prints.

What a command needs beyond typer is imported inside it, so that `record` starts without DuckDB,
rich or watchfiles. No rule about traces, protocol or tables lives here.

- `bisect`, `check`, `conform`, `demo`, `diff`, `docs`, `doctor`, `drive`, `export`, `frames`, `install`,
  `ls`, `matrix`, `mcp`, `mock`, `model`, `model_diff`, `query`, `redact`, `replay`,
  `review`, `rm`, `show`, `stats`, `view`  the commands of these names; beside them, with older names,
  `follow` (`frames --follow`), `load` (a part of `import`), `model_diff` (`diff --model`), `where`
- `app`               the root command: all commands, and the place of each in `--help`
- `bisect_output`     what `bisect` prints at its end
- `bisect_run`        runs `bisect`: tries the builds that the search asks for
- `browsing`          an address, opened in the browser
- `build_options`     the options that say which builds `matrix` and `bisect` try
- `build_runs`        recordings played to builds, for both
- `ci_output`         where the traces of `check`, `diff` and `replay` are, and GitHub's lines
- `client_checks`     whether the recorder that a client's configuration names works
- `client_files`      the configuration file of a client on disk
- `client_matrix`     `matrix --mock`: recorded agents played to clients
- `command_classes`   our command classes, as far as they differ from typer's
- `common`            what the commands share: opening a trace, printing, progress
- `completion`        what a shell completes
- `errors`            a failure -> one line on stderr and an exit code (docs/report.md, Exit codes)
- `export_to`         which writer `export --to` has, and where its bytes go
- `filtering`         filters on the line: `--where`, and words
- `headings`          the headings of a long help: which options are listed together
- `follow_printer`    what `follow` prints
- `import_log`        `acp-trace import`
- `kit_report`        a report of acp-tck, for `conform --tck`
- `learning`          `replay --learn N`
- `listed_rows`       the rows of `ls`, printed: of this machine's store, and of the tables of a place
- `listening`         `--listen` and what belongs to it
- `matrix_output`     what `matrix` prints and writes
- `matrix_run`        runs `matrix`: the cells that are not known yet
- `options`           options and arguments that several commands take, each declared once
- `otlp_sender`       spans -> a collector (extra `otlp`)
- `outcome`           the results of finished replays: reports, files, the exit code
- `outputs`           every file that a command writes: whole or not at all, and never over an input
- `page_helper`       parts of a large page, made by a separate process (`page_process`)
- `page_output`       pages as files, for `--html`
- `page_process`      a process that makes parts of a page for the one that writes it
- `pending`           runs that may take their recordings' places: `NAME.jsonl.new` beside `NAME.jsonl`
- `places`            what the commands of a place share: the DEST argument, opening it, errors
- `playable`          the recordings for `replay` and similar commands, with the settings of each
- `playing`           recordings, played side by side, and their results
- `record_network`    `acp-trace record --listen`: the meaning of its options, and a message for each mistake
- `reports`           the reports that a command writes beside its text, and what may go where
- `show_output`       what `acp-trace show` prints of one trace: sections of its report, or its conversation
- `show_session`      `acp-trace show SESSION`: one session through all its traces, or a part of it
- `shown_difference`  the difference in a client's configuration that `install` shows, without secrets
- `signals`           signals that ask this process to end
- `start`             the entry point
- `trace_options`     the options of `ls` and `stats` that say which traces are meant
- `unanswered`        signals that end a command while a place does not answer
- `uncoerced`         parameters that typer reads and does not coerce
- `watching`          `replay --watch`: replays again whenever something changes, until Ctrl-C
"""

from __future__ import annotations

from acp_trace.cli.start import main

__all__ = ["main"]
