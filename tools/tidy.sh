#!/bin/sh
# One file through clang-tidy with the compiler flags in TIDY_FLAGS; silent when it is clean.
# Nearly all of its time goes into the analyzer's paths through functions: with fewer of them (max-nodes, by default 225000) the same
# is found in a third of the time.
# The flags are meant to be split into words.
# shellcheck disable=SC2086
if ! out=$(clang-tidy --quiet --warnings-as-errors='*' "$1" -- $TIDY_FLAGS -Xclang -analyzer-config -Xclang max-nodes=50000 2>&1); then
  printf '%s\n' "$out"
  exit 1
fi
