"""ATST-MDPs in plain numpy: models, action sequences, psi by two roads, exact values.

A reference, written from the paper alone ("Reinforcement Learning with Action-Triggered
Observations"); it shares no code and no shortcut with the Rust crate.

Conventions: states 0..n-1, actions 0..A-1, one-hot phi(s, a) = e_{s*A + a} (state-major),
psi in R^{2d}: reward half, then continuation half.
"""

from dataclasses import dataclass

import numpy as np

# ----------------------------------------------------------------------------- models


@dataclass(frozen=True)
class Model:
    """A finite ATST-MDP: P[s, a, s'], r[s, a], beta[a], gamma."""

    P: np.ndarray
    r: np.ndarray
    beta: np.ndarray
    gamma: float

    @property
    def n(self):
        return self.P.shape[0]

    @property
    def A(self):
        return self.P.shape[1]

    @property
    def d(self):
        return self.n * self.A


def make_model(P, r, beta, gamma):
    """Check and freeze a model."""
    P, r, beta = (np.asarray(x, dtype=float) for x in (P, r, beta))
    n, A, _ = P.shape
    assert P.shape == (n, A, n) and r.shape == (n, A) and beta.shape == (A,)
    assert (P >= 0).all() and np.allclose(P.sum(axis=2), 1, atol=1e-12)
    assert ((0 <= beta) & (beta <= 1)).all() and 0 < gamma < 1
    return Model(P, r, beta, gamma)


def river_swim(beta, gamma=0.99):
    """Figure (a): action 0 swims left for sure, action 1 against the current."""
    P, r = np.zeros((6, 2, 6)), np.zeros((6, 2))
    for s in range(6):
        P[s, 0, max(s - 1, 0)] = 1.0
    P[0, 1, [0, 1]] = 0.4, 0.6
    for s in range(1, 5):
        P[s, 1, [s - 1, s, s + 1]] = 0.05, 0.6, 0.35
    P[5, 1, [4, 5]] = 0.4, 0.6
    r[0, 0], r[5, 1] = 0.005, 1.0
    return make_model(P, r, [beta, beta], gamma)


def river_balance(beta, gamma=0.99):
    """Figure (b): the current pulls away from the centre; steering inwards may stay put."""
    P, r = np.zeros((6, 2, 6)), np.zeros((6, 2))
    for s in range(3):
        P[s, 1, [s, s + 1]] = 0.15, 0.85
        P[5 - s, 0, [5 - s, 4 - s]] = 0.15, 0.85
    for s in range(3, 6):
        P[s, 1, min(s + 1, 5)] = 1.0
        P[5 - s, 0, max(4 - s, 0)] = 1.0
    r[2, 1] = r[3, 0] = 1.0
    return make_model(P, r, [beta, beta], gamma)


# -------------------------------------------------------------------- action sequences


