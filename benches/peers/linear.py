"""Algorithm 1 on continuous states in numpy, beside ours: the same history, the same decisions, one line of times.

    linear.py OURS.json

OURS.json is what `cargo bench --bench peer_linear` printed. The learner here sees the states and rewards that ours saw and
must choose what ours chose; it plans when det Lambda has doubled, for all states at once, in blocks of states
that fit in the caches. Ends with status 1 if more than one choice in a thousand differs: those within rounding of a tie.
"""

import json
import re
import sys
import time
from pathlib import Path

import numpy as np

BLOCK = 512


def actions(text, length):
    """The first actions of a sequence such as 01(10)."""
    prefix, period = re.fullmatch(r"(\d*)\((\d+)\)", text).groups()
    word = [int(a) for a in prefix]
    period = [int(a) for a in period]
    while len(word) < length:
        word += period
    return word[:length]


class Learner:
    def __init__(self, x):
        self.x, d = x, x["d"]
        M = np.array(x["matrices"]).reshape(-1, d, d)
        gamma, beta = x["gamma"], x["beta"]
        # W(a t) = [(1 - gamma) I, gamma beta I] + gamma (1 - beta) M W(t), from far enough away.
        length = int(np.ceil(np.log(1e-17) / np.log(gamma * (1 - min(beta)))))
        W, first = [], []
        for text in x["family"]:
            word = actions(text, length)
            w = np.zeros((d, 2 * d))
            for i, a in reversed(list(enumerate(word))):
                w = gamma * (1 - beta[a]) * w
                w[:, :d] += (1 - gamma) * np.eye(d)
                w[:, d:] += gamma * beta[a] * np.eye(d)
                if i > 0:
                    w = M[a] @ w
            W.append(w)
            first.append(word[0])
        self.W, self.first = np.array(W) / 2, np.array(first)
        self.groups = [np.flatnonzero(self.first == a) for a in range(len(beta))]
        self.pairs = np.triu_indices(d)
        self.inverse = np.eye(2 * d) / x["lambda"]
        self.log_det = 2 * d * np.log(x["lambda"])
        self.planned = -np.inf
        self.rewards = np.zeros(2 * d)
        n = 1024  # rooms for states, doubled when full
        self.n, self.sums = 0, np.zeros((n, 2 * d))
        self.phi = [np.zeros((n, d)) for _ in self.groups]
        self.mono = [np.zeros((n, len(self.pairs[0]))) for _ in self.groups]
        self.bonus = [np.zeros((n, len(g))) for g in self.groups]
        self.w = np.zeros((x["horizon"], 2 * d))
        self.C = {}

    def plan(self):
        x, n, d, cap = self.x, self.n, self.x["d"], 1 / (1 - self.x["gamma"])
        self.C.clear()
        G = self.W @ self.inverse @ self.W.transpose(0, 2, 1)
        G = G + G.transpose(0, 2, 1)
        G[:, range(d), range(d)] /= 2
        self.G = [G[g][:, self.pairs[0], self.pairs[1]].T.copy() for g in self.groups]
        for phi, mono, bonus, g in zip(self.phi, self.mono, self.bonus, self.G):
            for i in range(0, n, BLOCK):
                j = min(n, i + BLOCK)
                b = np.matmul(mono[i:j], g, out=bonus[i:j])
                np.maximum(b, 0, out=b)
                np.sqrt(b, out=b)
                b *= x["rho"]
        V, best = np.full(n, cap), np.empty(BLOCK)
        rooms = [np.empty((BLOCK, len(g))) for g in self.groups]
        for u in range(x["horizon"] - 1, 0, -1):
            self.w[u] = self.inverse @ (self.rewards + V @ self.sums[:n])
            C = self.W @ self.w[u]
            C = [C[g].T.copy() for g in self.groups]
            before = V.copy()
            for i in range(0, n, BLOCK):
                j = min(n, i + BLOCK)
                V[i:j] = -np.inf
                for phi, bonus, c, room in zip(self.phi, self.bonus, C, rooms):
                    k = np.matmul(phi[i:j], c, out=room[: j - i])
                    k += bonus[i:j]
                    np.maximum(V[i:j], k.max(axis=1, out=best[: j - i]), out=V[i:j])
            np.minimum(V, cap, out=V)
            if np.array_equal(V, before):
                self.w[1:u] = self.w[u]
                break
        self.planned = self.log_det

    def choose(self, u, phi):
        u = u if u < self.x["horizon"] else 1
        if u not in self.C:
            C = self.W @ self.w[u]
            self.C[u] = [C[g].T.copy() for g in self.groups]
        scores = np.empty(len(self.W))
        for g, c, G, p in zip(self.groups, self.C[u], self.G, phi):
            square = (p[self.pairs[0]] * p[self.pairs[1]]) @ G
            scores[g] = p @ c + self.x["rho"] * np.sqrt(np.maximum(square, 0))
        np.minimum(scores, 1 / (1 - self.x["gamma"]), out=scores)
        return int(np.argmax(scores)), scores

    def learn(self, phi, j, reward, following):
        psi = phi[self.first[j]] @ self.W[j]
        self.rewards += psi * min(reward, self.x["horizon"])
        if following is not None:  # states never repeat
            n = self.n
            if n == len(self.sums):
                for lists in (self.phi, self.mono, self.bonus):
                    lists[:] = [np.concatenate([x, np.zeros_like(x)]) for x in lists]
                self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
            self.sums[n] = psi
            for a, p in enumerate(following):
                self.phi[a][n] = p
                self.mono[a][n] = p[self.pairs[0]] * p[self.pairs[1]]
            self.n += 1
        z = self.inverse @ psi
        growth = 1 + psi @ z
        self.inverse -= np.outer(z, z / growth)
        self.log_det += np.log(growth)


