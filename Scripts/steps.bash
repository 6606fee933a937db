# Sourced by the checks: runs named steps, each within a time budget, and counts the results.

passed=0
failed=0
skipped=0
failures=()
log=$(mktemp)
trap 'rm -f "$log" "$log.times" "$log.lines"' EXIT
# The process of the running step, and the environment variable that marks it and its descendants.
running=
mark=
trap 'end_step; exit 143' INT TERM

# The factor of all budgets, for slow or busy machines.
patience=${PARHELION_PATIENCE:-1}

# The second of this shell at which every step must have ended; empty for no limit.
deadline=

# Swift's backtraces show only the crashed thread, and may take two minutes.
backtrace=(color=no interactive=no threads=crashed registers=none images=none limit=24 timeout=120s)
SWIFT_BACKTRACE=$(IFS=, && printf '%s' "${backtrace[*]}")
export SWIFT_BACKTRACE

# note_processor_time: sets `worked` to the processor time of all commands that have ended, in
# seconds.
note_processor_time() {
  # In a subshell, `times` would print only the subshell's own times.
  times >"$log.times"
  worked=$(awk -F'[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' "$log.times")
}

# step <seconds> <name> <command…>: runs one step within its budget and the remaining total time,
# and counts it. A process that is left after the command is a failure, and is killed.
step() {
  local budget=$(($1 * patience)) name=$2 started=$SECONDS status worked before
  note_processor_time
  before=$worked
  shift 2
  if [ -n "$deadline" ] && [ $((deadline - SECONDS)) -lt "$budget" ]; then
    budget=$((deadline - SECONDS > 0 ? deadline - SECONDS : 1))
  fi
  printf '\n== %s (at most %d s)\n' "$name" "$budget"
  # The command writes to a file, because the reader of a pipe would also wait for leftover
  # processes.
  mark=PARHELION_STEP=$$.$RANDOM
  : >"$log"
  env "$mark" "$@" >>"$log" 2>&1 &
  running=$!
  # A test's arguments may have megabytes, so lines are cut.
  timeout "$budget" tail -n +1 -f -s 0.2 --pid="$running" "$log" | stdbuf -oL cut -b -2000
  if [ "${PIPESTATUS[0]}" -eq 124 ]; then
    status=124
    show_threads
    end_step
  else
    wait "$running"
    status=$?
    end_strays || status=1
  fi
  running=
  note_processor_time
  if [ "$status" -eq 0 ]; then
    passed=$((passed + 1))
    printf '== %s: passed in %d s, with %d s of processor time\n' "$name" \
      "$((SECONDS - started))" "$((worked - before))"
  else
    failed=$((failed + 1))
    failures+=("$name")
    [ "$status" -eq 124 ] && printf '== %s: ran out of its budget of %d s\n' "$name" "$budget"
    printf '== %s: FAILED (status %d)\n' "$name" "$status"
  fi
  return "$status"
}

# marked_processes: prints the identifiers of the running step's processes, found by the mark.
marked_processes() {
  grep -lsxz -- "$mark" /proc/[0-9]*/environ | cut -d/ -f3
}

# end_strays: kills leftover processes of the command, which first get five seconds to end.
end_strays() {
  local process
  for _ in {1..50}; do
    [ -n "$(marked_processes)" ] || return 0
    sleep 0.1
  done
  for process in $(marked_processes); do
    printf 'Leftover process: %s\n' "$(tr '\0' ' ' <"/proc/$process/cmdline" | cut -b -200)"
    kill -KILL "$process"
  done
  return 1
}

# end_step: ends the running command and its processes. They get ten seconds to clean up.
end_step() {
  local process
  [ -n "$running" ] || return 0
  for process in $(marked_processes); do kill -TERM "$process"; done
  timeout 10 tail -f -s 0.2 --pid="$running" /dev/null
  for process in $(marked_processes); do kill -KILL "$process"; done
  wait "$running"
}

