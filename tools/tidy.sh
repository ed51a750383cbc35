#!/bin/sh
# One file through clang-tidy with the compiler flags in TIDY_FLAGS; silent when it is clean.
# The flags are meant to be split into words.
# shellcheck disable=SC2086
if ! out=$(clang-tidy --quiet --warnings-as-errors='*' "$1" -- $TIDY_FLAGS 2>&1); then
  printf '%s\n' "$out"
  exit 1
fi
