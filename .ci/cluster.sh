#!/usr/bin/env bash
# A sweep in four shards, as a Slurm array job with a task killed and requeued and through GNU
# parallel, leaves the very bytes of a sweep in a single process. Needs root on a Debian machine and the
# scripts that start and stop a one-node Slurm; without them it says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts=${SLURM_SCRIPTS:-../shared/slurm}

skip() { echo "cluster: skipped, $*"; exit 0; }
command -v apt-get >/dev/null || skip "there is no apt-get to install Slurm with"
[ -x "$scripts/slurm-up.sh" ] || skip "there is no $scripts/slurm-up.sh to start Slurm with"
scripts=$(cd "$scripts" && pwd)
[ "$(id -u)" = 0 ] || skip "only root can install and start Slurm"
if ! command -v slurmctld slurmd sbatch munged parallel >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq slurmctld slurmd slurm-client munge parallel >/dev/null
fi

if [ -z "${SPORADIC:-}" ]; then
  cargo build --release --features cli --bin sporadic
  SPORADIC=$(cargo metadata --no-deps --format-version 1 |
    sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/sporadic
fi
work=$(mktemp -d)
stop() {
  "$scripts/slurm-down.sh" "$work/slurm" || true
  rm -rf "$work"
}
trap stop EXIT

cat > "$work/spec.toml" <<'SPEC'
name = "cluster"
episodes = 1500
seeds = 3
points = 100

[[models]]
model = "river-balance"
beta = [0.1, 0.5]

[[agents]]
agent = "lsvi-ucb"
horizon = 30

[[agents]]
agent = "uniform"
SPEC
cd "$work"

echo "== alone"
"$SPORADIC" sweep spec.toml --out alone > alone.txt

echo "== GNU parallel"
parallel --will-cite -j 2 "$SPORADIC" sweep spec.toml --shard '{}/4' --threads 1 --out parallel ::: 1 2 3 4
"$SPORADIC" report parallel > parallel.txt
diff -r -x times -x times.csv alone parallel
diff alone.txt parallel.txt

echo "== Slurm"
"$scripts/slurm-up.sh" "$work/slurm"
# shellcheck disable=SC1091
source "$work/slurm/env"
job=$("$SPORADIC" sweep spec.toml --out slurm-out --checkpoint 0 --slurm 4 --submit | grep -o '[0-9]*$')
state() { squeue -h -j "${job}_$1" -o %T 2>/dev/null || true; }
for i in $(seq 300); do
  # In the middle: it runs, and there is a checkpoint.
  [ "$(state 1)" = RUNNING ] && ls slurm-out/checkpoints/*.json >/dev/null 2>&1 && break
  [ "$i" != 300 ] || { echo "no task was ever in the middle"; exit 1; }
  sleep 0.05
done
scontrol requeue "${job}_1"
for _ in $(seq 600); do
  [ -z "$(squeue -h -j "$job" -o %T 2>/dev/null)" ] && break
  # A requeued task would wait two minutes for its turn.
  [ "$(state 1)" = PENDING ] && scontrol update jobid="${job}_1" starttime=now >/dev/null 2>&1 || true
  sleep 0.2
done
scontrol show job "${job}_1" | grep -q 'Restarts=[1-9]' || { echo "no task was requeued"; exit 1; }
"$SPORADIC" report slurm-out > slurm.txt || { cat cluster-*.log; exit 1; }
diff -r -x times -x times.csv alone slurm-out
diff alone.txt slurm.txt
echo "cluster: the array job, one task killed and requeued, GNU parallel and a single process agree"