# show_threads: prints the backtraces of the step's test processes, for a run that hangs.
show_threads() {
  local process
  for process in $(marked_processes); do
    [[ $(readlink "/proc/$process/exe") == *PackageTests.xctest ]] || continue
    printf 'Threads of process %d:\n' "$process"
    if command -v gdb >/dev/null; then
      timeout 120 gdb -p "$process" -batch -ex 'thread apply all backtrace 24' 2>/dev/null
    else
      grep -H . "/proc/$process"/task/*/{wchan,syscall} 2>/dev/null
    fi | cut -b -300 | head -2000
  done
}

# split_lines <log>: prints the log with each event on a line of its own. After a line with a zero
# byte, the line break is missing.
split_lines() {
  sed -E 's/(.)([◇✔✘➜] +Test )/\1\n\2/g' "$1"
}

# count_tests <name>: counts the tests of the last step by Swift Testing's line for each. A run
# without tests is a failure.
count_tests() {
  local line lines tests failing skipping
  split_lines "$log" >"$log.lines"
  lines=$(grep -E '^[^ ]+ +Test ' "$log.lines" | grep -vE ' Test run ' || true)
  tests=$(grep -cE ' passed after [0-9.]+ seconds' <<<"$lines")
  failing=$(grep -cE ' failed after [0-9.]+ seconds' <<<"$lines")
  skipping=$(grep -cE ' skipped(:|$)' <<<"$lines")
  passed=$((passed + tests))
  failed=$((failed + failing))
  skipped=$((skipped + skipping))
  while IFS= read -r line; do failures+=("$1: ${line:0:500}"); done < <(failing_tests "$log.lines")
  if [ "$tests" -eq 0 ]; then
    failed=$((failed + 1))
    failures+=("$1 ran no test")
  fi
}

# count_conclusion: replaces the count of the last step by the counts in its last line.
count_conclusion() {
  local counts
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -1)
  [ -n "$counts" ] || return 0
  set -- ${counts//[^0-9]/ }
  if [ "$2" -eq 0 ]; then passed=$((passed - 1)); else failed=$((failed - 1)); fi
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
  while IFS= read -r counts; do failures+=("${counts#Failed: }"); done < <(grep '^Failed: ' "$log")
}

# failing_tests <log>: prints a line for each failing test, with its first issue. If the run broke
# off, also prints up to ten tests that did not end, the reason in the log, and the backtrace of the
# crash.
failing_tests() {
  awk '
    /^[^ ]+ +Test / && !/^[^ ]+ +Test (run|case) / {
      text = $0
      sub(/^[^ ]+ +Test /, "", text)
      if (match(text, / recorded an issue( with [0-9]+ arguments?)?( at)? /)) {
        name = substr(text, 1, RSTART - 1)
        if (!(name in issue)) issue[name] = substr(text, RSTART + RLENGTH)
      } else if (match(text, /( with [0-9]+ test cases?)? (passed|failed) after [0-9.]+ seconds/)) {
        name = substr(text, 1, RSTART - 1)
        delete begun[name]
        if (substr(text, RSTART, RLENGTH) ~ / failed /)
          print name ": " (name in issue ? issue[name] : "no issue was recorded")
      } else if (match(text, / started\.$/)) {
        begun[substr(text, 1, RSTART - 1)] = 1
      }
    }
    /^[^ ]+ +Test run started/ { ++begins }
    /^[^ ]+ +Test run with / { ++ends }
    /(Fatal error|Precondition failed|Assertion failed): / && !reason { reason = $0 }
    /\*\*\* .*(crashed|failure): / && !reason { reason = $0 }
    /unexpected signal / && !signal { signal = $0 }
    /^ *[0-9]+ .*0x[0-9a-f]+ / && isCrash { frames[++count] = $0; next }
    /^Thread .* crashed:$/ { isCrash = !count }
    /^(\.\.\.|Backtrace took .*)$/ { isCrash = 0 }
    END {
      if (begins > 0 && begins == ends) exit
      for (name in begun)
        if (++printed <= 10) print name " did not end" (name in issue ? ": " issue[name] : "")
      print reason ? reason : signal ? signal : "the run broke off"
      for (number = 1; number <= count; ++number) print frames[number]
    }
  ' "$1"
}

# conclude: prints the failures and the counts. Its status is that of the script.
conclude() {
  local failure
  printf '\n'
  for failure in "${failures[@]}"; do printf 'Failed: %s\n' "$failure"; done
  if [ "$skipped" -gt 0 ]; then
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  else
    printf '%d passed, %d failed\n' "$passed" "$failed"
  fi
  [ "$failed" -eq 0 ]
}
