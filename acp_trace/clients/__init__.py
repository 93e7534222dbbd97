"""The configuration of clients: where each keeps its agents, and the recorder put in and taken out again.

Text in, text out: `table` says what there is, `jsonc` where in a file each value stands, `launch` and
`entries` which characters to change, `configuration` connects them. No I/O: the files
are the commands' concern.

- `edits`     changes of a text by position
- `recorder`  the recorder's words in front of an agent's command, and how they are recognised
- `snippets`  what to write into a client's configuration by hand, of clients without a file that is JSON:
            `doctor --client` prints it; of the others `configuration` says it
"""
