"""Algorithm 1 in Python, three ways that decide alike.

  Literal   line by line over the whole history, vectorised
  Grouped   sufficient statistics per next state; all candidates in one small matrix per episode
  Compiled  the same in numba, in d instead of 2d dimensions

All of them: the segment that ends an episode is in the history with next value 0; an episode keeps
its first H segments; K is clipped at 1/(1-gamma); V_H = 1/(1-gamma); ties go to the first candidate.
"""

import numba
import numpy as np

SCREEN = 8.0  # candidates are screened for moves of V of up to this many last steps


class Literal:
    """Algorithm 1 as printed; costs O(H N^k) per episode."""

    def __init__(self, problem, H=100, lam=0.01, rho=50.0):
        self.problem, self.H, self.lam, self.rho = problem, H, lam, rho
        self.features = np.empty((1024, problem.psi.shape[1]))
        self.reward, self.next, self.size = np.empty(1024), np.empty(1024, np.int64), 0

    def observe(self, s, i, reward, nxt):
        end = self.size + len(s)
        while end > len(self.reward):
            self.features = np.concatenate([self.features, np.empty_like(self.features)])
            self.reward = np.concatenate([self.reward, np.empty_like(self.reward)])
            self.next = np.concatenate([self.next, np.empty_like(self.next)])
        new = slice(self.size, end)
        self.features[new] = self.problem.psi[s * len(self.problem.seqs) + i]
        self.reward[new], self.next[new] = np.minimum(reward, self.H), nxt
        self.size = end

    def plan(self):
        psi, n, cap = self.problem.psi, self.problem.model.n, self.problem.cap
        history, reward, nxt = (x[: self.size] for x in (self.features, self.reward, self.next))
        gram = self.lam * np.eye(psi.shape[1]) + history.T @ history  # line 4
        inverse = np.linalg.inv(gram)
        bonus = self.rho * np.sqrt(np.einsum("ij,ij->i", psi @ inverse, psi))
        policy = np.empty((self.H - 1, n), np.int64)
        V = np.full(n + 1, cap)
        V[n] = 0.0  # bottom
        for u in range(self.H - 1, 0, -1):  # lines 5-8
            w = inverse @ (history.T @ (reward + V[nxt]))
            K = np.minimum(psi @ w + bonus, cap).reshape(n, -1)
            policy[u - 1] = K.argmax(axis=1)
            V[:n] = K.max(axis=1)
        return policy


