#!/bin/sh
# Compares Algorithm 1 on continuous states here and in numpy: the same history, one line of times, a minute.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
home=${CARGO_TARGET_DIR:-target}/peers
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

if [ ! -x "$home/bin/python" ]; then
    python3 -m venv "$home"
    "$home/bin/pip" install --quiet -r "$here/requirements.txt"
fi
cargo bench --quiet --bench peer_linear > "$home/linear.json"
exec "$home/bin/python" "$here/linear.py" "$home/linear.json"
