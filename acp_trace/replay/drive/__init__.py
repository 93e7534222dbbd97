"""A conversation among real processes: pipes, process groups, directories, and the trace of the run.

- `player`              one conversation between two descriptors: the only loop that waits
- `link`                its two pipes: polled, or with a thread for each
- `waits`               how long to wait in one go, and one wish to stop, for all that go on
- `process`             an agent in a process group of its own, and its end, always
- `agent_start`         how an agent is started: where, and with which words; `agent_home` what its home is
- `directories`         where the run goes on: a fresh directory, or a copy of a workspace
- `snapshot`            the files that were kept with a recording: found, and unpacked into that directory
- `member_names`        names of files from anyone: which of them can be made in that directory
- `repository_names`    names of files that belong to git and the like, which are not unpacked
- `untrusted_archive`   an archive from anyone, read forward only and up to a limit
- `take_snapshot`       keeps them while a session is recorded: a program of its own, begun by `early_names`
- `snapshot_members`    the archive that it writes
- `left_scan`           what files a directory has at the end
- `left_list`           the same of a recording, as its snapshot lists it
- `left_run`            the same of a run, beside what the recording has
- `workspace`           requests for files, served from that directory and from nowhere else
- `run`                 one replay from start to end: the agent, the tee, the player
- `playing`             the player in front of the tee, whatever it plays
- `written_run`         a written conversation: the agent started, played to, and seen to end
- `record_written`      one that is recorded for a test
- `scripted_run`        one that `acp-trace drive` plays and records
- `played_run`          what a replay has whatever its agent is
- `reached`             one replay against an agent at a URL
- `remote`              the connection to such an agent, in the place of a process
- `model_side`          the agent's language model in a run: a process that answers from the recording
- `played`              what became of a run, and its trace
- `missing_files`       the note of files that the run's directory lacks
- `mock`                the agent's side, played to the client that started this process
- `listening`           the client of a mock that reaches it over HTTP or WebSocket
- `replay_and_compare`  either one with its verdict: plan, drive, record, compare
- `agent_words`         the words of an agent's command line that name files, as seen from the caller's
                        directory
- `agent_program`       an agent as one executable file, for a client that starts its agent itself
- `attempts`            several attempts at one replay: against alternative recordings, and again where it
                        failed
- `confined`            becomes a command that writes in some directories and nowhere else
- `early_copies`        copies of the files where the recorder was started, made before a session is opened
                        there
- `secret_files`        which files of a workspace are likely to hold secrets: a table of names
- `snapshot_file`       the file of a workspace snapshot, written anew with each directory
- `terminals`           terminals that a run really has (`--allow-terminal`)
- `workspace_files`     which files of a directory a snapshot keeps, and a copy of one of them

No rule about what is sent when stands here: the conversation knows it.
"""
