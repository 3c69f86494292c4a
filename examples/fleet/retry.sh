# Sourced by the jobs. Runs the rest of its arguments; after a failure Slurm runs the whole job again, three
# times at most. Profiles that were left out (exit code 3) are no failure: the log names them.
run_or_retry() {
  local code=0
  "$@" || code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 3 ] && return 0
  if [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
    echo "exit code $code: to be run again"
    scontrol requeue "$SLURM_JOB_ID"
    sleep 60 # until Slurm ends this run
  fi
  exit "$code"
}
