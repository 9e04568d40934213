#!/bin/sh
# Trains a slice on another machine, one with a GPU, say, and brings the checkpoints back.
#
#   remote.sh HOST MINUTES      through ssh; HOST "here" uses a folder of this machine, to try it
#   remote.sh run MINUTES IN OUT   the part that runs there: parcel in, parcel out
#
# Run it from the root of the repository. What is committed travels, and the newest checkpoints in
# .training; without any, the slice starts from the weights that ship. There, $PYTHON (python3) must
# have torch and torchvision; what else is missing is installed from requirements.lock where it can be.
set -eu

run() {
    minutes=$1 parcel=$2 out=$3
    python=${PYTHON:-python3}
    "$python" -c 'import torch, torchvision' ||
        { echo "$python there lacks torch or torchvision; set PYTHON" >&2; exit 1; }
    "$python" -c 'import cv2, msgspec, numpy, onnxruntime, safetensors' 2>/dev/null ||
        "$python" -m pip install --quiet --requirement requirements.lock safetensors
    folder=$(mktemp -d)
    if [ -f "$parcel/parcel.json" ]; then
        "$python" -m models.training.parcel unpack "$parcel" "$folder"
    fi
    cores=$("$python" -c 'import os; print(len(os.sched_getaffinity(0)))')
    workers=$((cores > 4 ? cores / 2 - 1 : 0))
    "$python" -m models.training.train all --minutes "$minutes" --workers "$workers" --folder "$folder"
    "$python" -m models.training.parcel pack "$folder" "$out"
    rm -rf "$folder"
}

there() {
    if [ "$host" = here ]; then sh -c "$1"; else ssh "$host" "$1"; fi
}

if [ "$1" = run ]; then
    run "$2" "$3" "$4"
    exit
fi

host=$1 minutes=$2
local_python=${LOCAL_PYTHON:-.venv/bin/python}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
if ls .training/*.pt >/dev/null 2>&1; then
    "$local_python" -m models.training.parcel pack .training "$box/in"
fi
mkdir -p "$box/in" "$box/out"
place=$(there 'mktemp -d')
git archive HEAD animator models serving pyproject.toml requirements.lock | there "tar -x -C $place"
tar -c -C "$box" in | there "tar -x -C $place"
there "cd $place && ${PYTHON:+PYTHON=$PYTHON} sh models/training/remote.sh run $minutes in out"
there "tar -c -C $place out && rm -rf $place" | tar -x -C "$box"
"$local_python" -m models.training.parcel unpack "$box/out" .training