def play(x, phi):
    learner, index = Learner(x), {text: j for j, text in enumerate(x["family"])}
    chosen = [[index[text] for text in texts] for texts in x["chosen"]]
    plans = different = total = 0
    clock = time.process_time()
    for points, texts, rewards in zip(phi, chosen, x["rewards"]):
        if learner.log_det >= learner.planned + np.log(x["growth"]):
            learner.plan()
            plans += 1
        for u, (p, j, reward) in enumerate(zip(points, texts, rewards), 1):
            ours, scores = learner.choose(u, p)
            total += 1
            if ours != j:
                different += 1
                if abs(scores[ours] - scores[j]) > 1e-7:
                    print(f"another choice: {x['family'][ours]} for {x['family'][j]}", file=sys.stderr)
                    sys.exit(1)
            if u <= x["horizon"]:
                learner.learn(p, j, reward, points[u] if u < len(points) else None)
    return time.process_time() - clock, plans, different, total, learner.n


def main():
    x = json.loads(Path(sys.argv[1]).read_text())
    phi = [[np.array(p).reshape(len(x["beta"]), x["d"]) for p in points] for points in x["phi"]]
    runs = [play(x, phi) for _ in range(3)]
    seconds = min(run[0] for run in runs)
    _, plans, different, total, n = runs[0]
    assert n == x["states"], "another number of states"
    print(f"{len(phi)} episodes, {n} states, {len(x['family'])} candidates, d = {x['d']}, H = {x['horizon']}, {plans} planning phases")
    for name, key in ("learning from the same history", "learning"), ("the whole run with the simulation", "whole"):
        print(f"numpy {seconds:.2f} s, ours, {name}, {x[key]:.3f} s: {seconds / x[key]:.1f}x")
    print(f"ours on a tenth of the episodes {x['short']:.3f} s, state by state {x['plain']:.2f} s: {x['plain'] / x['short']:.0f}x")
    print(f"{different} of {total} choices differ, all within 1e-7 of a tie")
    if 1000 * different > total:
        sys.exit(1)


if __name__ == "__main__":
    main()