def canonical(prefix, period):
    """The unique shortest (prefix, period) of the sequence prefix + period + period + ..."""
    prefix, period = list(prefix), list(period)
    assert period, "a period has at least one action"
    length = len(period)
    for m in range(1, length + 1):
        if length % m == 0 and period == period[:m] * (length // m):
            period = period[:m]
            break
    while prefix and prefix[-1] == period[-1]:
        prefix.pop()
        period = [period[-1]] + period[:-1]
    return tuple(prefix), tuple(period)


def show(seq):
    prefix, period = seq
    return "".join(map(str, prefix)) + "(" + "".join(map(str, period)) + ")"


def parse(text):
    prefix, period = text.rstrip(")").split("(")
    return canonical(map(int, prefix), map(int, period))


def action_at(seq, h):
    """The h-th action, from 0."""
    prefix, period = seq
    return prefix[h] if h < len(prefix) else period[(h - len(prefix)) % len(period)]


def runs(P=5, L=10):
    """A^seq of the experiments, in the paper's order, equal sequences once."""
    seen = {}
    for b in (0, 1):
        for p in range(1, P + 1):
            for l1 in range(L + 1):
                for l2 in range(L + 1):
                    if l1 + l2:
                        seen.setdefault(canonical([b] * p, [1 - b] * l1 + [b] * l2))
    return list(seen)


# --------------------------------------------------------- road 1: the defining series


def action_matrices(model, dtype=float):
    """M_a[(s, a'), (s', a)] = P(s' | s, a')."""
    n, A, d = model.n, model.A, model.d
    M = np.zeros((A, d, d), dtype=dtype)
    for a in range(A):
        M[a][:, a::A] = model.P.reshape(d, n)
    return M


def psi_series(model, seq, tol=1e-20):
    """psi(s, seq) for every s: equations (newfmap) and (M12), term by term, long double."""
    ld = np.longdouble
    M, beta = action_matrices(model, ld), model.beta.astype(ld)
    d, A, g = model.d, model.A, ld(model.gamma)
    first = action_at(seq, 0)
    M1, M2 = np.eye(d, dtype=ld), np.zeros((d, d), dtype=ld)
    product, alive, k = np.eye(d, dtype=ld), ld(1), 0  # prod M, gamma^k prod (1 - beta)
    while alive / (1 - g) > tol:
        k += 1
        a = action_at(seq, k)  # the k-th action of the tail
        product = product @ M[a]
        M1 += alive * g * product
        M2 += alive * g * beta[a] * product
        alive *= g * (1 - beta[a])
    b, eye = beta[first], np.eye(d, dtype=ld)
    whole = np.hstack([(1 - g) * (b * eye + (1 - b) * M1), g * (b * eye + (1 - b) * M2)]) / 2
    return whole[first::A]  # rows phi(s, first)


def reward_and_continuation(model, seq, V, tol=1e-20):
    """R(s, seq) and PV(s, seq) for every s by Lemma `decomposition`, on beliefs."""
    ld = np.longdouble
    P, r, beta = (x.astype(ld) for x in (model.P, model.r, model.beta))
    V, g = np.asarray(V, dtype=ld), ld(model.gamma)
    b = np.eye(model.n, dtype=ld)  # row s: belief when started in s
    R, PV = np.zeros(model.n, dtype=ld), np.zeros((model.n,) + V.shape[1:], dtype=ld)
    alive, h = ld(1), 0  # gamma^(h-1) prod_{i<h} (1 - beta)
    while alive / (1 - g) > tol:
        a = action_at(seq, h)
        R += alive * (b @ r[:, a])
        b = b @ P[:, a]
        PV += alive * g * beta[a] * (b @ V)
        alive *= g * (1 - beta[a])
        h += 1
    return R, PV


# ------------------------------------------- road 2: the periodic closed form (Appendix C)


def psi_closed_form(model, seqs):
    """psi(s, seq) as an array [s, seq, 2d] by Lemma `closed-form-periodic`."""
    M, beta, g, d, A = action_matrices(model), model.beta, model.gamma, model.d, model.A
    eye, out = np.eye(d), np.empty((model.n, len(seqs), 2 * d))

    def sums(actions):
        """(Phi_1 without I, Phi_2, Psi) of a finite word."""
        phi1, phi2, psi = np.zeros((d, d)), np.zeros((d, d)), eye
        for a in actions:
            step = g * (psi @ M[a])
            phi1, phi2, psi = phi1 + step, phi2 + beta[a] * step, (1 - beta[a]) * step
        return phi1, phi2, psi

    memo = {}
    for i, (prefix, period) in enumerate(seqs):
        if prefix:
            first, prefix = prefix[0], prefix[1:]
        else:  # the first action is the period's; the tail is the rotated period
            first, period = period[0], period[1:] + period[:1]
        if period not in memo:
            phi1, phi2, psi = sums(period)
            memo[period] = np.linalg.solve(eye - psi, np.hstack([phi1, phi2]))
        phi1, phi2, psi = sums(prefix)
        M12 = np.hstack([eye + phi1, phi2]) + psi @ memo[period]
        b = beta[first]
        rows = M12[first::A] * (1 - b)
        rows[:, :d] += b * eye[first::A]
        rows[:, d:] += b * eye[first::A]
        rows[:, :d] *= (1 - g) / 2
        rows[:, d:] *= g / 2
        out[:, i] = rows
    return out


# ---------------------------------------------------------------------------- planning


def segment_model(model, psi):
    """R[s, i] and T[s, i, s'] = E[gamma^T 1{next = s'}] from psi (Theorem decomp-newfmap)."""
    d = model.d
    R = psi[..., :d] @ (2 * model.r.reshape(d) / (1 - model.gamma))
    T = psi[..., d:] @ (2 * model.P.reshape(d, model.n))
    return R, T


def class_optimum(R, T):
    """The fixed point of V = max_i R + T V, by policy iteration (first maximiser)."""
    n = R.shape[0]
    states, choice = np.arange(n), np.zeros(n, dtype=int)
    while True:
        V = stationary_value(R, T, choice)
        K = R + T @ V
        better = K.max(axis=1) > K[states, choice] + 1e-12
        if not better.any():
            return V, K
        choice = np.where(better, K.argmax(axis=1), choice)


def stationary_value(R, T, choice):
    """Exact value of: after every burst in s play sequence choice[s]."""
    states = np.arange(R.shape[0])
    return np.linalg.solve(np.eye(len(states)) - T[states, choice], R[states, choice])


def burst_policy_value(R, T, table, tail):
    """Exact V^pi_1 of a burst-dependent policy.

    `table[u - 1, s]` is the sequence played from s after burst u - 1 (u = 1 is the start);
    past the table, row `tail` is used for ever.
    """
    states = np.arange(R.shape[0])
    V = stationary_value(R, T, table[tail])
    for row in table[::-1]:
        V = R[states, row] + T[states, row] @ V
    return V
