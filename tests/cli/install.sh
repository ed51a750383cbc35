# What `make install` copies works where it was put, and `make uninstall` takes it away again.

root=$(dirname "$LIB")/../..

case_moved() {
  make -s -C "$root" install DESTDIR="$PWD/over there" PREFIX=/usr >out 2>&1 || fail "$(cat out)"
  mv "over there/usr" elsewhere
  [ "$(elsewhere/bin/reprise run /bin/echo hello)" = hello ] || fail 'the moved command does not run programs'
  rm elsewhere/libexec/reprise/reprise-engine
  refuses 125 'the engine (reprise-engine) is missing' elsewhere/bin/reprise run /bin/true
}

case_compiles_nothing() { # whatever PREFIX is, once it is built
  local built
  make -s -C "$root" all >out 2>&1 || fail "$(cat out)"
  built=$(stat -c '%n %i %y' "$root"/build/reprise "$root"/build/reprise-engine "$root"/build/cli/sphere/*.o)
  make -s -C "$root" install DESTDIR="$PWD/there" PREFIX=/opt/elsewhere >out 2>&1 || fail "$(cat out)"
  [ -x there/opt/elsewhere/bin/reprise ] || fail 'not installed'
  [ "$(stat -c '%n %i %y' "$root"/build/reprise "$root"/build/reprise-engine "$root"/build/cli/sphere/*.o)" = "$built" ] || fail 'it compiles again'
}

case_uninstalled() {
  make -s -C "$root" install DESTDIR="$PWD/over there" PREFIX=/usr >out 2>&1 || fail "$(cat out)"
  [ -e "over there/usr/share/man/man1/reprise-record.1" ] || fail 'no manual page'
  make -s -C "$root" uninstall DESTDIR="$PWD/over there" PREFIX=/usr >out 2>&1 || fail "$(cat out)"
  [ -z "$(find "over there" ! -type d)" ] || fail "left behind: $(find "over there" ! -type d)"
}
