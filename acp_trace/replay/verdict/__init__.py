"""The result of a run: what was noticed, what was compared, and whether that passes.

- `verdict`            compares a run, and says whether it passed
- `merging`            what was noticed and what was compared, as one list
- `consequences`       what followed from refused requests
- `model_away`         whether the model may have been away, which is not the agent's fault
- `model_changes`      the result for the model calls, and what the agent sent differently
- `extra_calls`        model calls that the recording does not have, reported once
- `model_losses`       what of the user's words, earlier answers and tool results no longer reaches the model
- `left_changes`       what the run left in its directories, compared with the recording
- `after_faults`       a run with deliberate faults, judged by rules
- `left_names`         names of files that tools keep for themselves
- `left_uses`          what may have changed such a file, as far as one trace shows it
- `early_end`          words for a run that ended too early
- `allowances`         what may differ from run to run
- `mask_proposals`     what varies between runs, as masks or allowances
- `divergence_index`   divergences, by the frames that they are about
"""
