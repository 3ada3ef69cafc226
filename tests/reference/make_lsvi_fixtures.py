"""lsvi_trace.json and objectives.json: what Algorithm 1 chooses and maximises in learning runs.

`make_fixtures.py` calls this. Alone it takes a minute:

    OPENBLAS_NUM_THREADS=1 python make_lsvi_fixtures.py

The episodes draw from the streams of seed `SEED`, so the crate plays them with `Streams::new`.
"""

import itertools
import json
from pathlib import Path

import numpy as np

import atst
import lsvi

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
SEED = 4
# Against extended precision K is off by up to 1e-9; with this margin no choice depends on that.
MARGIN = 1e-8


def episodes(learner, seed):
    """Plays without end; yields (k, policy, segments) before the learner observes episode k."""
    for k in itertools.count():
        policy = learner.plan()
        assert learner.margin > MARGIN, f"episode {k} is within {learner.margin} of a tie"
        segments = lsvi.play(learner.model, learner.seqs, policy, lsvi.world(seed, k))
        yield k, policy, segments
        learner.observe(segments)


# ------------------------------------------------------------------------------ the trace


def changes(policy):
    """The choices at u = H - 1, and every choice that u does not share with u + 1, as [u, s, i]."""
    steps = range(len(policy) - 1, 0, -1)
    moves = [[u, int(s), int(policy[u - 1, s])]
             for u in steps for s in np.flatnonzero(policy[u - 1] != policy[u])]
    return policy[-1].tolist(), moves


def trace(name, beta, count=300):
    learner = lsvi.LsviUcb(getattr(atst, name)(beta), atst.runs())
    head = {"environment": name, "beta": beta, "seed": SEED}
    lines, closest = [], np.inf
    for _, policy, segments in itertools.islice(episodes(learner, SEED), count):
        closest = min(closest, learner.margin)
        total = round(sum(reward for _, _, reward, _ in segments), 3)  # a multiple of 0.005
        lines.append([total, *changes(policy)])
    mean = sum(line[0] for line in lines) / count
    print(f"trace {name:13s} {beta:4} margin {closest:.1e}, mean return {mean:.3f}")
    return dump(head)[:-1] + ',"episodes":[\n' + ",\n".join(map(dump, lines)) + "]}"


# ------------------------------------------------------------------------- the objectives


def objective(learner, k):
    """w_1 and Lambda^-1 to 8 decimals, and the best candidates for the numbers so rounded."""
    model, upper = learner.model, np.triu_indices(2 * learner.model.d)
    w, inverse = learner.w.round(8), np.zeros_like(learner.inverse)
    inverse[upper] = learner.inverse[upper].round(8)
    inverse += np.triu(inverse, 1).T
    assert np.linalg.eigvalsh(inverse)[0] > 0
    best = []
    for s in (0, 3):
        psi = learner.psi[s]
        K = psi @ w + learner.rho * np.sqrt(((psi @ inverse) * psi).sum(axis=1))
        clipped = np.minimum(K, 1 / (1 - model.gamma))
        i = int(clipped.argmax())
        assert lsvi.margin(K, i, 1 / (1 - model.gamma)) > MARGIN
        best.append({"state": s, "sequence": atst.show(learner.seqs[i]),
                     "value": round(float(clipped[i]), 10), "unclipped": round(float(K.max()), 10)})
    print(f"objective {model.beta[0]:4} after {k:4}", [tuple(x.values()) for x in best])
    return {"beta": float(model.beta[0]), "gamma": model.gamma, "rho": learner.rho, "episodes": k,
            "w": w.tolist(), "lambda_inverse_upper": inverse[upper].tolist(), "family_best": best}


def objectives(beta, after=(50, 500, 3000)):
    learner, out = lsvi.LsviUcb(atst.river_balance(beta), atst.runs()), []
    for k, _, _ in episodes(learner, SEED):
        if k in after:
            out.append(objective(learner, k))
            if k == max(after):
                return out


# -------------------------------------------------------------------------------- files


def dump(x):
    return json.dumps(x, separators=(",", ":"))


def main():
    lsvi.check_streams()
    traces = [trace(name, beta) for name in ("river_balance", "river_swim") for beta in (0.05, 0.5)]
    (FIXTURES / "lsvi_trace.json").write_text("[" + ",\n".join(traces) + "]\n")
    records = [dump(x) for beta in (0.05, 0.1, 0.5) for x in objectives(beta)]
    (FIXTURES / "objectives.json").write_text("[" + ",\n".join(records) + "]\n")


if __name__ == "__main__":
    main()
