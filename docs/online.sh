#!/bin/sh
# Runs what docs/online.md measures: sh docs/online.sh PROGRAM FOLDER, then python3 docs/online.py FOLDER.
# PROGRAM is the built command line, such as target/release/sporadic. One thread; processor time beside each run.
set -eu
program=$1 folder=$2
mkdir -p "$folder"
run() { # NAME ARGUMENTS..
    name=$1
    shift
    /usr/bin/time -f %U -o "$folder/$name.time" "$program" learn "$@" --seeds 10 --threads 1 --out "$folder/$name" > /dev/null
}
for model in river-swim river-balance; do
    for beta in 0.05 0.1 0.2 0.5 0=0.5,1=0; do
        for psi in exact online; do
            run "$model $beta regression $psi" $model --beta $beta --psi $psi
            run "$model $beta model $psi" $model --beta $beta --psi $psi --continuation model
            run "$model $beta adaptive $psi" $model --beta $beta --psi $psi --oracle adaptive
        done
    done
done
