# What the engine does not do for a program: one clear line when the program asks for it, and then what a kernel or a
# processor without it would do.

starting_with() { # FILE BYTES…: a program whose first instructions these are; where a program is entered is also where in its file
  local file=$1
  shift
  patched "$file" "$(od -An -tu8 -j24 -N8 /bin/true | tr -d ' ')" "$@"
}

case_int80() {
  [ "$(uname -m)" = x86_64 ] || return 0
  starting_with program '\270\024\000\000\000\315\200' # mov $20, %eax; int $0x80
  refuses 139 '32-bit system calls (int 0x80) are not supported' "$REPRISE" run -- ./program
}
