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
