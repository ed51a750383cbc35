# `reprise sim` with what it can't run.

riscv() { # NAME TYPE: a file with the header of a 64-bit RISC-V program and nothing behind it
  {
    printf "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0"
    printf "%b" "$2\0000\0363\0000\0001\0000\0000\0000"
    head -c 40 /dev/zero
  } >"$1"
}

case_not_rv64() {
  echo text >text
  refuses 126 'text: is not an ELF file' "$REPRISE" sim run ./text
  refuses 126 'is not a program for 64-bit RISC-V' "$REPRISE" sim run /bin/true
  refuses 126 "can't be opened" "$REPRISE" sim run ./nothing
  refuses 126 "can't be read" "$REPRISE" sim run /
  riscv header '\2'
  refuses 126 'damaged program headers' "$REPRISE" sim run ./header
  riscv relocatable '\1'
  refuses 126 'is not an executable program' "$REPRISE" sim run ./relocatable
}

case_geometry() {
  refuses 2 'harts: 1 to 64' "$REPRISE" sim run --harts 0 /bin/true
  refuses 2 'harts: 1 to 64' "$REPRISE" sim run --harts 65 /bin/true
  refuses 2 'l1-size and l1-ways' "$REPRISE" sim run --set l1-size=48K /bin/true
  refuses 2 'l1-size and l1-ways' "$REPRISE" sim run --set l1-ways=0 /bin/true
  refuses 2 'l2-banks' "$REPRISE" sim run --set l2-banks=3 /bin/true
  refuses 2 'l2-size, l2-ways and l2-banks' "$REPRISE" sim run --set l2-size=64 /bin/true
  refuses 2 'ram: 1M to 64G' "$REPRISE" sim run --set ram=5 /bin/true
  refuses 2 'store-buffer' "$REPRISE" sim run --tso --set store-buffer=0 /bin/true
  refuses 2 'memory-cycles' "$REPRISE" sim run --set memory-cycles=0 /bin/true
}

case_options() {
  refuses 2 'is not a number' "$REPRISE" sim run --harts many /bin/true
  refuses 2 'is no parameter of the machine' "$REPRISE" sim run --set color=red /bin/true
  refuses 2 'not of the form NAME=VALUE' "$REPRISE" sim run --set l1-size /bin/true
  refuses 2 'expected default, karma or fdr' "$REPRISE" sim run --preset vax /bin/true
  refuses 2 'no such option' "$REPRISE" sim run --fast /bin/true
  refuses 2 'its value is missing' "$REPRISE" sim run --harts
  refuses 2 'no program given' "$REPRISE" sim run
  refuses 2 'not run, record, replay or figures' "$REPRISE" sim walk
  printf 'harts = 2\n# a comment\n\ncolor = red\n' >machine
  refuses 2 'machine:4: `color = red` is no parameter' "$REPRISE" sim run --config machine /bin/true
  refuses 2 "nowhere: can't be opened" "$REPRISE" sim run --config nowhere /bin/true
  refuses 2 '--max-episode=-1: expected a number' "$REPRISE" sim record --max-episode -1 /bin/true
  refuses 2 '--scheme=random: expected tokens, dag, scalar, arcs or chunk' "$REPRISE" sim record --scheme random /bin/true
  refuses 2 '--initrd: no such option' "$REPRISE" sim run --initrd file /bin/true
  refuses 2 '--from-checkpoint: no such option' "$REPRISE" sim boot --from-checkpoint file
  refuses 2 '-o: only for record' "$REPRISE" sim run --output folder /bin/true
  refuses 2 '--seeds=65: expected 1 to 64' "$REPRISE" sim figures --seeds=65
  refuses 2 '--seeds=five: expected 1 to 64' "$REPRISE" sim figures --seeds five
  refuses 2 'figures: mine: too many arguments' "$REPRISE" sim figures mine
}
