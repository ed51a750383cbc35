# What `make install` copies works where it was put, and `make uninstall` takes it away again. Nothing is built here (-o all): other tests use what is.

root=$(dirname "$LIB")/../..

case_moved() {
  make -s -C "$root" -o all install DESTDIR="$PWD/over there" PREFIX=/usr >out 2>&1 || fail "$(cat out)"
  mv "over there/usr" elsewhere
  [ "$(elsewhere/bin/reprise run /bin/echo hello)" = hello ] || fail 'the moved command does not run programs'
  rm elsewhere/libexec/reprise/reprise-engine
  refuses 125 'the engine (reprise-engine) is missing' elsewhere/bin/reprise run /bin/true
}

case_compiles_nothing() { # whatever PREFIX is: what is compiled does not name it
  ! grep -qF /usr/local "$REPRISE" || fail 'the command names a prefix'
}

case_uninstalled() {
  make -s -C "$root" -o all install DESTDIR="$PWD/over there" PREFIX=/usr >out 2>&1 || fail "$(cat out)"
  [ -e "over there/usr/share/man/man1/reprise-record.1" ] || fail 'no manual page'
  make -s -C "$root" uninstall DESTDIR="$PWD/over there" PREFIX=/usr >out 2>&1 || fail "$(cat out)"
  [ -z "$(find "over there" ! -type d)" ] || fail "left behind: $(find "over there" ! -type d)"
}
