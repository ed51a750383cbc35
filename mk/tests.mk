# Building and running the tests. Everything lands in build/tests, whichever engine (STRESS) is being tested; programs of
# another instruction set (ARCH) in that one's build folder.
#
# Test programs: one source file each, in tests/programs or tests/programs/$(ARCH). A line
#   /* cflags: -static -O0 */
# in the file adds flags of its own, and one like
#   /* compiler: gcc */
# says that only this compiler can make it. Unit tests may have flags of their own too; one with a line
#   /* needs: some/header.h */
# is left out where that header is not installed.

TESTS := $(if $(SANITIZE),$(BUILD),$(if $(filter $(HOST_ARCH),$(ARCH)),build,$(BUILD)))/tests

PROGRAM_SOURCES := $(foreach dir,tests/programs tests/programs/$(ARCH),$(foreach ext,c cc S,$(wildcard $(dir)/*.$(ext))))
PROGRAMS := $(patsubst tests/%,$(TESTS)/%,$(basename $(PROGRAM_SOURCES)))
PROGRAM_FLAGS := -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -pthread -I tests/programs
own_flags = $(shell sed -n 's,^.*/\* cflags: \(.*\) \*/.*$$,\1,p' $<)
own_compiler = $(addprefix $(addsuffix -,$(TARGET)),$(shell sed -n 's,^.*/\* compiler: \(.*\) \*/.*$$,\1,p' $<))
compile_program = $(Q)mkdir -p $(@D) && $(or $(own_compiler),$1) $2 $(PROGRAM_FLAGS) -MMD -MP -MF $@.d -o $@ $< $(own_flags)

# Unit tests of the engine's parts are hosted programs linked with the parts they test: the decoders, and each of the predictors. A file with a header of
# its own name is no test but shared by them. What is compared with objdump needs no machine of its kind.
X64_SHARED := $(filter $(patsubst %.h,%.c,$(wildcard tests/engine/x64/*.h)),$(wildcard tests/engine/x64/*.c))
UNIT_SOURCES := $(wildcard tests/engine/*.c tests/engine/a64/*.c) \
                $(if $(filter x64,$(ARCH)),$(filter-out $(X64_SHARED),$(wildcard tests/engine/x64/*.c)))
UNITS := $(patsubst tests/%.c,$(TESTS)/%,$(UNIT_SOURCES))
UNIT_FLAGS := -std=gnu11 $(OPTIMISE) -g -Wall -Wextra -Werror -D_GNU_SOURCE -I src $(SANITIZERS)

# The same for the recording library, which is hosted anyway.
RECORDING_SHARED := $(filter $(patsubst %.h,%.c,$(wildcard tests/recording/*.h)),$(wildcard tests/recording/*.c))
RECORDING_SOURCES := $(filter-out $(RECORDING_SHARED),$(wildcard tests/recording/*.c))
RECORDING_UNITS := $(patsubst tests/%.c,$(TESTS)/%,$(RECORDING_SOURCES))
RECORDING_PARTS := $(wildcard src/recording/*.c)

# And for the input log, which is freestanding in the engine and hosted here.
INPUT_SHARED := $(filter $(patsubst %.h,%.c,$(wildcard tests/input/*.h)),$(wildcard tests/input/*.c))
INPUT_SOURCES := $(filter-out $(INPUT_SHARED),$(wildcard tests/input/*.c))
INPUT_UNITS := $(patsubst tests/%.c,$(TESTS)/%,$(INPUT_SOURCES))
INPUT_PARTS := $(wildcard src/input/*.c)

# And for the watchdog of spheres.
SPHERE_UNITS := $(patsubst tests/%.c,$(TESTS)/%,$(wildcard tests/sphere/*.c))

# And for the simulated multiprocessor.
SIM_SHARED := $(filter $(patsubst %.h,%.c,$(wildcard tests/sim/*.h)),$(wildcard tests/sim/*.c))
SIM_SOURCES := $(filter-out $(SIM_SHARED),$(wildcard tests/sim/*.c))
SIM_UNITS := $(patsubst tests/%.c,$(TESTS)/%,$(SIM_SOURCES))
SIM_PARTS := $(wildcard src/sim/*.c src/sim/*/*.c src/order/*.c src/recording/*.c)

# Programs that run there are static RV64 ones; without a compiler for them they are left out.
RISCV_CC := riscv64-linux-gnu-gcc
RISCV_PROGRAMS := $(if $(shell command -v $(RISCV_CC)),$(patsubst tests/%.c,$(TESTS)/%,$(wildcard tests/sim/programs/*.c tests/sim/races/*.c tests/sim/workloads/*.c)))
# Operating systems for its board are images without a C library.
RISCV_BOARDS := $(if $(shell command -v $(RISCV_CC)),$(patsubst tests/%.c,$(TESTS)/%,$(wildcard tests/sim/boards/*.c)))
RISCV_BOARD_FLAGS := -std=gnu11 -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib -static -fno-pic -mcmodel=medany -march=rv64imac_zicsr_zifencei -mabi=lp64 \
                     -Wl,--no-warn-rwx-segments -Wl,--build-id=none -T tests/sim/boards/board.ld
RISCV_FLAGS := -std=gnu11 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -static -pthread -I tests/sim/programs

# A test program that does not compile is a failed test, not the end of the run.
.PHONY: test test-contained soak build-tests test-programs test-packages
test: all stress-engines build-tests cross-tests
	@ARCH=$(ARCH) tests/run

# The same where a container allows no more than by default: all that is built there, too, in a copy of what git knows about.
CONTAINED := build/contained
test-contained: $(TESTS)/contained test-packages
	@tools/packages.sh cross
	$(Q)rm -rf $(CONTAINED) && mkdir -p $(CONTAINED)
	$(Q)git ls-files -z | tar --null -T - -c | tar -x -C $(CONTAINED)
	+@$(TESTS)/contained $(MAKE) --no-print-directory -C $(CONTAINED) test TURN=$$(git rev-list --count HEAD)

soak: all stress-engines build-tests
	+@$(MAKE) --no-print-directory --keep-going ARCH=$(OTHER_ARCH) all stress-engines programs
	@ARCH=$(ARCH) tests/run --soak
	@tools/packages.sh bench
	@bench/soak $(BUILD)/reprise

# What continuous integration looks at besides the tests: the other compiler, a sample in a container, the hosted half under sanitizers, the fuzzers.
.PHONY: check check-clang check-contained check-sanitized check-fuzz
check: lint check-clang check-contained check-sanitized check-fuzz

check-clang:
	@tools/packages.sh lint
	+@$(MAKE) --no-print-directory CC=clang BUILD=build/clang all

check-contained: all build-tests
	@ARCH=$(ARCH) tests/run --contained --sample

check-sanitized: all build-tests
	+@$(MAKE) --no-print-directory SANITIZE=1 all hosted-units
	@ARCH=$(ARCH) tests/run --sanitized --sample

check-fuzz:
	+@$(MAKE) --no-print-directory -j1 fuzz FUZZ_SECONDS=5

.PHONY: hosted-units
hosted-units: $(RECORDING_UNITS) $(INPUT_UNITS) $(SPHERE_UNITS) $(SIM_UNITS) $(filter $(TESTS)/engine/predict_%,$(UNITS)) $(filter $(TESTS)/sim/workloads/%,$(RISCV_PROGRAMS))

build-tests: test-packages
	+@$(MAKE) --no-print-directory --keep-going test-programs || :

# Packages come first: some programs need a compiler or a library of theirs.
test-packages:
	@tools/packages.sh test e2e

.PHONY: programs cross-tests
programs: $(PROGRAMS)

# The engine and those programs for the other instruction set that tests/run will want, where they can be made.
cross-tests: test-packages
	@tools/packages.sh cross
	@mkdir -p build/$(OTHER_ARCH)
	+@! command -v $(TARGET_$(OTHER_ARCH))-gcc $(QEMU_$(OTHER_ARCH)) >/dev/null || \
	  $(MAKE) --no-print-directory --keep-going ARCH=$(OTHER_ARCH) all \
	    $$(tests/run -l | sed -n 's,^\(programs/.*\)@$(OTHER_ARCH).*,build/$(OTHER_ARCH)/tests/\1,p') || :

TOOLS := limit terminal recorded stepped victim pairs planted wedge wedged exchange bend bend_simulated cut mutate poison answer quota.so slow_files.so contained
test-programs: $(PROGRAMS) $(UNITS) $(RECORDING_UNITS) $(INPUT_UNITS) $(SPHERE_UNITS) $(addprefix $(TESTS)/,$(TOOLS))
test-programs: $(SIM_UNITS) $(RISCV_PROGRAMS) $(RISCV_BOARDS)

$(TESTS)/programs/%: tests/programs/%.c
	$(call say,CC $<)
	$(call compile_program,$(CC),-std=gnu11)

$(TESTS)/programs/%: tests/programs/%.cc
	$(call say,CXX $<)
	$(call compile_program,$(CXX),-std=c++17)

$(TESTS)/programs/%: tests/programs/%.S
	$(call say,AS $<)
	$(call compile_program,$(CC))

$(TESTS)/engine/x64/%: tests/engine/x64/%.c $(X64_SHARED) $(wildcard tests/engine/x64/*.h src/engine/x64/decode*.[ch])
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< $(X64_SHARED) $(wildcard src/engine/x64/decode*.c) $(own_flags)

$(TESTS)/engine/a64/%: tests/engine/a64/%.c $(wildcard src/engine/a64/decode*.[ch])
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< $(wildcard src/engine/a64/decode*.c)

$(TESTS)/engine/predict_%: tests/engine/predict_%.c src/engine/predict/predict_%.c tests/engine/expect.h $(wildcard src/engine/predict/predict*.h src/order/directory.h)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $(filter %.c,$^)

$(TESTS)/recording/%: tests/recording/%.c $(RECORDING_SHARED) $(RECORDING_PARTS) $(wildcard tests/recording/*.h src/recording/*.h)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< $(RECORDING_SHARED) $(RECORDING_PARTS) -lzstd

# What many unit tests are linked with is compiled once.
$(TESTS)/parts/%.o: %.c $(wildcard src/input/*.h src/sim/*.h src/sim/*/*.h src/order/*.h src/recording/*.h tests/input/*.h tests/sim/*.h)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -c -o $@ $<

INPUT_OBJECTS := $(patsubst %.c,$(TESTS)/parts/%.o,$(INPUT_SHARED) $(INPUT_PARTS))
SIM_OBJECTS := $(patsubst %.c,$(TESTS)/parts/%.o,$(SIM_SHARED) $(SIM_PARTS))
.SECONDARY: $(INPUT_OBJECTS) $(SIM_OBJECTS)

$(TESTS)/input/%: tests/input/%.c $(INPUT_OBJECTS)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< $(INPUT_OBJECTS)

$(TESTS)/sphere/watch: tests/sphere/watch.c src/sphere/watch.c src/sphere/watchdog.h src/contract/region.h
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< src/sphere/watch.c

$(RISCV_PROGRAMS): $(TESTS)/%: tests/%.c tests/sim/programs/program.h tests/sim/workloads/workload.h
	$(call say,RISCV-CC $<)
	$(Q)mkdir -p $(@D) && $(RISCV_CC) $(RISCV_FLAGS) -o $@ $< -lm

$(RISCV_BOARDS): $(TESTS)/%: tests/%.c tests/sim/boards/board.h tests/sim/boards/start.S tests/sim/boards/board.ld
	$(call say,RISCV-CC $<)
	$(Q)mkdir -p $(@D) && $(RISCV_CC) $(RISCV_BOARD_FLAGS) -o $@.elf tests/sim/boards/start.S $< && $(RISCV_CC:gcc=objcopy) -O binary $@.elf $@ && rm $@.elf

$(TESTS)/sim/%: tests/sim/%.c $(SIM_OBJECTS)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< $(SIM_OBJECTS) -lzstd -lm

$(TESTS)/limit $(TESTS)/terminal $(TESTS)/recorded $(TESTS)/stepped $(TESTS)/victim $(TESTS)/pairs $(TESTS)/planted $(TESTS)/wedge $(TESTS)/wedged $(TESTS)/answer: $(TESTS)/%: tests/lib/%.c
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $<

$(TESTS)/wedge: $(wildcard src/contract/*.h) # it looks into the region

# Names and numbers of all calls, as the compiler's headers have them.
$(TESTS)/contained: tests/lib/contained.c
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && echo '#include <asm/unistd.h>' | $(CC) -E -dM - | \
	  sed -nE 's/^#define __NR_([a-z_0-9]+) ([0-9]+|__NR.*)$$/{"\1", __NR_\1},/p' >$(@D)/calls.h
	$(Q)$(CC) $(UNIT_FLAGS) -I $(@D) -o $@ $<

$(TESTS)/quota.so $(TESTS)/slow_files.so: $(TESTS)/%.so: tests/lib/%.c
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -fPIC -shared -o $@ $<

$(TESTS)/exchange $(TESTS)/cut: $(TESTS)/%: tests/lib/%.c tests/lib/copying.h $(RECORDING_PARTS) $(wildcard src/recording/*.h)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< $(RECORDING_PARTS) -lzstd

$(TESTS)/poison: tests/lib/poison.c src/input/digest.c
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $^

$(TESTS)/mutate: tests/lib/mutate.c tests/lib/copying.h tests/recording/forge.c $(RECORDING_PARTS) $(INPUT_PARTS) src/order/chunk.c
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $(filter %.c,$^) -lzstd

$(TESTS)/bend: tests/lib/bend.c tests/lib/copying.h src/input/events.c $(RECORDING_PARTS) $(wildcard src/recording/*.h src/input/*.h)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< src/input/events.c $(RECORDING_PARTS) -lzstd

$(TESTS)/bend_simulated: tests/lib/bend_simulated.c tests/lib/copying.h src/order/varint.h $(RECORDING_PARTS) $(wildcard src/recording/*.h)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -o $@ $< $(RECORDING_PARTS) -lzstd

# The order schemes, freestanding in the engine. Each test has them compiled for itself, with its own sizes (cflags) and with the mistakes
# of src/order/wrong.h to be switched on.
ORDER_SHARED := $(filter $(patsubst %.h,%.c,$(wildcard tests/order/*.h)),$(wildcard tests/order/*.c))
ORDER_SOURCES := $(filter-out $(ORDER_SHARED),$(wildcard tests/order/*.c))
ORDER_PARTS := $(wildcard src/order/*.c)

test-programs: $(patsubst tests/%.c,$(TESTS)/%,$(ORDER_SOURCES))

$(TESTS)/order/%: tests/order/%.c $(ORDER_SHARED) $(ORDER_PARTS) $(wildcard tests/order/*.h src/order/*.h)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -DORDER_WRONG_VARIANTS $(own_flags) -o $@ $< $(ORDER_SHARED) $(ORDER_PARTS)

# The search for an order, hosted, with the mistakes of src/search/wrong.h to be switched on.
SEARCH_PARTS := $(wildcard src/search/*.c src/search/gpu/*.c)
SEARCH_UNITS := $(patsubst tests/%.c,$(TESTS)/%,$(wildcard tests/search/*.c))

test-programs: $(SEARCH_UNITS)

$(SEARCH_UNITS): $(TESTS)/search/%: tests/search/%.c $(SEARCH_PARTS) $(wildcard src/search/*.h src/search/gpu/*.h)
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -DSEARCH_WRONG_VARIANTS -o $@ $< $(SEARCH_PARTS)

# `make fuzz`: the readers against a fuzzer, each for FUZZ_SECONDS. What it finds stays in build/fuzz, with the corpora.
FUZZ_SECONDS := 600
FUZZ := build/fuzz
FUZZ_FLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE -I src -I tests/recording \
              -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined

FUZZ_RUNS := $(FUZZ)/recording.run $(FUZZ)/events.run $(FUZZ)/order.run $(FUZZ)/values.run $(FUZZ)/logs.run $(FUZZ)/packets.run $(FUZZ)/adapter.run \
             $(FUZZ)/images.run

.PHONY: fuzz $(FUZZ_RUNS)
fuzz: $(FUZZ_RUNS)

$(FUZZ_RUNS): $(FUZZ)/%.run: $(FUZZ)/% $(FUZZ)/seeded
	$(Q)mkdir -p $(FUZZ)/$*.corpus && { [ $* != recording ] || $< --seeds $(FUZZ)/$*.corpus; }
	$(Q)cd $(FUZZ) && ./$* -max_total_time=$(FUZZ_SECONDS) -max_len=16384 -timeout=25 -rss_limit_mb=1024 \
	  -print_final_stats=1 -artifact_prefix=$*. $*.corpus

$(FUZZ)/recording: tests/fuzz/recording_fuzz.c tests/recording/forge.c $(RECORDING_PARTS) \
                   $(wildcard tests/recording/*.h src/recording/*.h)
$(FUZZ)/events: tests/fuzz/events_fuzz.c src/input/events.c src/input/events.h
$(FUZZ)/order: tests/fuzz/order_fuzz.c $(ORDER_PARTS) $(wildcard src/order/*.h)
$(FUZZ)/values: tests/fuzz/values_fuzz.c src/order/values.c src/order/values.h src/order/varint.h
$(FUZZ)/packets: tests/fuzz/packets_fuzz.c src/debug/framing.c src/debug/framing.h
$(FUZZ)/adapter: tests/fuzz/adapter_fuzz.c src/dap/messages.c src/dap/value.c src/dap/json_read.c src/dap/mi.c src/inspect/json.c src/recording/plain.c $(wildcard src/dap/*.h)
$(FUZZ)/images: tests/fuzz/images_fuzz.c tests/recording/forge.c src/travel/image_read.c $(RECORDING_PARTS) $(wildcard src/travel/*.h)
$(FUZZ)/logs: tests/fuzz/logs_fuzz.c src/cli/entry.c \
              $(wildcard src/inspect/*.c) $(RECORDING_PARTS) $(wildcard src/input/*.c) $(ORDER_PARTS)
# A real recording of each order: the beginnings of their logs.
$(FUZZ)/seeded: tests/fuzz/seeds.c $(RECORDING_PARTS) $(BUILD)/reprise $(BUILD)/reprise-engine
	$(call say,SEEDS $(FUZZ))
	$(Q)mkdir -p $(addprefix $(FUZZ)/,recording.corpus events.corpus order.corpus logs.corpus)
	$(Q)$(CC) $(UNIT_FLAGS) -o $(FUZZ)/seeds $< $(RECORDING_PARTS) -lzstd
	$(Q)set -e; for order in chunk dag tokens scalar arcs; do rm -rf $(FUZZ)/seed; \
	  $(BUILD)/reprise record --order=$$order -o $(FUZZ)/seed -- /bin/sh -c 'echo words | /bin/cat & wait' >$(FUZZ)/seed.out; \
	  $(FUZZ)/seeds $(FUZZ)/seed $(FUZZ); done; touch $@
$(FUZZ)/recording $(FUZZ)/events $(FUZZ)/order $(FUZZ)/values $(FUZZ)/logs $(FUZZ)/packets $(FUZZ)/adapter $(FUZZ)/images:
	@tools/packages.sh fuzz
	$(call say,FUZZER $<)
	$(Q)mkdir -p $(@D) && clang $(FUZZ_FLAGS) -o $@ $(filter %.c,$^) -lzstd

-include $(PROGRAMS:=.d)
