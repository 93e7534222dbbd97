"""What may differ between two runs of the same agent, and how two values are held against each other. Pure.

Two traces are compared, and a request of a run is compared with the recorded ones. Both ask what belongs to a
run alone: its directories, its ids, the moment. So that is said here, once. What has a form of its own is
found in any text; what has none is known by its name or by where it stands; all else is compared.

What has a form of its own (`forms` puts one in the place of all):

- `ids`                words that name a session, a call, an object in memory
- `times`              moments
- `figures`            durations, usage, costs, numbers of processes and ports

What is known by its name:

- `directories`        the directories of one trace: what lies in them is named from there
- `moved_directories`  paths of one trace -> those of another
- `moved_places`       directories of a recording and of a run, one name for both, however a text spells them
- `spellings`          how a text may spell a directory
- `programs`           where the agent's program was installed, and where it is
- `bindings`           ids that a side invents: where they stand in a message, which is which

Values:

- `pointers`           where two values differ
- `masks`              the grammar of `--mask`, what is hidden, and how often
- `normalizer`         one side's values with all that in one form, as much of it as a level says
- `quotes`             whether one text quotes another
"""
