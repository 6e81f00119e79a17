# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of a benchmark: a line a figure, with its limit where it has one."""

WIDTH = 44


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def title(self, text, ours="podwire", theirs="ptp"):
        print(f"\n{text:<{WIDTH}} {ours:>10} {theirs:>10}  {'ratio':>6}  {'95 % of it':<14} limit", flush=True)

    def line(self, label, ours, theirs="", ratio="", interval="", limit=None, value=None):
        verdict = ""
        if limit is not None:
            good = value <= limit
            self.passed += good
            self.failed += not good
            verdict = f"{limit:<6.4g} {'ok' if good else 'MISSED'}"
        print(f"{label:<{WIDTH}} {ours:>10} {theirs:>10}  {ratio:>6}  {interval:<14} {verdict}".rstrip(),
              flush=True)

    def ratio(self, label, ratio, text, limit=None):
        """`text` prints one of the two medians."""
        self.line(label, text(ratio.ours), text(ratio.theirs), f"{ratio.median:.3f}",
                  f"{ratio.low:.3f} .. {ratio.high:.3f}", limit, ratio.median)

    def end(self):
        print(f"\n{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f} ms"


def kilobytes(count):
    return f"{count / 1000:,.0f} kB"
