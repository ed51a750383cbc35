# Building and running the tests. Everything lands in build/tests, whichever engine (STRESS) is being tested.
#
# Test programs: one source file each, in tests/programs or tests/programs/$(ARCH). A line
#   /* cflags: -static -O0 */
# in the file adds flags of its own.

TESTS := build/tests

PROGRAM_SOURCES := $(foreach dir,tests/programs tests/programs/$(ARCH),$(foreach ext,c cc S,$(wildcard $(dir)/*.$(ext))))
PROGRAMS := $(patsubst tests/%,$(TESTS)/%,$(basename $(PROGRAM_SOURCES)))
PROGRAM_FLAGS := -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -pthread -I tests/programs
own_flags = $(shell sed -n 's,^.*/\* cflags: \(.*\) \*/.*$$,\1,p' $<)
compile_program = $(Q)mkdir -p $(@D) && $1 $(PROGRAM_FLAGS) -MMD -MP -MF $@.d -o $@ $< $(own_flags) -lm

# Unit tests of the engine's parts are hosted programs linked with the parts they test. A file with a header of
# its own name is no test but shared by them.
UNIT_SHARED := $(filter $(patsubst %.h,%.c,$(wildcard tests/engine/*.h)),$(wildcard tests/engine/*.c))
UNIT_SOURCES := $(filter-out $(UNIT_SHARED),$(wildcard tests/engine/*.c))
UNITS := $(patsubst tests/%.c,$(TESTS)/%,$(UNIT_SOURCES))
UNIT_PARTS := $(wildcard src/engine/$(ARCH)/decode*.c)
UNIT_FLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -I src

# A test program that does not compile is a failed test, not the end of the run.
.PHONY: test soak build-tests test-programs test-packages
test: all stress-engines build-tests
	@ARCH=$(ARCH) tests/run

soak: all stress-engines build-tests
	@ARCH=$(ARCH) tests/run --soak
	@tools/packages.sh bench
	@bench/soak $(BUILD)/reprise

build-tests: test-packages
	+@$(MAKE) --no-print-directory --keep-going test-programs || :

# Packages come first: some programs need a compiler or a library of theirs.
test-packages:
	@tools/packages.sh test e2e

test-programs: $(PROGRAMS) $(UNITS) $(TESTS)/limit

$(TESTS)/programs/%: tests/programs/%.c
	$(call say,CC $<)
	$(call compile_program,$(CC) -std=gnu11)

$(TESTS)/programs/%: tests/programs/%.cc
	$(call say,CXX $<)
	$(call compile_program,$(CXX) -std=c++17)

$(TESTS)/programs/%: tests/programs/%.S
	$(call say,AS $<)
	$(call compile_program,$(CC))

$(TESTS)/engine/%: tests/engine/%.c $(UNIT_SHARED) $(UNIT_PARTS) $(wildcard tests/engine/*.h src/engine/$(ARCH)/decode*.h)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< $(UNIT_SHARED) $(UNIT_PARTS) -lZydis -lZycore

$(TESTS)/limit: tests/lib/limit.c
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $<

-include $(PROGRAMS:=.d)
