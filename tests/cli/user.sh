# Everything as an ordinary user, with a place of one's own for recordings.

as_user() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$@"
  else
    "$@"
  fi
}

case_ordinary() {
  export REPRISE_DIR=$PWD/home/recordings HOME=$PWD/home
  mkdir home
  chmod 777 . home
  as_user "$REPRISE" --version >out 2>err || return 0 # the command lies where others can't reach it
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
  (cd home && as_user "$REPRISE" pack sh-0 >../out 2>../err) || fail "pack: $(cat err)"
  as_user "$REPRISE" rm sh-0 race_racey-0 >out 2>err || fail "rm: $(cat err)"
  as_user "$REPRISE" replay ./home/sh-0.reprise >replayed 2>err
  [ $? = 3 ] || fail "replay of a pack: $(cat err)"
  cmp recorded replayed || fail "the replay of a pack differs"
}
