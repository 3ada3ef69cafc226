"""ATST-LSVI-UCB (Algorithm 1) and the episodic protocol in plain numpy.

Written from the paper, and from two definitions that the paper leaves open: the order of random
draws (documentation of `sporadic::simulation`) and the generator of each episode (documentation of
`sporadic::simulation::Streams`).

Choices where the paper allows several: ties go to the first candidate; K_u for u >= H, constant in
the paper, chooses as K_1; the segment that ends an episode is in the history, and V(bottom) = 0.
"""

import numpy as np

import atst

# --------------------------------------------------------------------- random numbers

MASK64, MASK128 = (1 << 64) - 1, (1 << 128) - 1


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


def world_state(seed, k, run=0):
    """The state of numpy's PCG64 from which the environment draws in episode k, counted from 0."""
    stream = mix(k)  # the left half is 0, the kind of the world
    inc = (2 * stream + 1) & MASK128
    state = (mix(mix(seed << 64 | run) ^ stream) + inc) * 0x2360ED051FC65DA44385DF649FCCF645 + inc
    return {"bit_generator": "PCG64", "has_uint32": 0, "uinteger": 0,
            "state": {"state": state & MASK128, "inc": inc}}


def world(seed, k, run=0):
    """The generator of episode k; `random()` takes the top 53 bits of a word, as the crate does."""
    bits = np.random.PCG64(0)
    bits.state = world_state(seed, k, run)
    return np.random.Generator(bits)


def check_streams():
    """The first words of three streams, as a test of the crate pins them."""
    for seed, run, k, words in ((0, 0, 0, "4525e5cd89626ef0 c8b80e9edf23bc05"),
                                (42, 0, 1_000_000, "bb1c62c02283b192 98987e304f197aba"),
                                (42, 3, 0, "f18c4ab3dd9c6b79 8672cab69a122031")):
        raw = world(seed, k, run).bit_generator.random_raw(2)
        assert " ".join(f"{int(x):016x}" for x in raw) == words, "other random numbers"


# ------------------------------------------------------------------------ the protocol


def play(model, seqs, policy, rng):
    """One episode from state 0: its segments (state, candidate, reward, next state).

    The next state of the last segment is n, for bottom. `policy[u - 1, s]` is the candidate played
    from s at sighting u; later sightings play row 0.
    """
    cdf = model.P.cumsum(axis=2)
    cdf[:, :, -1] = 1.0
    s, segments = 0, []
    while True:
        u, start, reward, h = len(segments), s, 0.0, 0
        i = int(policy[u if u < len(policy) else 0, s])
        while True:
            a = atst.action_at(seqs[i], h)
            h += 1
            reward += model.r[s, a]
            s = int((rng.random() >= cdf[s, a]).sum())
            if rng.random() >= model.gamma:
                return segments + [(start, i, float(reward), model.n)]
            if rng.random() < model.beta[a]:
                break
        segments.append((start, i, float(reward), s))


# ------------------------------------------------------------------------- Algorithm 1


class LsviUcb:
    """Algorithm 1 over finitely many candidates and states.

    The sums over the history are kept, not the history. Line 6 is linear in V_{u+1}:
    sum_tau psi (min(R, H) + V(next)) = q + B V, where column s' of B is the sum of psi over the
    segments that ended in s'.
    """

    def __init__(self, model, seqs, H=100, lam=0.01, rho=50.0):
        self.model, self.seqs, self.H, self.rho = model, seqs, H, rho
        self.psi = atst.psi_closed_form(model, seqs)
        dim = 2 * model.d
        self.gram = lam * np.eye(dim)  # Lambda
        self.q, self.B = np.zeros(dim), np.zeros((dim, model.n + 1))

    def observe(self, segments):
        """The segments of an episode; its first H are history."""
        for s, i, reward, after in segments[: self.H]:
            psi = self.psi[s, i]
            self.gram += np.outer(psi, psi)
            self.q += psi * min(reward, self.H)
            self.B[:, after] += psi

    def plan(self):
        """Lines 3 to 8: the candidate of every u = 1, ..., H - 1 and state.

        Leaves Lambda^-1, w_1, and the margin: by how much the values K must change for any of these
        choices to change.
        """
        n, cap = self.model.n, 1 / (1 - self.model.gamma)
        self.inverse = np.linalg.inv(self.gram)
        policy, self.margin = np.empty((self.H - 1, n), dtype=int), np.inf
        norm = np.sqrt(np.einsum("sid,de,sie->si", self.psi, self.inverse, self.psi, optimize=True))
        V = np.append(np.full(n, cap), 0.0)  # V_H, and 0 for bottom
        for u in range(self.H - 1, 0, -1):
            self.w = self.inverse @ (self.q + self.B @ V)
            K = self.psi @ self.w + self.rho * norm
            policy[u - 1] = np.minimum(K, cap).argmax(axis=1)
            self.margin = min(self.margin, *map(margin, K, policy[u - 1], [cap] * n))
            V[:n] = np.minimum(K.max(axis=1), cap)
        return policy


def margin(K, best, cap):
    """How far K is from choosing another candidate than the first maximiser of min(K, cap)."""
    if K[best] < cap:
        return K[best] - np.delete(K, best).max()
    return min(K[best] - cap, cap - K[:best].max(initial=-np.inf))
