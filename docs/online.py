"""Prints the tables of docs/online.md from the folder that docs/online.sh has filled.

Ratios are of means over the runs. Run i of one agent and run i of another have the same seed, so they are pairs: the interval
is Student's, at 95%, of the mean of (x - ratio y) / mean(y) over the pairs.
"""

import csv
import json
import math
import sys

T = 2.262  # ten runs


def mean(xs):
    return sum(xs) / len(xs)


def load(folder, name):
    """The values of the last policies, the regrets, the processor time, and what regrets are against."""
    group = json.load(open(f"{folder}/{name}/summary.json"))["groups"][0]
    rows = [r for r in csv.DictReader(open(f"{folder}/{name}/curves.csv")) if int(r["episodes"]) == group["episodes"]]
    rows.sort(key=lambda r: int(r["run"]))
    best = group["lower"] if group["class"] is None else group["class"]
    values = [float(r["value"]) for r in rows]
    regrets = [group["episodes"] * (best - float(r["mean_policy_value"])) for r in rows]
    return values, regrets, float(open(f"{folder}/{name}.time").read()), best


def ratio(xs, ys):
    r, n = mean(xs) / mean(ys), len(xs)
    spread = [(x - r * y) / mean(ys) for x, y in zip(xs, ys)]
    half = T * math.sqrt(sum(d * d for d in spread) / (n - 1) / n)
    return r, half


def row(title, agent, against):
    values, regrets, seconds, best = agent
    value, regret = ratio(values, against[0]), ratio(regrets, against[1])
    cells = [title, f"{mean(against[0]):.2f}", f"{mean(against[1]):,.0f}", f"{value[0]:.3f} ± {value[1]:.3f}"]
    cells += [f"{regret[0]:.2f} ± {regret[1]:.2f}", f"{seconds / against[2]:.2f}"]
    print("| " + " | ".join(cells) + " |")


def table(title, folder, ours, theirs):
    print(f"\n{title}\n\n| world, beta | last value | regret | last value, ratio | regret, ratio | time, ratio |\n|---|---|---|---|---|---|")
    for model in ("river-swim", "river-balance"):
        for beta in ("0.05", "0.1", "0.2", "0.5", "0=0.5,1=0"):
            named = lambda which: load(folder, f"{model} {beta} {which}")
            row(f"{model} {beta}", named(ours), named(theirs))


folder = sys.argv[1]
table("psi online against exact psi", folder, "regression online", "regression exact")
table("psi online against exact psi, all sequences", folder, "adaptive online", "adaptive exact")
table("psi exact, continuation model against regression", folder, "model exact", "regression exact")
table("psi online, continuation model against exact psi with regression", folder, "model online", "regression exact")
