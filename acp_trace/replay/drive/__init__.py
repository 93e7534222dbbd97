"""A conversation among real processes: pipes, process groups, directories, and the trace of the run.

- `player`              one conversation between two descriptors: the only loop that waits
- `link`                its two pipes: polled, or with a thread for each
- `waits`               how long to wait at once, and one wish to stop, for all loops
- `process`             an agent in its own process group, which is always ended
- `agent_start`         how an agent is started: where, and with which words; `agent_home` is its home
- `directories`         where the run takes place: a fresh directory, or a copy of a workspace
- `snapshot`            the files kept with a recording: found, and unpacked into that directory
- `member_names`        names of files from anyone: which of them can be made in that directory
- `repository_names`    names of files that belong to git and the like, which are not unpacked
- `untrusted_archive`   an archive from anyone, read forward only and up to a limit
- `take_snapshot`       keeps them while a session is recorded: a separate program, begun by `early_names`
- `snapshot_members`    the archive that it writes
- `left_scan`           the files that a directory has at the end
- `left_list`           the same of a recording, as its snapshot lists it
- `left_run`            the same of a run, beside what the recording has
- `workspace`           requests for files, served only from that directory
- `run`                 one replay from start to end: the agent, the tee, the player
- `playing`             the player in front of the tee, for anything that it plays
- `written_run`         a written conversation: the agent started, played to, and seen to end
- `record_written`      a written conversation recorded for a test
- `scripted_run`        a written conversation that `acp-trace drive` plays and records
- `played_run`          what every replay has, for any agent
- `reached`             one replay against an agent at a URL
- `remote`              the connection to such an agent, in place of a process
- `model_side`          the agent's language model in a run: a process that answers from the recording
- `played`              the result of a run, and its trace
- `missing_files`       the note of files that the run's directory lacks
- `mock`                the agent's side, played to the client that started this process
- `listening`           the client of a mock that connects over HTTP or WebSocket
- `replay_and_compare`  either of them with its verdict: plan, drive, record, compare
- `agent_words`         the words of an agent's command line that name files, as seen from the caller's
                        directory
- `agent_program`       an agent as one executable file, for a client that starts its agent itself
- `attempts`            several attempts at one replay: against alternative recordings, and again after a
                        failure
- `confined`            becomes a command that can write in some directories only
- `early_copies`        copies of the files where the recorder was started, made before a session is opened
                        there
- `secret_files`        which files of a workspace are likely to hold secrets: a table of names
- `snapshot_file`       the file of a workspace snapshot, rewritten for each directory
- `terminals`           real terminals of a run (`--allow-terminal`)
- `workspace_files`     which files of a directory a snapshot keeps, and a copy of one of them

The rules of what is sent when are in `conversation`, not here.
"""
