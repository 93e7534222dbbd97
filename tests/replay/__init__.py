"""The player: its rules as conversations without processes, and replays of a scripted agent as a process."""
