# Everything as an ordinary user, with a place of one's own for recordings.

as_user() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$@"
  else
    "$@"
  fi
}

# Others may not be able to enter the checkout, or to read what was built: they get copies, in a folder of their own.
case_ordinary() {
  local place
  place=$(mktemp -d "${TMPDIR:-/tmp}/reprise-user.XXXXXX") || fail "no folder for temporary files"
  # The path is known now.
  # shellcheck disable=SC2064
  trap "rm -rf '$place'" EXIT
  mkdir "$place/home"
  install -m 755 "$REPRISE" "${REPRISE%/*}/reprise-engine" "$PROGRAMS/race_racey" "$place"
  chmod 755 "$place"
  chmod 777 "$place/home"
  REPRISE=$place/reprise PROGRAMS=$place
  cd "$place/home" || fail "can't enter $place/home"
  export REPRISE_DIR=$place/home/recordings HOME=$place/home
  as_user "$REPRISE" record -- /bin/sh -c 'id -u; cat /proc/self/status | grep -c Uid; exit 3' >recorded 2>err
  [ $? = 3 ] || fail "record: $(cat err)"
  as_user "$REPRISE" record --chaos=1 -- "$PROGRAMS/race_racey" 4 20000 >racy 2>err || fail "record with threads: $(cat err)"
  as_user "$REPRISE" replay sh-0 >replayed 2>err
  [ $? = 3 ] || fail "replay: $(cat err)"
  cmp recorded replayed || fail "the replay differs"
  as_user "$REPRISE" replay >replayed 2>err || fail "replay of the latest: $(cat err)"
  cmp racy replayed || fail "the replay of threads differs"
  as_user "$REPRISE" ls >list 2>err || fail "ls: $(cat err)"
  [ "$(grep -c complete list)" = 2 ] || fail "not two recordings: $(cat list)"
  as_user "$REPRISE" stat >out 2>err || fail "stat: $(cat err)"
  as_user "$REPRISE" dump sh-0 >out 2>err || fail "dump: $(cat err)"
  as_user "$REPRISE" pack sh-0 >out 2>err || fail "pack: $(cat err)"
  as_user "$REPRISE" rm sh-0 race_racey-0 >out 2>err || fail "rm: $(cat err)"
  as_user "$REPRISE" replay ./sh-0.reprise >replayed 2>err
  [ $? = 3 ] || fail "replay of a pack: $(cat err)"
  cmp recorded replayed || fail "the replay of a pack differs"
}
