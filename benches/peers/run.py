"""Plays the same episodes with each learner, checks that all decide alike, prints one table.

    run.py OURS.json [--quick] [RiverSwim | RiverBalance]

OURS.json is what `cargo bench --bench peer` printed; --quick leaves k = 5,000 out. Ends with status 1 if two learners differ.
"""

import copy
import json
import subprocess
import sys
import time
from pathlib import Path

import chains  # finds the two below
import atst
import learners
import lsvi

LITERAL_EPISODES = 300  # the literal version plays these in full, then only where it is timed
REPEATS = 5


def time_window(learner, streams, k, window, compiled):
    """Seconds of CPU per episode, and what was decided, in episodes k to k + window."""
    played = []
    clock = time.process_time()
    for e in range(k, k + window):
        policy = learner.plan()
        segments = chains.play(learner.problem, policy, learner.H, streams, e, compiled)
        learner.observe(*(x[: learner.H] for x in segments[:4]))
        played.append(segments)
    seconds = (time.process_time() - clock) / window
    return seconds, [chains.fingerprint(learner.problem, x) for x in played]


def duplicate(learner):
    """A copy that shares the problem, which nobody writes to."""
    return copy.deepcopy(learner, {id(learner.problem): learner.problem})


def compare(ours, checkpoints):
    """Seconds per episode of each learner at each checkpoint, and the first difference, if any."""
    problem = chains.Problem(chains.MODELS[ours["environment"]](ours["beta"]), atst.runs())
    assert [atst.show(x) for x in problem.seqs] == ours["family"], "another family"
    streams, window = chains.Streams(ours["seed"]), ours["window"]
    times = {"ours": ours["seconds_per_episode"]}
    different = {}

    def check(name, k, hashes):
        for e, h in enumerate(hashes, k):
            if h != ours["decisions"][e]:
                different.setdefault(name, e)

    history = []
    for name, make, compiled in (
        ("(d)", learners.Compiled, True),
        ("(b)", learners.Grouped, False),
        ("(a)", learners.Literal, False),
    ):
        learner, times[name], done = make(problem), {}, 0
        if compiled:  # compile before the clock runs
            time_window(make(problem), streams, 0, 2, compiled)
        for k in checkpoints:
            for e in range(done, k):
                if name == "(a)" and e >= LITERAL_EPISODES:
                    segments = history[e]
                else:
                    policy = learner.plan()
                    segments = chains.play(problem, policy, learner.H, streams, e, True)
                    check(name, e, [chains.fingerprint(problem, segments)])
                if name == "(d)":
                    history.append(segments)
                learner.observe(*(x[: learner.H] for x in segments[:4]))
            done = k
            runs = [
                time_window(duplicate(learner), streams, k, window, compiled)
                for _ in range(REPEATS)
            ]
            times[name][str(k)] = min(seconds for seconds, _ in runs)
            check(name, k, runs[0][1])
    return times, different


def rlberry(name, k):
    """In a process of its own: what it imports is its own business."""
    try:
        script = Path(__file__).with_name("scool.py")
        run = [sys.executable, "-W", "ignore", script, name, str(k)]
        return float(subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()[-1])
    except (subprocess.CalledProcessError, IndexError, ValueError):
        return None


def main():
    lsvi.check_streams()
    ours = json.loads(Path(sys.argv[1]).read_text())
    checkpoints = (100, 1_000) if "--quick" in sys.argv else (100, 1_000, 5_000)
    names = [name for name in chains.MODELS if name in sys.argv] or list(chains.MODELS)
    ours = [setting for setting in ours if setting["environment"] in names]
    slow = {name: rlberry(name, 100) for name in names}
    print("Milliseconds per episode after k others, and how many times ours. One core, H = 100.\n")
    print("| environment | beta | k | ours | (d) numba | (b) best numpy | (a) literal numpy | (c) rlberry |")
    print("|---|---|---|---|---|---|---|---|")
    failed = False
    for setting in ours:
        times, different = compare(setting, checkpoints)
        for k in map(str, checkpoints):
            own = times["ours"][k]
            cells = [f"{1e3 * own:.3f}"]
            cells += [f"{1e3 * times[x][k]:.2f} ({times[x][k] / own:.1f}x)" for x in ("(d)", "(b)", "(a)")]
            c = slow[setting["environment"]]
            measured = f"{1e3 * c:.0f} ({c / own:.0f}x)" if c else "not installed"
            cells.append(measured if k == "100" else "not run: grows with k")
            print("|", " | ".join([setting["environment"], str(setting["beta"]), k, *cells]), "|", flush=True)
        for name, episode in different.items():
            failed = True
            print(f"{name} decides otherwise than ours from episode {episode} on", file=sys.stderr)
    if failed:
        sys.exit(1)
    print(f"\n(b), (d) and ours decide alike in all {checkpoints[-1]} episodes of each setting, (a) in the")
    print(f"first {LITERAL_EPISODES} and in those where it is timed.")


if __name__ == "__main__":
    main()
