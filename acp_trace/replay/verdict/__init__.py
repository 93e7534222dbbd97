"""What became of a run: what was noticed, what was compared, and whether that passes.

- `verdict`            compares a run, and says whether it passed
- `merging`            what was noticed and what was compared, as one list
- `consequences`       what followed from refused requests
- `model_away`         whether the model may have been away, which says nothing of the agent
- `model_changes`      what became of the calls of its model, and what the agent told it otherwise
- `extra_calls`        calls of its model that the recording does not have, told once
- `model_losses`       what of the user's words, earlier answers and tool results no longer reaches the model
- `left_changes`       what the run left in its directories beside what the recording left there
- `after_faults`       a run with faults on purpose, judged by rules
- `left_names`         names of files that tools keep for themselves
- `left_uses`          who may have changed such a file, as far as one trace tells it
- `early_end`          words for a run that ended too early
- `allowances`         what may differ from run to run
- `mask_proposals`     what varies between runs, as masks or allowances
- `divergence_index`   divergences, by the frames that they are about
"""
