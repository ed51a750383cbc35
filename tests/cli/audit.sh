# The engine that looks for what the kernel writes and no row names (make STRESS=audit).

audit() { # COMMAND…
  "${REPRISE%/*}/stress-audit/reprise" record -o recording --order=$order -- "$@" >out 2>err
  status=$?
  rm -rf recording
}

case_planted() { # a row that is wrong on purpose is found, one that is right is not
  for order in chunk dag; do
    audit "$PLANTED"
    [ "$status" = 0 ] || fail "$order: a call with a row: status $status: $(cat err)"
    [ "$(cat out)" = written ] || fail "$order: $(cat out)"
    audit "$PLANTED" planted
    [ "$status" = 125 ] || fail "$order: a call without a row: status $status"
    grep -q '^reprise: audit: getcpu(0x.*) = 0: no row names the write of [1-4] bytes at 0x' err || fail "$order: $(cat err)"
  done
}

# A timer is due again each time that the audit has copied memory: the call is made all the same, sooner or later, and replay compares what was
# recorded between the attempts.
case_interrupted() {
  "${REPRISE%/*}/stress-audit/reprise" record -o recording --check-memory -- "$PROGRAMS/code_long_copy" >out 2>err || fail "$(cat err)"
  grep -q '^audit: *[1-9][0-9]* interrupted$' recording/manifest || fail "no call was interrupted: $(grep ^audit recording/manifest)"
  "$REPRISE" replay recording >again 2>err || fail "status $?: $(cat err)"
  cmp out again || fail "the replay printed something else"
}

case_counts() { # what was looked at is told, and what was not
  "${REPRISE%/*}/stress-audit/reprise" record -o recording -- "$PLANTED" >out 2>err || fail "$(cat err)"
  grep -q '^audit: *[1-9][0-9]* memory$' recording/manifest || fail "$(cat recording/manifest)"
  grep -q '^audit: *[1-9][0-9]* copies$' recording/manifest || fail "$(cat recording/manifest)"
  grep -q '^audit: *[1-9][0-9]* executed$' recording/manifest || fail "$(cat recording/manifest)"
}
