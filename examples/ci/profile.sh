#!/bin/sh
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
#   MAX_AGE=90          days; of a profile that has a note of when it was recorded
#   RECORD=             options of pgokit record
#   PGOKIT=pgokit
set -eu
pgokit=${PGOKIT:-pgokit}

# Of a file that cannot be read that is not known: the next command says what is wrong.
is_undated() {
  summary=$("$pgokit" show --summary "$1" 2>/dev/null) || return 1
  ! printf '%s\n' "$summary" | grep -q '^recorded *[0-9]'
}

check() {
  profile=$1 program=$2 code=0
  set -- --max-age "${MAX_AGE:-90}"
  ! is_undated "$profile" || set --
  "$pgokit" check "$profile" -b "$program" --max-stale "${MAX_STALE:-20}" "$@" --markdown || code=$?
  [ $# -gt 0 ] || printf '\n%s\n' "Its age is not known: it has no note, which \`pgokit generate --note\` writes."
  return "$code"
}

# Runs the rest of its arguments; true where they end with 0 or 3, and `code` is which.
run_gate() {
  code=0
  "$@" || code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 3 ] || exit "$code"
}

refresh() {
  profile=$1 program=$2
  shift 2
  # Of a name that stays: the note of the recording has it, and so have headings.
  work=$profile.refresh
  if [ -e "$work" ]; then
    echo "profile.sh: $work is of another refresh, or of one that was killed: remove it then" >&2
    exit 1
  fi
  mkdir "$work"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' HUP TERM
  # shellcheck disable=SC2086  # several options
  "$pgokit" record ${RECORD:-} -q -o "$work/run.perf" -- "$@" >&2
  "$pgokit" generate "$work/run.perf" -b "$program" --note -q -o "$work/new.prof"
  run_gate "$pgokit" check "$work/new.prof" -b "$program" --recording "$work/run.perf" \
    --min-density "${MIN_DENSITY:-50}" --markdown
  [ "$code" -eq 0 ] || return "$code"
  set -- "$work/new.prof"
  if [ -e "$profile" ] && "$pgokit" match "$profile" -b "$program" -o "$work/old.prof" --markdown; then
    run_gate "$pgokit" compare "$work/old.prof" "$work/new.prof" \
      --min-similarity "${MIN_SIMILARITY:-50}" --markdown
    [ "$code" -ne 0 ] || set -- "$@" "$work/old.prof"
  fi
  "$pgokit" merge "$@" --half-life "${HALF_LIFE:-14}" -o "$profile"
}

case ${1:-} in
  check | refresh) "$@" ;;
  *)
    echo "usage: profile.sh check PROFILE PROGRAM, or profile.sh refresh PROFILE PROGRAM COMMAND..." >&2
    exit 2
    ;;
esac
