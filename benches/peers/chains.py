"""The learning task in numpy: two chains, the paper's 1012 candidates, exact psi, and the world.

States 0..5, actions 0 and 1, phi(s, a) = e_{2 s + a}; psi in R^24, reward half first.
"""

from dataclasses import dataclass

import numba
import numpy as np

GAMMA = 0.99
MASK64, MASK128 = (1 << 64) - 1, (1 << 128) - 1


@dataclass(frozen=True)
class Model:
    """A finite ATST-MDP: P[s, a, s'], r[s, a], beta[a], gamma."""

    P: np.ndarray
    r: np.ndarray
    beta: np.ndarray
    gamma: float = GAMMA

    @property
    def n(self):
        return self.P.shape[0]

    @property
    def d(self):
        return self.r.size


def river_swim(beta):
    """Action 0 swims left for sure, action 1 against the current."""
    P, r = np.zeros((6, 2, 6)), np.zeros((6, 2))
    for s in range(6):
        P[s, 0, max(s - 1, 0)] = 1.0
    P[0, 1, [0, 1]] = 0.4, 0.6
    for s in range(1, 5):
        P[s, 1, [s - 1, s, s + 1]] = 0.05, 0.6, 0.35
    P[5, 1, [4, 5]] = 0.4, 0.6
    r[0, 0], r[5, 1] = 0.005, 1.0
    return Model(P, r, np.full(2, beta))


def river_balance(beta):
    """The current pulls away from the centre; steering inwards may stay put."""
    P, r = np.zeros((6, 2, 6)), np.zeros((6, 2))
    for s in range(3):
        P[s, 1, [s, s + 1]] = 0.15, 0.85
        P[5 - s, 0, [5 - s, 4 - s]] = 0.15, 0.85
    for s in range(3, 6):
        P[s, 1, min(s + 1, 5)] = 1.0
        P[5 - s, 0, max(4 - s, 0)] = 1.0
    r[2, 1] = r[3, 0] = 1.0
    return Model(P, r, np.full(2, beta))


MODELS = {"RiverSwim": river_swim, "RiverBalance": river_balance}


# ------------------------------------------------------------------- action sequences


def canonical(prefix, period):
    """The unique shortest (prefix, period) of the sequence prefix + period + period + ..."""
    prefix, period = list(prefix), list(period)
    length = len(period)
    for m in range(1, length + 1):
        if length % m == 0 and period == period[:m] * (length // m):
            period = period[:m]
            break
    while prefix and prefix[-1] == period[-1]:
        prefix.pop()
        period = [period[-1]] + period[:-1]
    return tuple(prefix), tuple(period)


def runs(P=5, L=10):
    """A^seq of the paper's experiments in the paper's order, equal sequences once."""
    seen = {}
    for b in (0, 1):
        for p in range(1, P + 1):
            for l1 in range(L + 1):
                for l2 in range(L + 1):
                    if l1 + l2:
                        seen.setdefault(canonical([b] * p, [1 - b] * l1 + [b] * l2))
    return list(seen)


def show(seq):
    prefix, period = seq
    return "".join(map(str, prefix)) + "(" + "".join(map(str, period)) + ")"


# -------------------------------------------------------------------------------- psi


def psi_table(model, seqs):
    """psi(s, seq) as an array [s, seq, 2d], by the closed form for periodic sequences."""
    beta, g, d, n = model.beta, model.gamma, model.d, model.n
    A, eye = len(beta), np.eye(d)
    M = np.zeros((A, d, d))  # M_a[(s, a'), (s', a)] = P(s' | s, a')
    for a in range(A):
        M[a][:, a::A] = model.P.reshape(d, n)

    def sums(actions):
        """(sum of products, the same weighted with beta, last product) of a finite word."""
        phi1, phi2, product = np.zeros((d, d)), np.zeros((d, d)), eye
        for a in actions:
            step = g * (product @ M[a])
            phi1, phi2, product = phi1 + step, phi2 + beta[a] * step, (1 - beta[a]) * step
        return phi1, phi2, product

    tails, out = {}, np.empty((n, len(seqs), 2 * d))
    for i, (prefix, period) in enumerate(seqs):
        if prefix:
            first, prefix = prefix[0], prefix[1:]
        else:  # the first action is the period's; the tail is the rotated period
            first, period = period[0], period[1:] + period[:1]
        if period not in tails:
            phi1, phi2, product = sums(period)
            tails[period] = np.linalg.solve(eye - product, np.hstack([phi1, phi2]))
        phi1, phi2, product = sums(prefix)
        rows = (np.hstack([eye + phi1, phi2]) + product @ tails[period])[first::A]
        b = beta[first]
        rows = (1 - b) * rows + b * np.hstack([eye, eye])[first::A]
        rows[:, :d] *= (1 - g) / 2
        rows[:, d:] *= g / 2
        out[:, i] = rows
    return out


@dataclass
class Problem:
    """A model, its candidates and everything that follows from them."""

    model: Model
    seqs: list

    def __post_init__(self):
        m, n, count = self.model, self.model.n, len(self.seqs)
        self.psi = psi_table(m, self.seqs).reshape(n * count, 2 * m.d)
        self.cap = 1 / (1 - m.gamma)
        self.cdf = np.cumsum(m.P, axis=2)
        for s, a in np.ndindex(m.r.shape):  # rounding must not let a draw fall off the end
            self.cdf[s, a, np.flatnonzero(m.P[s, a])[-1] :] = np.inf
        self.length = np.array([(len(p), len(q)) for p, q in self.seqs])
        self.words = np.zeros((count, self.length.sum(axis=1).max()), dtype=np.int64)
        for i, (p, q) in enumerate(self.seqs):
            self.words[i, : len(p) + len(q)] = p + q


# --------------------------------------------------------------------- random numbers


def splitmix(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return z ^ (z >> 31)


def mix(x):
    left, right = x >> 64, x & MASK64
    for _ in range(4):
        left, right = right, left ^ splitmix(right)
    return left << 64 | right


class Streams:
    """`sporadic::simulation::Streams`: a PCG64 for every episode, bit for bit."""

    def __init__(self, seed, run=0):
        self.base = mix(seed << 64 | run)
        self.bits = np.random.PCG64(0)

    def seek(self, k):
        stream = mix(k)  # kind 0, the world
        inc = (2 * stream + 1) & MASK128
        state = (mix(self.base ^ stream) + inc) * 0x2360ED051FC65DA44385DF649FCCF645 + inc
        self.bits.state = {
            "bit_generator": "PCG64",
            "state": {"state": state & MASK128, "inc": inc},
            "has_uint32": 0,
            "uinteger": 0,
        }

    def uniforms(self, k, count):
        self.seek(k)
        return (self.bits.random_raw(count) >> np.uint64(11)) * 2.0**-53


def check_streams():
    """The words that the crate's own test pins."""
    for seed, run, k, words in (
        (0, 0, 0, (0x4525E5CD89626EF0, 0xC8B80E9EDF23BC05)),
        (42, 0, 0, (0xDA156C0DE7165FCD, 0x07A4823A167E6856)),
        (42, 0, 1_000_000, (0xBB1C62C02283B192, 0x98987E304F197ABA)),
        (42, 3, 0, (0xF18C4AB3DD9C6B79, 0x8672CAB69A122031)),
    ):
        streams = Streams(seed, run)
        streams.seek(k)
        assert tuple(map(int, streams.bits.random_raw(2))) == words, "other random numbers"


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
            h = ((h ^ x) * 0x100000001B3) & MASK64
    return f"{h:016x}"
