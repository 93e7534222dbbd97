"""The process between an agent and its providers. Needs the packages of the extra `acp-trace[model]`.

A recorder starts it before its agent, and it ends with the recorder. It ends TLS towards both sides, with the
same protocol on both, and passes bytes as they come; what it writes goes through a pipe to the recorder,
which has the trace. A replay starts it in the same way: then nothing is connected to, and it answers itself.

- `ca`           the certificate authority of this user, and a certificate for each host
- `environment`  what an agent is given so that its traffic comes here
- `environment_note`  what the trace says of that environment: never the value of a key
- `profiles`     base URLs that the environment has already, of which agent, and how they come here
- `outbox`       records on their way to the recorder; traffic never waits for them
- `connections`  what makes connections to providers, as a listener sees it
- `upstream`     connections to providers: mapped, through the user's own proxy, or plain
- `streams`      both ends of a connection as bytes in and out, plain or inside of TLS
- `tunnel`       one connection: bytes both ways, and the tap beside them
- `traffic`      what the trace gets of all connections: the taps, and notes
- `admission`    who may use a listener: the agent, and no other user of the machine
- `heads`        the heads of requests and answers as the proxy's own: whom a request names, its login
- `listener`     what an agent may say to a proxy: CONNECT, or a plain request
- `lone_request`  a plain request: one request and its answer, and nothing of the agent's beyond
- `recorded_upstream`, `recorded_provider`, `recorded_socket`  in a replay: the recording is the provider
- `recorded_model`  what its connections have in common: answers, pace, and what the trace says of them
- `answers`, `other_hosts`  what a request gets then; `faulty_answers` the same with faults on purpose
- `settings`     what the recorder, or a replay, asks for
- `process`      the proxy while it runs; `__main__` starts it
"""
