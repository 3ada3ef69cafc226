"""The learning task in numpy: two chains, the paper's 1012 candidates, exact psi, and the world.

Models, sequences, psi and random streams are those of the reference implementation that the fixtures
of the tests come from. States 0..5, actions 0 and 1, phi(s, a) = e_{2 s + a}; psi in R^24, reward
half first.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "reference"))
import atst
import lsvi

MODELS = {"RiverSwim": atst.river_swim, "RiverBalance": atst.river_balance}


@dataclass
class Problem:
    """A model, its candidates and everything that follows from them."""

    model: atst.Model
    seqs: list

    def __post_init__(self):
        m, n, count = self.model, self.model.n, len(self.seqs)
        self.psi = atst.psi_closed_form(m, self.seqs).reshape(n * count, 2 * m.d)
        self.cap = 1 / (1 - m.gamma)
        self.cdf = np.cumsum(m.P, axis=2)
        for s, a in np.ndindex(m.r.shape):  # rounding must not let a draw fall off the end
            self.cdf[s, a, np.flatnonzero(m.P[s, a])[-1] :] = np.inf
        self.length = np.array([(len(p), len(q)) for p, q in self.seqs])
        self.words = np.zeros((count, self.length.sum(axis=1).max()), dtype=np.int64)
        for i, (p, q) in enumerate(self.seqs):
            self.words[i, : len(p) + len(q)] = p + q


# --------------------------------------------------------------------- random numbers


class Streams:
    """`sporadic::simulation::Streams`: a PCG64 for every episode, bit for bit."""

    def __init__(self, seed, run=0):
        self.seed, self.run, self.bits = seed, run, np.random.PCG64(0)

    def uniforms(self, k, count):
        self.bits.state = lsvi.world_state(self.seed, k, self.run)
        return (self.bits.random_raw(count) >> np.uint64(11)) * 2.0**-53


# -------------------------------------------------------------------------- the world


def simulate(cdf, r, beta, gamma, words, length, policy, horizon, uniforms):
    """One episode from state 0: segments (state, candidate, reward, next, rounds), next = n at
    the end; None if the uniforms ran out.

    A round draws the next state, then termination, then, if it goes on, the burst. The H-th
    sighting and later ones play what is played at the first.
    """
    n, count = cdf.shape[0], len(uniforms)
    start, played, reward = np.empty(count, np.int64), np.empty(count, np.int64), np.zeros(count)
    after, rounds = np.empty(count, np.int64), np.zeros(count, np.int64)
    s, u, h, at = 0, 0, 0, 0
    start[0], played[0] = 0, policy[0, 0]
    while at + 3 <= count:
        i = played[u]
        pre, per = length[i]
        a = words[i, h if h < pre else pre + (h - pre) % per]
        reward[u] += r[s, a]
        x, nxt = uniforms[at], 0
        while x >= cdf[s, a, nxt]:
            nxt += 1
        ended = uniforms[at + 1] >= gamma
        at += 2
        s, h = nxt, h + 1
        if not ended:
            at += 1
        if ended or uniforms[at - 1] < beta[a]:
            rounds[u], after[u] = h, n if ended else s
            u += 1
            if ended:
                return start[:u], played[:u], reward[:u], after[:u], rounds[:u]
            start[u], played[u], h = s, policy[u if u < horizon - 1 else 0, s], 0
    return None


simulate_compiled = numba.njit(cache=True)(simulate)


def play(problem, policy, horizon, streams, k, compiled):
    """Episode k."""
    m, block = problem.model, 1024
    run = simulate_compiled if compiled else simulate
    while True:
        uniforms = streams.uniforms(k, block)
        segments = run(problem.cdf, m.r, m.beta, m.gamma, problem.words, problem.length, policy, horizon, uniforms)
        if segments is not None:
            return segments
        block *= 4


def fingerprint(problem, segments):
    """FNV-1a over (state, actions played, next state) of the segments, as `benches/peer.rs`."""
    h = 0xCBF29CE484222325
    for s, i, _, nxt, rounds in zip(*(x.tolist() for x in segments)):
        prefix, period = problem.seqs[i]
        word = prefix + period * (rounds // len(period) + 1)
        for x in (s, *word[:rounds], nxt):
            h = ((h ^ x) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"
