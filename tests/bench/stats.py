# SPDX-License-Identifier: GPL-2.0-or-later
"""Ratios of what was measured side by side.

A machine's load moves every absolute figure, so only what ran in the same round is compared: each round
gives a ratio, and the median of the ratios counts. Its interval is a percentile bootstrap.
"""
import random
import statistics

RESAMPLES = 4000
SEED = 1  # the same measurements always give the same interval


def interval(values, level=0.95):
    """Between which bounds the median lies."""
    chance = random.Random(SEED)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    cut = int(RESAMPLES * (1 - level) / 2)
    return medians[cut], medians[-1 - cut]


class Ratio:
    """Paired measurements: `ours[i]` and `theirs[i]` are of one round."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs = statistics.median(ours), statistics.median(theirs)
        ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
        self.median = statistics.median(ratios)
        self.low, self.high = interval(ratios)
