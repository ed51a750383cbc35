# shellcheck shell=bash
# Sessions of gdb that go from what went wrong back to its cause, and through programs of several languages.
# needs: /usr/bin/gdb
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

case_use_after_free() {
  local order
  for order in chunk dag; do
    ORDER=$order recorded freed 134
    session freed <<'END'
continue
print current->kind
watch -l current->kind
reverse-continue
backtrace
delete
break release if record == current
reverse-continue
backtrace
print current->value
END
    says 'received signal SIGABRT'
    says '^\$1 = 8680820740569200760$'
    says '^#[0-9]+ .* reuse \(\)'
    says 'hit Breakpoint [0-9]+, release \(record=.*\)'
    says '^#1 .* work \(argument='
    says '^\$2 = 42$'
  done
}

case_exceptions() {
  local order
  for order in chunk dag; do
    OPTIMIZE=-O0 ORDER=$order recorded throws
    session throws <<'END'
break main
continue
catch throw
catch catch
continue
up
info locals
continue
delete
break refuse
reverse-continue
step
print count
reverse-finish
delete
reverse-finish
END
    says 'Catchpoint 2 \(exception thrown\)'
    says 'Catchpoint 3 \(exception caught\)'
    says 'hit Breakpoint 4, refuse \(box=|^Breakpoint 4, refuse \(box='
    says '^\$1 = 1$'
    says 'throws.cc:21'
  done
}

# Without symbols of its own, but with those that it exports.
case_python() {
  [ -x /usr/bin/python3 ] || return 0
  "$REPRISE" record -o python.rec -- /usr/bin/python3 -S -c 'print(sorted([3, 1, 2]))' >python.out || fail "status $?"
  session python <<'END'
break PyList_Sort
continue
print $pc
stepi 20
print $pc
reverse-stepi 20
print $pc
delete
continue
END
  says 'Breakpoint 1, .*PyList_Sort'
  [ "$(grep -oE '^\$[13] = .*' out | sed 's/^[^=]*//' | sort -u | wc -l)" = 1 ] || fail "it did not come back: $(cat out)"
  [ "$(grep -oE '^\$[12] = .*' out | sed 's/^[^=]*//' | sort -u | wc -l)" = 2 ] || fail "it did not move: $(cat out)"
  says '^\[1, 2, 3\]$'
}
