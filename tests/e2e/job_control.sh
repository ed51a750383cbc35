# Job control: an interactive bash on a terminal, with Ctrl-Z, Ctrl-C and Ctrl-\, fg, bg, jobs and kill.
# needs: /bin/bash
# A key throws away what has been printed and not been read yet, so all of it is waited for first.
PS1='next> ' terminal $R /bin/bash --noprofile --norc --noediting -i <<'PERSON'
expect next>
type sleep 100
expect sleep 100
running sleep
key Z
expect next>
type echo $?
expect next>
type jobs
expect next>
type fg
expect sleep 100
running sleep
key C
expect next>
type echo $?
expect next>
type sleep 100 | cat
expect sleep 100 | cat
running sleep cat
key Z
expect next>
type bg
expect next>
type fg
expect sleep 100 | cat
running sleep cat
key \
expect next>
type echo ${PIPESTATUS[@]}
expect next>
type bash -c 'trap "echo trapp"ed TSTP; trap "exit 5" INT; echo read"y"; while :; do :; done'
expect ready
key Z
expect trapped
key C
expect next>
type echo $?
expect next>
type cat
running cat
type a line
expect a line
expect a line
key Z
expect next>
type sleep 100
expect sleep 100
running sleep
key Z
expect next>
type jobs
expect next>
type fg %1
running cat
type another line
expect another line
expect another line
key D
expect next>
type jobs
expect next>
type fg
expect sleep 100
running sleep
key C
expect next>
type jobs
expect next>
type exit 7
PERSON

# A program of its own on the terminal, without a shell in between.
terminal $R /usr/bin/sleep 100 <<'PERSON'
running sleep
key C
PERSON
