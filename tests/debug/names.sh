# shellcheck shell=bash
# Looks into recordings that name functions and lines: left out where the command was built without elfutils.
# needs: /usr/include/elfutils/libdwfl.h
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

case_who_wrote_it() {
  local order address
  for order in chunk dag; do
    ORDER=$order recorded overwritten 139
    address=$(address_of overwritten shared | python3 -c 'print(hex(int(input(), 0) + 64))')
    look 0 who "$address,8" --at=crash overwritten.rec
    says '^at [0-9]+:1:[0-9]+:[0-9]+, thread 1 \(process [0-9]+, id [0-9]+, overwritten\): 0x[0-9a-f]+ fill\+0x[0-9a-f]+ \(overwritten.c:14\) in overwritten$'
    look 0 who --at="$(grep -oE '[0-9]+:1:[0-9]+:[0-9]+' out)" --json "$address,8" overwritten.rec
    says '"written": true, "moment": "[0-9]+:0:[0-9]+:[0-9]+", "thread": 0, .*"symbol": "main.*overwritten.c:26\)", "file": "overwritten"}$'
    look 1 who --json --at="$(grep -oE '[0-9]+:0:[0-9]+:[0-9]+' out)" "$address,8" overwritten.rec
    says '"written": false}$'
  done
}

case_who_in_a_pack() {
  recorded lost
  "$REPRISE" pack lost.rec lost.rpk >/dev/null || fail pack
  look 0 who "$(address_of lost counter),4" lost.rpk
  says 'increment\+0x[0-9a-f]+ \(lost.c:11\) in lost$'
}

case_who_is_a_system_call() {
  recorded received
  local address
  address=$(address_of received received)
  look 0 who "$address" received.rec
  says ': read at 0x[0-9a-f]+ .*in libc.so.6$'
  look 0 who "$address" --at="$(grep -oE '[0-9]+:0:[0-9]+:[0-9]+' out)" received.rec
  says ': 0x[0-9a-f]+ (prepare|memset|__memset).*'
}

case_goes_to_a_place() {
  local order moment
  for order in chunk dag; do
    ORDER=$order recorded overwritten 139
    look 0 replay --goto=crash overwritten.rec
    [ "$(cat out)" = "$(head -n 1 overwritten.out)" ] || fail "other output: $(cat out)"
    moment=$(sed -n 's/^at //p' err)
    grep -qE '^thread 0  process [0-9]+, id [0-9]+, overwritten, position [0-9]+: has the turn, at 0x[0-9a-f]+ main\+0x[0-9a-f]+ \(overwritten.c:3[23]\) in overwritten$' err ||
      fail "$(cat err)"
    look 0 replay --quiet --json --goto="$moment" overwritten.rec
    [ ! -s out ] || fail "quiet: $(cat out)"
    python3 -c 'import json, sys; [entry] = map(json.loads, open("err")); sys.exit(entry["moment"] != sys.argv[1] or entry["thread"] != 0)' "$moment" || fail "$(cat err)"
  done
}
