#!/usr/bin/env bash
# Same seed, same numbers: the curves of every agent kind and what agents have learnt, at full
# precision, are the same bytes with and without AVX and fused multiply-add, on 1 and 3 threads.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -m)" != x86_64 ]; then
  echo "left out: processors are compared on x86-64 only"
  exit 0
fi
program=$(cargo test -q --all-features --test portable --no-run --message-format=json \
  | grep '"name":"portable"' | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
test -x "$program"

# No product by matrixmultiply and no mathematical function of the platform is in the program: they
# choose instructions by the processor.
symbols=$(nm -C "$program")
if grep -m 3 'matrixmultiply::' <<<"$symbols"; then
  echo "matrixmultiply is linked: use src/product.rs"
  exit 1
fi
functions='(exp|log|pow|sin|cos|tan|asin|acos|atan|sinh|cosh|tanh|cbrt|hypot|erf|[lt]?gamma)'
imported=$(nm -D --undefined-only "$program")
if grep -E " ${functions}[a-z0-9_]*@" <<<"$imported"; then
  echo "a mathematical function of the platform is linked: use the crate libm"
  exit 1
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
RAYON_NUM_THREADS=1 PORTABLE_NUMBERS="$out/native" "$program" -q >/dev/null
RAYON_NUM_THREADS=3 PORTABLE_NUMBERS="$out/threads" "$program" -q >/dev/null
cmp "$out/native" "$out/threads"

if ! command -v qemu-x86_64 >/dev/null; then
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "left out: other processors, for want of qemu-x86_64 (the package qemu-user)"
    exit 0
  fi
  install() { apt-get update && apt-get install -y --no-install-recommends qemu-user; }
  if ! install >"$out/apt" 2>&1; then
    tail -n 3 "$out/apt"
    echo "left out: other processors, because qemu-user could not be installed"
    [ "${CI:-}" != true ]
    exit
  fi
fi
# SSE alone, and AVX2 with fused multiply-add.
for model in Nehalem Haswell; do
  RAYON_NUM_THREADS=1 PORTABLE_NUMBERS="$out/$model" \
    qemu-x86_64 -cpu "$model" "$program" -q >"$out/said" 2>&1 || { cat "$out/said"; exit 1; }
  diff "$out/native" "$out/$model" | cut -c 1-200 || { echo "another result on $model"; exit 1; }
done
echo "the same $(wc -c <"$out/native") bytes natively, on Nehalem and Haswell, on 1 and 3 threads"
