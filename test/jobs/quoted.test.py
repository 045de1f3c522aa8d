#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# labels: slow
"""docs/HANGS.md quotes the reports that `hang` brings about, but for pids and seconds waited.

With `update` among the arguments the quoted reports are replaced by what was printed.
"""

import re
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jobs import PATIENCE, helper, start

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/HANGS.md"
QUOTED = {  # heading: what `hang` is told, and how many ranks there are
    "Two ranks receive first": ("receive_first", 2),
    "A tag that does not match": ("wrong_tag", 2),
    "A collective that one rank skipped": ("skipped", 3),
    "A rank that computes": ("computes", 3),
    "Two long sends to each other": ("long_sends", 2),
    "A fence that a rank has not come to": ("fence", 3),
    "A lock that another rank has": ("lock", 3),
    "A fence here, a barrier there": ("apart", 2),
}
END = "the job goes on waiting"
SECONDS_MAX = 30


def report_of(what, ranks, first_line):
    """The report that begins so: a rank that is late to join may be the subject of one before."""
    job = start("-n", ranks, "--leave-timeout", "0", "--hang-report", "1", helper("hang"), what)
    killer = threading.Timer(SECONDS_MAX * PATIENCE, job.kill)
    killer.start()
    lines = []
    for line in job.stderr:
        if line.startswith("mpx: hang report:"):
            lines = []
        lines.append(re.sub(r"(?<= )\S*/(?=hang\.cpp:)", "", line))
        if END in line and lines[0].rstrip() == first_line:
            break
    killer.cancel()
    job.send_signal(signal.SIGTERM)
    job.communicate()
    return "".join(lines)


def repeats(report):
    """The part of a text that is the same every time."""
    return re.sub(r"\bfor [\d.]+ s\b", "for ... s", re.sub(r"\(pid \d+\)", "(pid ...)", report))


def main():
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = {heading: re.search(rf"^## {heading}\n\n((?:    .*\n)+)", text, re.M)[1]
              for heading in QUOTED}
    quotes = {heading: re.sub(r"^    ", "", block, flags=re.M) for heading, block in blocks.items()}
    with ThreadPoolExecutor(len(QUOTED)) as pool:
        printed = pool.map(lambda heading: report_of(*QUOTED[heading], quotes[heading].split("\n")[0]),
                           QUOTED)
        printed = dict(zip(QUOTED, printed))
    wrong = 0
    for heading, report in printed.items():
        quoted = quotes[heading]
        if repeats(quoted) == repeats(report) and END in report:
            continue
        wrong += 1
        print(f"{heading}: quoted is\n{quoted}and printed was\n{report}")
        if "update" in sys.argv and END in report:
            indented = re.sub(r"^", "    ", report.rstrip("\n"), flags=re.M) + "\n"
            text = text.replace(blocks[heading], indented)
            DOCUMENT.write_text(text, encoding="utf-8")
    print(f"{len(printed)} reports, {wrong} differ from what docs/HANGS.md quotes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