class Grouped:
    """Segments grouped by next state: an episode's cost does not depend on the history."""

    def __init__(self, problem, H=100, lam=0.01, rho=50.0):
        self.problem, self.H, self.lam, self.rho = problem, H, lam, rho
        self.psi = np.ascontiguousarray(self.features())
        dim, n = self.psi.shape[1], problem.model.n
        self.inverse = np.eye(dim) / lam  # Lambda^{-1}
        self.square = np.einsum("ij,ij->i", self.psi, self.psi) / lam  # psi' Lambda^{-1} psi
        self.sums = np.zeros((dim, 1 + n))  # q, B_1, ..., B_n

    def features(self):
        return self.problem.psi

    def observe(self, s, i, reward, nxt):
        ids = s * len(self.problem.seqs) + i
        distinct, inv, counts = np.unique(ids, return_inverse=True, return_counts=True)
        rows = self.psi[distinct]
        # q and B: weights[row, 0] = sum of rewards, weights[row, 1 + s'] = visits
        weights = np.zeros((len(distinct), self.sums.shape[1] + 1))
        np.add.at(weights, (inv, 0), np.minimum(reward, self.H))
        np.add.at(weights, (inv, 1 + nxt), 1.0)
        self.sums += rows.T @ weights[:, :-1]  # the last column is bottom, worth 0
        # Lambda += rows' diag(counts) rows, a block Sherman-Morrison step
        U = rows * np.sqrt(counts)[:, None]
        half = U @ self.inverse
        Z = np.linalg.solve(np.linalg.cholesky(np.eye(len(U)) + half @ U.T), half)
        self.inverse -= Z.T @ Z
        self.square -= np.square(self.psi @ Z.T).sum(axis=1)

    def plan(self):
        n, cap, m = self.problem.model.n, self.problem.cap, len(self.problem.seqs)
        table = (self.inverse @ self.sums).T @ self.psi.T  # (1, V) @ table = K, all candidates
        table[0] += self.rho * np.sqrt(self.square)
        slope = np.abs(table[1:]).sum(axis=0).reshape(n, m)  # |K(V) - K(V')| <= slope |V - V'|
        policy = np.empty((self.H - 1, n), np.int64)
        x = np.full(1 + n, cap)
        x[0] = 1.0
        states, active = np.arange(n), None
        retry, wait = self.H, 1
        for u in range(self.H - 1, 0, -1):
            if active is not None and np.abs(x[1:] - centre).max() > radius:
                active = None
            if active is None:
                K = x.dot(table).reshape(n, m)
                pick = K.argmax(axis=1)
            else:
                K = x.dot(small).reshape(n, -1)
                pick = K.argmax(axis=1)
            V = K[states, pick]
            if V.max() > cap:  # the clip ties everything above it: first candidate
                for s in np.flatnonzero(V > cap):
                    pick[s] = (K[s] >= cap).argmax()
                V = np.minimum(V, cap)
            policy[u - 1] = pick if active is None else active[states, pick]
            if (V == x[1:]).all():  # converged to the last bit: the rest is equal
                policy[: u - 1] = policy[u - 1]
                break
            if active is None and u <= retry:  # who can win while V stays near this x?
                radius = SCREEN * np.abs(V - x[1:]).max()
                reach = V[:, None] - K <= radius * (slope + slope[states, pick][:, None])
                width = reach.sum(axis=1).max()
                if width > m // 8:
                    retry, wait = u - wait, min(2 * wait, 8)
                else:  # those in reach, in family order, filled up with others
                    active = np.sort(np.argsort(~reach, axis=1, kind="stable")[:, :width], axis=1)
                    small = table[:, (active + m * states[:, None]).ravel()]
                    centre, wait = x[1:].copy(), 1
            if u > 1:
                x[1:] = V
        return policy


def one_hot_basis(model):
    """Orthonormal columns whose span holds every one-hot psi.

    The two halves of a one-hot psi are proportional in every coordinate, so psi moves in d of its
    2d dimensions, and ridge regression does not see the rotation.
    """
    ratio = np.tile(model.gamma * model.beta / (1 - model.gamma), model.n)
    return np.vstack([np.eye(model.d), np.diag(ratio)]) / np.sqrt(1 + ratio**2)


@numba.njit(cache=True, fastmath={"nnan", "nsz", "contract"})
def score(table, V, K):
    """K = (1, V) @ table; returns max K."""
    width, m = table.shape
    for i in range(m):
        K[i] = table[0, i]
    for j in range(1, width):
        v = V[j - 1]
        for i in range(m):
            K[i] += table[j, i] * v
    top = K[0]
    for i in range(1, m):
        top = max(top, K[i])
    return top


