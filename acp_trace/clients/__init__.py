"""The configuration of clients: where each keeps its agents, and how the recorder is put in and taken out.

Text in, text out: `table` lists the clients, `jsonc` finds where in a file each value is, `launch` and
`entries` decide which characters to change, `configuration` connects them. No I/O: the commands read and
write the files.

- `edits`     changes of a text by position
- `recorder`  the recorder's words before an agent's command, and how they are recognised
- `snippets`  what to write into a client's configuration by hand, for clients without a JSON file:
            `doctor --client` prints it; for the others, `configuration` has it
"""
