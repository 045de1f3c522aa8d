# SPDX-License-Identifier: BSL-1.0
"""A /proc in which time passes as a test says, for compare.noise."""

import os
from pathlib import Path

from compare.noise import Noise

TICK = os.sysconf("SC_CLK_TCK")
PIECE_S = 40e-6


class FakeProc:
    """Two cores for which time passes as a test says."""

    def __init__(self, folder):
        self.folder = Path(folder)
        (self.folder / "pressure").mkdir(exist_ok=True)
        self.wall = self.own = self.waited = 0.0
        self.pressed = 0.0  # The share of a look in which somebody waits for a core
        self.busy, self.stolen, self.idle = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
        self.running = 1
        self.processes = {}
        self.slow = {}  # core -> how many times as long a piece of work takes
        self.away = {}  # core -> the time that it is away in each look
        self.write()
        self.noise = Noise(self.folder, {0, 1}, lambda: self.wall, lambda: self.own, self.pieces)

    def write(self):
        lines = ["cpu 0 0 0 0 0 0 0 0 0 0"]
        for n in range(2):
            user, stolen, idle = (round(t[n] * TICK) for t in (self.busy, self.stolen, self.idle))
            lines.append(f"cpu{n} {user} 0 0 {idle} 0 0 0 {stolen} 0 0")
        lines.append(f"procs_running {self.running}")
        (self.folder / "stat").write_text("\n".join(lines) + "\n")
        (self.folder / "pressure/cpu").write_text(
            f"some avg10=0.00 avg60=0.00 avg300=0.00 total={round(self.waited * 1e6)}\n")
        for pid, (name, used) in self.processes.items():
            (self.folder / str(pid)).mkdir(exist_ok=True)
            (self.folder / str(pid) / "stat").write_text(
                f"{pid} ({name}) R 1 1 1 0 -1 0 0 0 0 0 {round(used * TICK)} 0 0 0 20 0 1\n")

    def pass_time(self, seconds, own=0.0, others=0.0, stolen=0.0, waited=0.0, name=None):
        """In cores, all but the seconds."""
        self.wall += seconds
        self.own += own * seconds
        self.busy[0] += (own + others) * seconds
        self.stolen[1] += stolen * seconds
        self.idle[1] += max(2 - own - others - stolen, 0) * seconds
        self.waited += waited * seconds
        if name:
            self.processes[4711] = (name, self.processes.get(4711, (name, 0))[1] + others * seconds)
        self.write()

    def pieces(self, core, between):
        times = [PIECE_S * self.slow.get(core, 1)] * 100
        times[50] += self.away.get(core, 0)
        self.pass_time(sum(times), own=1, waited=self.pressed)
        between()
        return times
