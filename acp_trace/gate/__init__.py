"""Who may use acp-trace's listeners: one set of rules for every port that it opens.

`peers` and `crowds` do I/O.

- `names`     hosts, ports and origins as text: which of them mean this machine
- `requests`  which requests are answered: their target, `Host`, `Origin` and `Sec-Fetch-Site`
- `peers`     which user's program is at the other end of a connection; reads `/proc`
- `crowds`    how many connections may wait without a request; raises the limit of open files
- `rooms`     how many bytes the requests of all connections may take together
- `shares`    how many bytes of one connection are handled before the others have their turn

`view`, `transport` and `model` ask here before they read anything else of a request. The gate does not know
what is served.
"""
