#!/bin/sh
# pgo.sh [TARGET...]: builds the preset pgo, after the release preset, which records it and makes what
# it is trained with. Trained once: a profile fits sources that change; without build/pgo/training it
# is trained anew.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/pgo/training
[ -f build/release/build.ninja ] || cmake --preset release
cmake --build --preset release --target pgokit pgokit-walk pgokit-make-profiles
libraries=$PWD/build/libraries-$(uname -m)
python3 cmake/static_libraries.py "$libraries" || {
  echo "pgo.sh: libraries are linked as shared ones: pgokit will take 0.6 ms longer to start" >&2
  libraries=
}
cmake --preset pgo -DPGOKIT_STATIC_LIBRARIES="$libraries"
[ -f build/pgo/training/pgokit.prof ] || cmake --build --preset pgo --target pgokit-train
cmake --build --preset pgo ${1:+--target "$@"}
