# What the scripts in tests/e2e share; bash reads it before each of them (BASH_ENV).
#
# A script runs twice in a fresh folder: with R empty, and with R a command that puts the program behind it under the
# engine. What it prints must be the same both times, so it filters what no two runs share: times, rates,
# process ids. `$R PROGRAM` stays unquoted.

HERE=${BASH_ENV%/*} # where files for the scripts lie
unset BASH_ENV        # only the script itself, not the shells it tests

outcome() { # PROGRAM ARGS…: run it, then print how it ended; tells exit 139 from a death by signal 11
  "$LIMIT" 250 .outcome "$@"
  cat .outcome
}

terminal() { # PROGRAM ARGS…: on a terminal, with a person at it who does what standard input says (lib/terminal.c)
  "${LIMIT%/*}/terminal" "$@"
}

await() { # COMMAND…: until it succeeds, for as long as the server in the background is there
  until "$@" >/dev/null 2>&1; do
    if [ -z "$(jobs -r)" ]; then
      echo "the server is gone: $(tail -n 3 ./*.log 2>/dev/null)"
      exit 1
    fi
    sleep 0.05
  done
}

noise() { # BYTES: incompressible, the same every time
  openssl enc -aes-128-ctr -nosalt -K 00112233445566778899aabbccddeeff -iv 0 </dev/zero 2>/dev/null | head -c "$1"
}

text() { # BYTES: lines of letters, the same every time
  noise "$1" | base64 -w 63 | head -c "$1"
}

mixed() { # BYTES FILE: half of it hardly compressible, half source text
  find /usr/include /usr/share/perl -name '*.[hp]*' -type f -print0 | sort -z | xargs -0 cat >"$2"
  truncate -s $(($1 / 2)) "$2"
  text $(($1 / 2)) >>"$2"
}

free_port() { # a loopback port that nobody listens on
  perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'
}

python_tests() { # MODULE [PYTHON]: the verdict of each test in one of Python's own test modules; what to do first
  # Not verbose, which prints measured times, and without the tests that load the machine.
  $R /usr/bin/python3 -c 'import sys, unittest
from test import support
support.verbose, support.use_resources = 0, ()
exec(sys.argv[2])
unittest.main(sys.argv[1], argv=["test"], verbosity=2)' "test.$1" "${2-}" 2>&1 | sed -E 's/^(Ran [0-9]+ tests?) in .*/\1/'
  echo "status ${PIPESTATUS[0]}"
}
