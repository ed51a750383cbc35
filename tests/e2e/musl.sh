# Programs linked with musl, dynamically and statically: another start, another loader, other threads.
# needs: /usr/bin/musl-gcc
cp "$HERE/linked.c" program.c
for compile in 'musl-gcc -O2' 'musl-gcc -O2 -static' 'musl-gcc -O1 -static-pie'; do
  # The command is words.
  # shellcheck disable=SC2086
  /usr/bin/$compile -pthread program.c -o program
  outcome $R ./program one two
done
