# The README's first session, pasted: every command in it prints what it says there.
# needs: /usr/bin/gdb

case_first_session() {
  local root=${LIB%/tests/*} line command='' wanted=''
  ln -s "${REPRISE%/*}" build
  check() { # the command read last, against the lines that followed it
    [ -n "$command" ] || return 0
    bash -c "$command" >printed 2>&1
    [ "$(cat printed)" = "${wanted%$'\n'}" ] || fail "$command: printed '$(cat printed)'"
    count=$((count + 1))
  }
  count=0
  while IFS= read -r line; do
    case $line in
      '    $ make') ;;
      '    $ '*) check && command=${line#'    $ '} wanted='' ;;
      '    '*) wanted+=${line#'    '}$'\n' ;;
    esac
  done < <(sed -n '/^## A first session/,/^## On simulated/p' "$root/README.md")
  check
  [ "$count" -ge 5 ] || fail "only $count commands found in the README"
}
