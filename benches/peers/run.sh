#!/bin/sh
# Compares Algorithm 1 here with numpy, numba and rlberry: one table, a few minutes.
#   benches/peers/run.sh [--quick] [RiverSwim | RiverBalance]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
home=${CARGO_TARGET_DIR:-target}/peers
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1
export NUMBA_CACHE_DIR="$home/numba"

if [ ! -x "$home/bin/python" ]; then
    python3 -m venv "$home"
    "$home/bin/pip" install --quiet -r "$here/requirements.txt"
    # Where it cannot be installed the table says so.
    "$home/bin/pip" install --quiet rlberry-scool || true
fi
cargo bench --quiet --bench peer > "$home/ours.json"
exec "$home/bin/python" "$here/run.py" "$home/ours.json" "$@"
