#!/usr/bin/env bash
# Adds up very many profiles on one machine, as a tree: FAN_IN of them make a node, FAN_IN nodes the
# next one, up to the sum. A node has the name of what it is made of, so a run that was interrupted
# goes on where it was, and a later run with more profiles only makes what is new.
#
#   tree.sh LIST STATE SUM       LIST: a profile per line, its version, a tab, its name. The version is
#                                anything that changes when the profile does: its hash, or size and time
#
# Variables: FAN_IN (100), JOBS (1), PGOKIT (pgokit), and FETCH: a program that prints the profile whose
# name is its argument, where names are those of an object store and not of files. docs/fleet.md
set -euo pipefail
pgokit=${PGOKIT:-pgokit}

# Broken profiles are left out (3) and named.
merge() {
  local code=0
  "$pgokit" merge -q --threads 1 "$@" || code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 3 ]
}

# One node: list, state, node.
node() {
  local list=$1 state=$2 node=$3 n=0 name
  if [ -z "${FETCH:-}" ] || [ "${list##*.}" = inner ]; then
    # A weight stands before each name, so that none is taken for a comment or for one with a weight.
    cut -f2- "$list" | sed 's/^/1,/' | merge --input-files - -o "$node"
    return
  fi
  scratch=$(mktemp -d "$state/fetch.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  while IFS= read -r name; do
    n=$((n + 1))
    "$FETCH" "$name" </dev/null >"$scratch/$n.prof" || {
      echo "tree.sh: $FETCH cannot print a profile: ${name@Q}" >&2
      exit 1
    }
  done < <(cut -f2- "$list")
  merge "$scratch" -o "$node"
}

if [ "${1:-}" = --node ]; then
  shift
  node "$@"
  exit
fi

[ -s "$1" ] || { echo "tree.sh: $1: no profiles are listed" >&2; exit 1; }
list=$(realpath "$1") state=$(realpath -m "$2") sum=$3 level=leaf
mkdir -p "$state/nodes"
rm -rf "$state"/fetch.* "$state/lists"
while true; do
  rm -rf "$state/lists"
  mkdir "$state/lists"
  split --lines "${FAN_IN:-100}" --suffix-length 6 --additional-suffix ".$level" "$list" "$state/lists/"
  : >"$state/next"
  : >"$state/todo"
  for part in "$state/lists/"*; do
    read -r key _ < <(sha256sum <"$part")
    printf '%s\t%s\n' "$key" "$state/nodes/$key" >>"$state/next"
    [ -e "$state/nodes/$key" ] || printf '%s\0%s\0%s\0' "$part" "$state" "$state/nodes/$key" >>"$state/todo"
  done
  xargs -0 -r -n 3 -P "${JOBS:-1}" bash "$0" --node <"$state/todo"
  [ "$(wc -l <"$state/next")" -gt 1 ] || break
  mv "$state/next" "$state/level"
  list=$state/level level=inner
done
cp "$(cut -f2 "$state/next")" "$sum.new"
mv -f "$sum.new" "$sum"
