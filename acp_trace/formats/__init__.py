"""Formats of other tools: their logs become traces (`reading`), and traces become their files (`writing`).

Bytes in, bytes out: nothing here opens a file, a socket or a clock.
"""
