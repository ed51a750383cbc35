# Static programs of glibc: at a fixed address, position-independent, and without any library.
# needs: /usr/bin/gcc
cp "$HERE/linked.c" program.c
for compile in 'gcc -O2 -static' 'gcc -O2 -static-pie' 'gcc -O0 -static -no-pie'; do
  # The command is words.
  # shellcheck disable=SC2086
  /usr/bin/$compile -pthread program.c -o program
  outcome $R ./program one two
done
case $(uname -m) in
  x86_64) call='mov $60, %eax; mov $33, %edi; syscall' ;;
  aarch64) call='mov x8, #93; mov x0, #33; svc #0' ;;
esac
printf '.globl _start\n_start: %s\n' "$call" >bare.S
/usr/bin/gcc -nostdlib -static bare.S -o bare
outcome $R ./bare