@numba.njit(cache=True, fastmath={"nnan", "nsz", "contract"})
def sweep(table, cap, policy, V):
    """Backward sweep over u; table[s, j, i] holds the coefficient of (1, V)_j.

    V enters as V_H.
    """
    n, width, m = table.shape
    K, slope, most = np.empty((n, m)), np.zeros((n, m)), m // 4
    keep, size, small = np.empty((n, most), np.int64), np.zeros(n, np.int64), np.empty((n, width, most))
    new, centre, radius = np.empty(n), np.empty(n), -1.0
    retry, wait = policy.shape[0] + 1, 1
    for s in range(n):
        for j in range(1, width):
            for i in range(m):
                slope[s, i] += abs(table[s, j, i])
    for u in range(policy.shape[0], 0, -1):
        moved = 0.0
        for s in range(n):
            moved = max(moved, abs(V[s] - centre[s]))
        full = not moved <= radius
        same, step = True, 0.0
        for s in range(n):
            if full:
                top = min(score(table[s], V, K[s]), cap)
            else:
                top = min(score(small[s, :, : size[s]], V, K[s]), cap)
            best = 0
            while K[s, best] < top:
                best += 1
            policy[u - 1, s] = best if full else keep[s, best]
            new[s] = top
            step = max(step, abs(top - V[s]))
            same = same and top == V[s]
        if same:  # converged to the last bit: the rest is equal
            for w in range(u - 1):
                policy[w] = policy[u - 1]
            return
        if full:
            radius = -1.0
        if full and u <= retry:  # who can win while V stays near this one?
            radius = SCREEN * step
            centre[:] = V
            for s in range(n):
                count, lead = 0, slope[s, policy[u - 1, s]]
                for i in range(m):
                    if new[s] - K[s, i] <= radius * (slope[s, i] + lead):
                        if count == most:
                            radius = -1.0
                            break
                        keep[s, count] = i
                        count += 1
                size[s] = count
                if radius < 0:
                    break
            if radius < 0:
                retry, wait = u - wait, min(2 * wait, 8)
            else:
                wait = 1
                for s in range(n):
                    for j in range(width):
                        for i in range(size[s]):
                            small[s, j, i] = table[s, j, keep[s, i]]
        if u > 1:
            V[:] = new


@numba.njit(cache=True, fastmath={"nnan", "nsz", "contract", "reassoc"})
def absorb(psi, columns, inverse, square, sums, ids, reward, nxt, horizon):
    """Add an episode's segments: statistics, Lambda^{-1} and bonuses."""
    dim, total = columns.shape
    n = sums.shape[1] - 1
    distinct, counts, kinds = np.empty_like(ids), np.zeros(len(ids)), 0
    for t in range(len(ids)):
        row = psi[ids[t]]
        for c in range(dim):
            sums[c, 0] += row[c] * min(reward[t], horizon)
            if nxt[t] < n:
                sums[c, 1 + nxt[t]] += row[c]
        j = 0
        while j < kinds and distinct[j] != ids[t]:
            j += 1
        if j == kinds:
            distinct[j] = ids[t]
            kinds += 1
        counts[j] += 1
    v, dot = np.empty(dim), np.empty(total)
    for j in range(kinds):  # rank one each, with multiplicity
        row = psi[distinct[j]]
        for c in range(dim):
            acc = 0.0
            for e in range(dim):
                acc += inverse[c, e] * row[e]
            v[c] = acc
        acc = 0.0
        for c in range(dim):
            acc += v[c] * row[c]
        scale = counts[j] / (1 + counts[j] * acc)
        for c in range(dim):
            for e in range(dim):
                inverse[c, e] -= scale * v[c] * v[e]
        dot[:] = 0.0
        for c in range(dim):
            vc = v[c]
            for i in range(total):
                dot[i] += columns[c, i] * vc
        for i in range(total):
            square[i] -= scale * dot[i] * dot[i]


class Compiled(Grouped):
    """Grouped, compiled, in d dimensions."""

    def __init__(self, problem, **kw):
        super().__init__(problem, **kw)
        self.columns = np.ascontiguousarray(self.psi.T)

    def features(self):
        return self.problem.psi @ one_hot_basis(self.problem.model)

    def observe(self, s, i, reward, nxt):
        ids = s * len(self.problem.seqs) + i
        absorb(self.psi, self.columns, self.inverse, self.square, self.sums, ids, reward, nxt, self.H)

    def plan(self):
        n = self.problem.model.n
        table = (self.inverse @ self.sums).T @ self.columns
        table[0] += self.rho * np.sqrt(self.square)
        policy, V = np.empty((self.H - 1, n), np.int64), np.full(n, self.problem.cap)
        table = np.ascontiguousarray(table.reshape(1 + n, n, -1).transpose(1, 0, 2))
        sweep(table, self.problem.cap, policy, V)
        return policy
