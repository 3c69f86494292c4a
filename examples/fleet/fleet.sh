#!/usr/bin/env bash
# Adds the profiles that machines have sent to the sum of a fleet, as a Slurm job array (map) and a
# dependent job (reduce). docs/fleet.md tells how and why.
#
#   fleet.sh INCOMING STATE TASKS      plans a round and submits it; prints the id of the last job
#
# INCOMING: a folder of profiles, whatever their names. STATE: a folder of ours; STATE/current/total.prof is
# the sum. Run it as often as you like, one round at a time: what has been counted is not counted again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
incoming=$(realpath "$1") state=$(realpath -m "$2") tasks=$3

mkdir -p "$state"
if [ ! -e "$state/current" ]; then
  mkdir -p "$state/round-0"
  : >"$state/round-0/counted"
  ln -sfn round-0 "$state/current"
fi
round=$state/round-$(($(basename "$(readlink "$state/current")" | tr -dc 0-9) + 1))
rm -rf "$round"
mkdir -p "$round/lists"

# Contents are known by their hash: copies are one, and so is what an earlier round has counted.
find "$incoming" -type f ! -name '.*' -print0 | sort -z | xargs -0 -r sha256sum | sort -u -k1,1 >"$round/seen"
awk -v list="$state/current/counted" 'BEGIN { while ((getline hash < list) > 0) counted[hash] }
  !($1 in counted)' "$round/seen" >"$round/new"
cut -d' ' -f1 "$round/new" | sort -u - "$state/current/counted" >"$round/counted"
if [ ! -s "$round/new" ]; then
  echo "fleet.sh: nothing new" >&2
  rm -rf "$round"
  exit 0
fi
awk -v tasks="$tasks" -v folder="$round/lists" '{ sub(/^[^ ]+ +\*?/, ""); print > (folder "/" NR % tasks) }' "$round/new"

export FLEET_SCRIPTS=$here # the jobs run from Slurm's copies of their scripts
lists=$(ls "$round/lists" | sort -n | paste -sd,)
map=$(sbatch --parsable --array="$lists" --output="$round/map-%a.log" --open-mode=append \
  "$here/map.sbatch" "$round")
sbatch --parsable --dependency="afterok:$map" --kill-on-invalid-dep=yes --output="$round/reduce.log" \
  --open-mode=append "$here/reduce.sbatch" "$round" "$state"
