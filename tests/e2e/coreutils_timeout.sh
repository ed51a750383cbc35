# timeout: ends a command by signal, hands its status on, and is ended itself.
outcome $R /usr/bin/timeout 60 /usr/bin/true
outcome $R /usr/bin/timeout 60 /usr/bin/env bash -c 'exit 3'
outcome $R /usr/bin/timeout 0.2 /usr/bin/sleep 100
outcome $R /usr/bin/timeout -s KILL 0.2 /usr/bin/sleep 100
outcome $R /usr/bin/timeout --preserve-status -s HUP 0.2 /usr/bin/sleep 100
# The time must not be up before the command ignores the signal, so that tells timeout when it is; nor before timeout waits,
# since until then it does not know that it has a command.
outcome $R /usr/bin/timeout -k 0.2 60 /bin/bash -c 'trap "" TERM
  until read -r _ _ state _ </proc/$PPID/stat && [ "$state" = S ]; do :; done
  kill -ALRM $PPID; while :; do sleep 0.02; done'
outcome $R /usr/bin/timeout 0.2 /bin/bash -c 'while :; do :; done'
outcome $R /usr/bin/timeout 60 /bin/bash -c 'kill -SEGV $$'
outcome $R /usr/bin/timeout 60 /does/not/exist
outcome $R /usr/bin/timeout 60 /etc/passwd
