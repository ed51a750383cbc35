# What `reprise run` passes on: arguments, environment, standard input, the folder, the status.

case_status() {
  prints 0 '' "$REPRISE" run -- /bin/true
  prints 1 '' "$REPRISE" run -- /bin/false
  prints 42 '' "$REPRISE" run -- /bin/sh -c 'exit 42'
}

case_arguments() {
  prints 0 $'--help\n--\n\n a  b \n*' "$REPRISE" run -- /usr/bin/printf '%s\n' --help -- '' ' a  b ' '*'
}

case_without_dashes() { prints 0 'a -n b' "$REPRISE" run /bin/echo a -n b; }

case_path() { prints 0 found "$REPRISE" run -- echo found; }

case_path_order() {
  mkdir first second
  printf '#!/bin/sh\necho wrong\n' >first/tool # not executable, so it does not count
  printf '#!/bin/sh\necho right\n' >second/tool
  chmod 755 second/tool
  PATH=$PWD/first:$PWD/second:$PATH prints 0 right "$REPRISE" run -- tool
}

case_environment() {
  prints 0 $'A=1\nB=' env -i A=1 B= "$REPRISE" run -- /usr/bin/env
}

case_standard_input() {
  printf 'one\ntwo\n' >in
  prints 0 $'one\ntwo' "$REPRISE" run -- /bin/cat <in
}

case_folder() {
  mkdir here
  (cd here && prints 0 "$PWD/here" "$REPRISE" run -- /bin/pwd)
}

case_script() {
  printf '#!/bin/sh -u\necho "$0 $# $1"\n' >script
  chmod 755 script
  prints 0 './script 2 a b' "$REPRISE" run -- ./script 'a b' c
}

case_descriptors() {
  echo kept >file
  prints 0 kept "$REPRISE" run -- /bin/sh -c 'cat <&7' 7<file
  prints 0 '0 1 2 3' "$REPRISE" run -- /bin/sh -c 'cd /proc/self/fd && echo *' </dev/null
}

# They come last, from programs too that close their standard error before they end.
case_counters() {
  "$REPRISE" run --counters -- /bin/sh -c 'exec 2>&-; exit 3' >out 2>err
  [ $? = 3 ] || fail 'another status'
  grep -q '^ *[1-9][0-9]*  blocks translated$' err || fail "no counters: $(cat err)"
  "$REPRISE" run --counters -- /bin/sh -c 'cd /proc/self/fd && echo *' </dev/null >out 2>err
  [ "$(cat out)" = '0 1 2 3' ] || fail "descriptors: $(cat out)"
}

case_help() {
  "$REPRISE" --help >out 2>err || fail "status $?"
  grep -q 'run' out || fail "no mention of run: $(cat out)"
  [ ! -s err ] || fail "stderr: $(cat err)"
}

case_version() {
  "$REPRISE" --version >out 2>err || fail "status $?"
  grep -qE '^reprise [0-9]+\.[0-9]+' out || fail "not a version: $(cat out)"
}
