#!/usr/bin/env bash
# A profile that is kept beside a program, for any CI. docs/ci.md tells how and why.
#
#   profile.sh check PROFILE PROGRAM                 does the profile still fit this build?
#   profile.sh refresh PROFILE PROGRAM COMMAND...    records COMMAND, and makes PROFILE anew of that
#                                                    and of the profile that was there
#
# Both print Markdown. Exit codes are pgokit's: 0 good, or PROFILE was written; 3 a threshold is
# missed, PROFILE is as it was; 1 and 2 something else is wrong. Thresholds are variables:
#
#   HALF_LIFE=14        days after which what an older profile says counts half as much
#   MIN_DENSITY=50      samples per place that a recording must have
#   MIN_SIMILARITY=50   per cent; an older profile that is less like the new one is not added to it
#   MAX_STALE=20        per cent of samples in functions that changed
#   MAX_AGE=90          days
#   RECORD=             options of pgokit record
#   PGOKIT=pgokit
set -euo pipefail
pgokit=${PGOKIT:-pgokit}

check() {
  local profile=$1 program=$2
  "$pgokit" check "$profile" -b "$program" --max-stale "${MAX_STALE:-20}" \
    --max-age "${MAX_AGE:-90}" --markdown
}

# Runs the rest of its arguments; true where they end with 0 or 3, and `code` is which.
run_gate() {
  code=0
  "$@" || code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 3 ] || exit "$code"
}

refresh() {
  local profile=$1 program=$2 code
  shift 2
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  # shellcheck disable=SC2086  # several options
  "$pgokit" record ${RECORD:-} -q -o "$work/run.perf" -- "$@" >&2
  "$pgokit" generate "$work/run.perf" -b "$program" --note -q -o "$work/new.prof"
  run_gate "$pgokit" check "$work/new.prof" -b "$program" --min-density "${MIN_DENSITY:-50}" \
    --markdown
  [ "$code" -eq 0 ] || return "$code"
  local inputs=("$work/new.prof")
  if [ -e "$profile" ] && "$pgokit" match "$profile" -b "$program" -o "$work/old.prof" --markdown; then
    run_gate "$pgokit" compare "$work/old.prof" "$work/new.prof" \
      --min-similarity "${MIN_SIMILARITY:-50}" --markdown
    [ "$code" -ne 0 ] || inputs+=("$work/old.prof")
  fi
  "$pgokit" merge "${inputs[@]}" --half-life "${HALF_LIFE:-14}" -o "$profile"
}

case ${1:-} in
  check | refresh) "$@" ;;
  *)
    echo "usage: profile.sh check PROFILE PROGRAM, or profile.sh refresh PROFILE PROGRAM COMMAND..." >&2
    exit 2
    ;;
esac
