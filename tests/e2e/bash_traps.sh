# Bash: traps on signals, on errors and on exit; signals to itself, to children, and their wait statuses.
# needs: /bin/bash
cat >script <<'SCRIPT'
trap 'echo "usr1"' USR1
trap 'echo "exit trap, status $?"' EXIT
trap 'echo "error on line $LINENO"' ERR
for i in 1 2 3; do kill -USR1 $$; done
false
echo go on
mkfifo ready
bash -c 'trap "echo child got term; exit 5" TERM; echo up >ready; while :; do sleep 0.01; done' &
child=$!
read -r _ <ready
kill -TERM $child
wait $child
echo "child $?"
sleep 100 &
{ # whether bash tells of the death by itself depends on whether it hears of it before it waits
  kill -KILL $!
  wait $!
} 2>/dev/null
echo "killed $?"
bash -c 'echo up >ready; exec sleep 100' & # no copy of this shell any more, with its traps, when it is killed
sleeper=$!
read -r _ <ready
trap 'echo "trap ends the sleeper"; kill $sleeper' USR2
(kill -USR2 $$)
wait $sleeper
echo "waited $?"
trap '' INT
kill -INT $$
echo "ignored"
trap - INT
(trap 'echo sub; exit 3' HUP; kill -HUP $BASHPID; echo never)
echo "subshell $?"
kill -TERM $$
echo never
SCRIPT
outcome $R /bin/bash script 2>&1 | sed -E 's/(line [0-9]+:) +[0-9]+ /\1 PID /'
