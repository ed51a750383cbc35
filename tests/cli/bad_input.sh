# What cannot be run: one clear line, the status a shell would give, and no part of the program has run.

case_missing() { refuses 127 ./missing "$REPRISE" run -- ./missing arg; }

case_missing_in_path() { refuses 127 no-such-program-anywhere "$REPRISE" run -- no-such-program-anywhere; }

case_missing_folder() { refuses 127 ./no/such/folder "$REPRISE" run -- ./no/such/folder; }

case_below_a_file() {
  echo text >file
  refuses 126 ./file/program "$REPRISE" run -- ./file/program
}

case_empty_name() { refuses 127 '' "$REPRISE" run -- ''; }

case_not_executable() {
  cp /bin/true program
  chmod 644 program
  refuses 126 ./program "$REPRISE" run -- ./program
}

case_directory() {
  mkdir folder
  refuses 126 ./folder "$REPRISE" run -- ./folder
}

case_elf_32_bit() {
  patched program 4 '\001'
  refuses 126 ./program "$REPRISE" run -- ./program
}

case_elf_foreign() {
  patched program 18 '\363\000' # RISC-V
  refuses 126 ./program "$REPRISE" run -- ./program
}

case_elf_relocatable() {
  patched program 16 '\001\000' # ET_REL
  refuses 126 ./program "$REPRISE" run -- ./program
}

# Cut in the magic, in the header, in the program headers, and in a segment.
case_elf_truncated() {
  local bytes
  for bytes in 3 4 40 64 100 700 5000 20000; do
    head -c $bytes /bin/true >program
    chmod 755 program
    refuses 126 ./program "$REPRISE" run -- ./program
  done
}

case_elf_program_headers_far_away() {
  patched program 32 '\377\377\377\377\377\377\377\177'
  refuses 126 ./program "$REPRISE" run -- ./program
}

case_elf_program_headers_too_many() {
  patched program 56 '\376\377'
  refuses 126 ./program "$REPRISE" run -- ./program
}

case_elf_loader_missing() {
  sed 's,/lib64/ld-linux,/lib64/no-linux,; s,/lib/ld-linux,/lib/no-linux,' /bin/true >program
  chmod 755 program
  refuses 127 ./program "$REPRISE" run -- ./program
}

case_empty_file() {
  : >program
  chmod 755 program
  refuses 126 ./program "$REPRISE" run -- ./program
}

case_text() {
  echo 'echo ran anyway' >program
  chmod 755 program
  refuses 126 ./program "$REPRISE" run -- ./program
}

case_script_without_interpreter() {
  printf '#!/does/not/exist\n' >program
  chmod 755 program
  refuses 127 ./program "$REPRISE" run -- ./program
}

# By a name that is relative, since one line of a script can't hold a space.
case_script_interpreted_by_itself() {
  printf '#!./program\n' >program
  chmod 755 program
  refuses 126 ./program "$REPRISE" run -- ./program
}

# The kernel runs a program that may be executed but not read; the engine has to read it. Root reads everything,
# so root becomes nobody, in a folder and with a copy of the command that nobody can reach.
case_unreadable() {
  local dir
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT
  cp "$REPRISE" "$dir/reprise"
  cp "$REPRISE-engine" "$dir/reprise-engine"
  cp /bin/true "$dir/program"
  chmod 755 "$dir"
  chmod 111 "$dir/program"
  local command=("$dir/reprise" run -- "$dir/program")
  [ "$(id -u)" != 0 ] || command=(setpriv --reuid=65534 --regid=65534 --clear-groups "${command[@]}")
  refuses 126 "$dir/program" "${command[@]}"
}

case_no_program() {
  refuses 2 run "$REPRISE" run
  refuses 2 run "$REPRISE" run --
}

case_unknown_option() { refuses 2 --no-such-option "$REPRISE" run --no-such-option -- /bin/true; }

case_unknown_command() { refuses 2 no-such-command "$REPRISE" no-such-command; }
