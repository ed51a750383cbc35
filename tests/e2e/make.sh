# make -j2 over a small project: builds, rebuilds what changed, stops at an error.
# needs: /usr/bin/make /usr/bin/gcc
for i in {1..12}; do
  printf 'int f%d(void) { return %d; }\n' "$i" $((i * i)) >f$i.c
done
{
  echo '#include <stdio.h>'
  for i in {1..12}; do echo "int f$i(void);"; done
  echo 'int main(void) { printf("%d\n", 0'
  for i in {1..12}; do echo "+ f$i()"; done
  echo '); }'
} >main.c
cat >Makefile <<'MAKE'
OBJECTS := $(patsubst %.c,%.o,$(wildcard *.c))
all: prog
prog: $(OBJECTS)
	gcc -o $@ $(sort $^)
%.o: %.c
	gcc -O1 -c $< -o $@
broken: all
	@echo about to fail; exit 3
count:
	@echo $(words $(OBJECTS)) $(shell echo from a shell)
MAKE
touch -d '1 hour ago' ./*.c
# Two jobs at a time finish in any order.
$R /usr/bin/make -j2 2>&1 | sort
./prog
touch f3.c
$R /usr/bin/make -j2 2>&1
$R /usr/bin/make count
$R /usr/bin/make -j2 broken 2>&1
echo "status $?"
$R /usr/bin/make no_such_target
echo "status $?"
