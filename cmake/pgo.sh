#!/bin/sh
# pgo.sh [TARGET...]: builds the preset pgo, after the release preset, which records it and makes what
# it is trained with. Trained once: a profile fits sources that change; without build/pgo/training it
# is trained anew.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/pgo/training
for preset in release pgo; do
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"
done
cmake --build --preset release --target pgokit pgokit-walk pgokit-make-profiles
[ -f build/pgo/training/pgokit.prof ] || cmake --build --preset pgo --target pgokit-train
cmake --build --preset pgo ${1:+--target "$@"}
