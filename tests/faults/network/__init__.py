"""ACP over HTTP and WebSocket through `record --listen`: many connections, slow readers, kills.

- `server`, `client`  the peers, each a process that notes what it says and sees; they import nothing of ours
- `relay`             a way for bytes that is slow for a while
- `staging`           a server, the proxy and a client at work, and their notes
- `judging`           traces against notes
- `loads`, `kills`    the scenarios
"""
