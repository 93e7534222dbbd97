"""Real servers and clients of ACP over HTTP and WebSocket, with the proxy between them: trials of `just real`.

- `programs`  the servers and clients, as data, and how they are started
- `tap`       what passes between two of them, to the byte; it changes nothing
- `wire`      those bytes -> requests, responses and messages
- `traced`    what a trace says of the same, read without our own reader
- `session`   one session of a client, with taps around the proxy
- `trials`    the trials: directly, recorded, replayed, mocked
- `py_server`, `ts_server.mjs`, `ts_client.mjs`  the programs on the SDKs, beside `py_agent` and `py_client`
"""
