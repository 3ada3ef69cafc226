"""Makes all fixtures that an independent implementation writes, in two minutes.

    python3 -m venv target/reference
    target/reference/bin/pip install -r tests/reference/requirements.txt
    OPENBLAS_NUM_THREADS=1 target/reference/bin/python tests/reference/make_fixtures.py

`fixtures.json`, here: psi, R, PV by series; class optima; exact values of burst policies. Then what
`make_lsvi_fixtures.py` writes. With the version of numpy in `requirements.txt` and one thread the
files are the same to the byte; on another processor last digits of `objectives.json` may differ.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

import atst
import make_lsvi_fixtures
from atst import canonical, parse, show


def sig(x, digits=12):
    """Nested lists of floats at 12 significant digits."""
    if isinstance(x, (list, tuple, np.ndarray)):
        return [sig(y) for y in x]
    x = float(x)
    return float(f"{x:.{digits - 1}e}") if abs(x) > 1e-17 else 0.0


def describe(model):
    return {k: getattr(model, k).tolist() for k in ("P", "r", "beta")} | {"gamma": model.gamma}


def random_model(rng, n, beta, gamma):
    """Two-decimal probabilities (some zero), so that the text is the model."""
    A = len(beta)
    P = np.empty((n, A, n))
    for s in range(n):
        for a in range(A):
            cuts = np.sort(rng.integers(0, 101, n - 1))
            P[s, a] = np.diff(np.concatenate([[0], cuts, [100]])) / 100
    return atst.make_model(P, rng.integers(0, 101, (n, A)) / 100, beta, gamma)


def psi_block(name, model, texts, rng):
    V = np.round(rng.random(model.n) / (1 - model.gamma), 3)
    rows, worst = [], 0.0
    for text in texts:
        seq = parse(text)
        psi = atst.psi_series(model, seq)
        R, PV = atst.reward_and_continuation(model, seq, V)
        closed = atst.psi_closed_form(model, [seq])[:, 0]
        R2, T2 = atst.segment_model(model, closed[:, None])
        worst = max(worst, abs(closed - psi).max(), abs(R2[:, 0] - R).max(),
                    abs(T2[:, 0] @ V - PV).max())
        rows.append({"sequence": show(seq), "psi": sig(psi), "R": sig(R), "PV": sig(PV)})
    print(f"{name:24s} series against closed form: {worst:.1e}")
    return {"name": name, "model": describe(model), "V": V.tolist(), "cases": rows}


def period30(A, rng):
    return "(" + "".join(map(str, rng.integers(0, A, 30))) + ")"


def class_block(name, build, seqs):
    out = []
    for beta in (0.05, 0.1, 0.2, 0.5):
        model = build(beta)
        # segment models by the series on beliefs, not by psi
        R, T = np.empty((6, len(seqs))), np.empty((6, len(seqs), 6))
        for i, seq in enumerate(seqs):
            R[:, i], T[:, i] = series_fast(model, seq)
        Rc, Tc = atst.segment_model(model, atst.psi_closed_form(model, seqs))
        gap = max(abs(R - Rc).max(), abs(T - Tc).max())
        V, K = atst.class_optimum(R, T)
        best, near = [], []
        for s in range(6):
            top = K[s].max()
            close = np.flatnonzero(K[s] > top - 1e-9)
            order = np.argsort(-K[s], kind="stable")
            best.append({"index": int(close[0]), "sequence": show(seqs[close[0]])})
            runner = next(i for i in order if i not in close)
            near.append({"within_1e-9": [show(seqs[i]) for i in close],
                         "next": show(seqs[runner]), "next_gap": sig(top - K[s, runner], 6)})
        print(f"{name:13s} {beta:4} " + " ".join(f"{v:.6f}" for v in V * 0.01),
              " ".join(b["sequence"] for b in best),
              "min gap %.1e" % min(x["next_gap"] for x in near), f"roads {gap:.0e}")
        out.append({"environment": name, "beta": beta, "V": sig(V), "best": best, "ties": near})
    return out


def series_fast(model, seq, tol=1e-17):
    """reward_and_continuation with V = I, in double precision."""
    b, alive, h = np.eye(model.n), 1.0, 0
    R, T = np.zeros(model.n), np.zeros((model.n, model.n))
    while alive / (1 - model.gamma) > tol:
        a = atst.action_at(seq, h)
        R += alive * (b @ model.r[:, a])
        b = b @ model.P[:, a]
        T += alive * model.gamma * model.beta[a] * b
        alive *= model.gamma * (1 - model.beta[a])
        h += 1
    return R, T


def policy_block(name, model, label, rows, tail):
    """Exact value of a burst-dependent policy by the series (no psi)."""
    seqs = sorted({t for row in rows for t in row})
    parts = [atst.reward_and_continuation(model, parse(t), np.eye(model.n)) for t in seqs]
    R = np.stack([p[0] for p in parts], axis=1).astype(float)
    T = np.stack([p[1] for p in parts], axis=1).astype(float)
    table = np.array([[seqs.index(t) for t in row] for row in rows])
    V = atst.burst_policy_value(R, T, table, tail)
    # second road: iterate the Bellman equation from zero
    W, states = np.zeros(model.n), np.arange(model.n)
    for row in [table[tail]] * 4000 + list(table[::-1]):
        W = R[states, row] + T[states, row] @ W
    assert abs(V - W).max() < 1e-9, abs(V - W).max()
    return {"model": name, "policy": label, "rows": [[show(parse(t)) for t in row] for row in rows],
            "tail_row": tail, "V": sig(V)}


def main():
    rng = np.random.default_rng(20240229)
    seqs = atst.runs()
    assert len(seqs) == 1012
    text = "\n".join(map(show, seqs))
    print("family sha256", hashlib.sha256(text.encode()).hexdigest()[:16], show(seqs[0]), show(seqs[-1]))

    river = ["(1)", "(0)", "(01)", "1(01)", "111(01)", "00000(1111111111000)", "11(0000000000111111111)",
             "10110(0)", period30(2, rng)]
    models = [
        ("river_swim 0.1", atst.river_swim(0.1), river),
        ("river_balance 0.05", atst.river_balance(0.05), river),
        ("river_balance 0.5", atst.river_balance(0.5), river),
        ("random n2 A3 0.5", random_model(rng, 2, [0, 1, 0.4], 0.5), ["(0)", "(1)", "(2)", "2(01)", "0022(210)", "00(12)", period30(3, rng)]),
        ("random n3 A2 0.9", random_model(rng, 3, [0.3, 0], 0.9), ["(0)", "(1)", "(10)", "0(1)", "1101(001)", "111(10)", period30(2, rng)]),
        ("random n4 A3 0.99", random_model(rng, 4, [0.25, 0, 1], 0.99), ["(0)", "(1)", "(2)", "11(021)", "0110(10)", "1(0110101)", period30(3, rng)]),
        ("random n4 A2 never", random_model(rng, 4, [0, 0], 0.99), ["(0)", "(01)", "110(10)", period30(2, rng)]),
        ("random n3 A2 always", random_model(rng, 3, [1, 1], 0.9), ["(0)", "(01)", "110(10)", period30(2, rng)]),
    ]
    fixtures = {
        "conventions": "phi index = s*A + a; psi = reward half, continuation half, rows by start state s; "
                       "12 significant digits, long double series; compare at absolute tolerance",
        "canonical": [{"prefix": p, "period": q, "canonical": show(canonical(map(int, p), map(int, q)))}
                      for p, q in [("1", "1"), ("", "0101"), ("01", "1001"), ("111", "11"), ("10", "10"), ("0", "10"),
                                   ("011", "011"), ("2", "12"), ("00", "100100"), ("111", "01"), ("01", "10"), ("0101", "01")]],
        "family": {"name": "runs(5,10)", "size": len(seqs), "sha256_of_lines": hashlib.sha256(text.encode()).hexdigest(),
                   "members": [show(s) for s in seqs]},
        "psi": [psi_block(name, model, texts, rng) for name, model, texts in models],
        "class_optimum": class_block("river_swim", atst.river_swim, seqs)
        + class_block("river_balance", atst.river_balance, seqs),
    }
    by_name = {name: model for name, model, _ in models}
    six = lambda t: [t] * 6
    fixtures["policies"] = [
        policy_block("river_swim 0.1", by_name["river_swim 0.1"], "always right", [six("(1)")], 0),
        policy_block("river_swim 0.1", by_name["river_swim 0.1"], "left once, then right", [six("(0)"), six("(1)")], 1),
        policy_block("river_balance 0.5", by_name["river_balance 0.5"], "one sequence by state",
                     [["111(01)", "11(01)", "1(01)", "0(10)", "00(10)", "000(10)"]], 0),
        policy_block("river_balance 0.05", by_name["river_balance 0.05"], "three rows, last repeated",
                     [six("11(01)"), ["(1)", "(01)", "(10)", "(01)", "(0)", "00(10)"], six("111(01)")], 2),
        policy_block("river_balance 0.05", by_name["river_balance 0.05"], "three rows, first repeated (u >= H reuses u = 1)",
                     [six("11(01)"), ["(1)", "(01)", "(10)", "(01)", "(0)", "00(10)"], six("111(01)")], 0),
        policy_block("random n2 A3 0.5", by_name["random n2 A3 0.5"], "u-dependent", [["2(01)", "(2)"], ["(1)", "0022(210)"]], 1),
        policy_block("random n3 A2 0.9", by_name["random n3 A2 0.9"], "stationary", [["(0)", "1101(001)", "(10)"]], 0),
        policy_block("random n4 A3 0.99", by_name["random n4 A3 0.99"], "u-dependent", [["(2)"] * 4, ["11(021)", "(0)", "(1)", "0110(10)"]], 1),
        policy_block("random n4 A2 never", by_name["random n4 A2 never"], "never observed", [["(01)", "(0)", "110(10)", "(1)"]], 0),
        policy_block("random n3 A2 always", by_name["random n3 A2 always"], "always observed", [["(0)", "(01)", "110(10)"]], 0),
    ]
    for p in fixtures["policies"]:
        print(p["model"], p["policy"], p["V"])
    # the fully observed RiverBalance of DESIGN.md
    m = atst.river_balance(1.0)
    V = np.zeros(6)
    for _ in range(6000):
        V = (m.r + 0.99 * m.P @ V).max(axis=1)
    print("river_balance beta 1", V * 0.01)
    fixtures["river_balance_beta_1"] = sig(V)
    with open(Path(__file__).with_name("fixtures.json"), "w") as f:
        json.dump(fixtures, f, indent=None, separators=(",", ":"))
    make_lsvi_fixtures.main()


if __name__ == "__main__":
    main()
