# Reprise's build. `make help` lists the targets; mk/ holds what only some of them need.
#
#   ARCH=x64|a64     the instruction set (default: this machine's; the other one is cross-built, mk/cross.mk)
#   CC, CXX          gcc or clang; changing them, or any flag, rebuilds what depends on it
#   STRESS=NAME      build one of the stress engines (mk/stress.mk) into build/stress-NAME
#   CUDA=1           reprise-solve-gpu as well, by nvcc (NVCC=…), for all graphics processors; CUDA=sm_90: for that kind
#   SANITIZE=1       the hosted half under AddressSanitizer and UBSan, into build/sanitized
#   PREFIX, DESTDIR  where `make install` puts things
#   V=1              show the commands

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

ifeq ($(origin CC),default)
CC := gcc
endif
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
HOST_ARCH := $(patsubst aarch64,a64,$(patsubst x86_64,x64,$(shell uname -m)))
ARCH := $(HOST_ARCH)
PREFIX := /usr/local
BUILD := build
Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $1")
# One word of the shell's.
quoted = '$(subst ','\'',$1)'

CLI_CC = $(CC)
include mk/cross.mk mk/stress.mk
ifneq ($(SANITIZE),)
ENGINE_BUILD := $(BUILD)
BUILD := $(BUILD)/sanitized
CLI_BUILD := $(BUILD)
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
CLI_EXTRA += $(BUILD)/cli/sanitizer_options.o
$(BUILD)/cli/sanitizer_options.o: tests/lib/sanitizer_options.c
	$(Q)mkdir -p $(@D) && $(CLI_CC) $(CLI_FLAGS) -c -o $@ $<
endif

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
            -Wpointer-arith -Wwrite-strings -Wundef -Wvla
# Sanitizers find as much with fewer optimisations, and the build takes two thirds of the time.
OPTIMISE := $(if $(SANITIZE),-O1,-O2)
COMMON := $(OPTIMISE) -g -I src $(WARNINGS)

# The command is an ordinary hosted program.
CLI_FLAGS := -std=gnu11 $(COMMON) $(SANITIZERS) -D_GNU_SOURCE $(CROSS_FLAGS)
# Elfutils, without which reports have no names of functions, are loaded where they are needed (inspect/symbols.c).
CLI_LIBS = -lzstd -lm -pthread $(CLI_LINK)
CLI_SOURCES := $(wildcard src/cli/*.c src/debug/*.c src/dap/*.c src/sphere/*.c src/travel/*.c src/solve/*.c src/search/*.c src/inspect/*.c src/recording/*.c src/sim/*.c src/sim/*/*.c)

# The engine shares its address space with the program it runs: no libc, no stack protector (its canary lives in
# the program's TLS), no vector registers (they are the program's), position-independent code because it
# is linked far above the first two gigabytes.
ENGINE_FLAGS_x64 := -mgeneral-regs-only -fcf-protection=none
ENGINE_FLAGS_a64 := -mgeneral-regs-only -mbranch-protection=none -mno-outline-atomics
ENGINE_FLAGS := -std=gnu11 $(COMMON) -ffreestanding -fno-stack-protector -fPIE -fvisibility=hidden \
                -fno-asynchronous-unwind-tables -fno-strict-aliasing $(ENGINE_FLAGS_$(ARCH))
ENGINE_LINK := -nostdlib -static -Wl,-Ttext-segment=0x680000000000 -Wl,-z,noexecstack \
               -Wl,--build-id=sha1 -Wl,-z,norelro -Wl,--no-relax
ENGINE_ROOMS := base region predict code memory order turns signals view border threads start loop
ENGINE_SOURCES := $(wildcard $(ENGINE_ROOMS:%=src/engine/%/*.c) src/engine/$(ARCH)/*.c src/engine/$(ARCH)/*.S src/order/*.c src/input/*.c)

# Every system call goes through these one after the other: gcc makes one unit of them, which takes a tenth off a recorded call. All that
# handlers change behind the compiler's back is in files of their own, or behind calls of assembly.
ENGINE_TOGETHER := $(addprefix engine/,loop/dispatch.c loop/syscall_dispatch.c border/quick.c border/attempts.c border/sphere.c region/journal.c region/rings.c \
                   code/cache.c code/codewatch.c signals/kernel_call.c view/descriptors.c view/vdso.c x64/context.c x64/flags.c x64/links.c) input/events.c input/digest.c
NOT_CLANG = $(shell echo __clang__ | $(CC) -E -P - 2>/dev/null | grep __clang__)
HAS_LTO = $(filter /%,$(shell $(CC) -print-prog-name=lto-wrapper 2>/dev/null))
TOGETHER := $(if $(filter x64,$(ARCH)),$(if $(NOT_CLANG),$(if $(HAS_LTO),-flto)))

# Builds that differ in one half only take the objects of the other from the ordinary one.
CLI_BUILD := $(or $(CLI_BUILD),$(BUILD))
ENGINE_BUILD := $(or $(ENGINE_BUILD),$(BUILD))
objects = $(patsubst src/%,$1/%.o,$2)
CLI_OBJECTS := $(call objects,$(CLI_BUILD)/cli,$(CLI_SOURCES) $(wildcard src/input/*.c src/order/*.c))
ENGINE_OBJECTS := $(call objects,$(ENGINE_BUILD)/engine,$(filter-out $(STRESSED),$(ENGINE_SOURCES))) \
                  $(call objects,$(BUILD)/engine,$(STRESSED))
$(foreach build,$(sort $(ENGINE_BUILD) $(BUILD)),$(call objects,$(build)/engine,$(addprefix src/,$(ENGINE_TOGETHER)))): OWN_FLAGS = $(TOGETHER)

.PHONY: all
all: $(BUILD)/reprise $(BUILD)/reprise-engine $(BUILD)/reprise.py $(BUILD)/backtrace.py

# The commands of `reprise debug`, and the part of `reprise backtrace` that gdb executes.
$(BUILD)/reprise.py $(BUILD)/backtrace.py: $(BUILD)/%.py: src/debug/%.py
	$(Q)mkdir -p $(@D) && cp $< $@

# Nothing else is linked with CUDA: the program is spoken to over a pipe.
NVCC := nvcc
CUDA_FLAGS := -arch=$(if $(filter 1,$(CUDA)),all-major,$(CUDA))
ifneq ($(CUDA),)
all: $(BUILD)/reprise-solve-gpu
endif
$(BUILD)/reprise-solve-gpu: src/search/gpu/solve.cu src/search/gpu/kernels.h src/search/gpu/slices.h src/search/search.h
	$(call say,NVCC $<)
	$(Q)mkdir -p $(@D) && $(NVCC) -O3 -std=c++17 $(CUDA_FLAGS) -Xcompiler -static-libgcc,-static-libstdc++ -I src -o $@ $<

$(BUILD)/reprise: $(CLI_OBJECTS) $(CLI_EXTRA)
	$(call say,LD $@)
	$(Q)mkdir -p $(@D) && $(CLI_CC) $(CLI_FLAGS) -o $@ $(CLI_OBJECTS) $(CLI_EXTRA) $(CLI_LIBS)

$(BUILD)/reprise-engine: $(ENGINE_OBJECTS)
	$(call say,LD $@)
	$(Q)$(CC) $(ENGINE_FLAGS) $(ENGINE_LINK) -o $@ $(ENGINE_OBJECTS)

$(CLI_BUILD)/cli/%.o: src/% $(CLI_BUILD)/cli.flags
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CLI_CC) $(CLI_FLAGS) -MMD -MP -c -o $@ $<

compile_engine = $(Q)mkdir -p $(@D) && $(CC) $(ENGINE_FLAGS) $1 $(OWN_FLAGS) -MMD -MP -c -o $@ $<
$(ENGINE_BUILD)/engine/%.o: src/% $(ENGINE_BUILD)/engine.flags
	$(call say,CC $<)
	$(call compile_engine)
ifneq ($(STRESS),)
$(BUILD)/engine/%.o: src/% $(ENGINE_BUILD)/engine.flags
	$(call say,CC $<)
	$(call compile_engine,$(STRESS_FLAGS))
endif

# A .flags file changes only when the command line it holds does, so objects never outlive their flags.
# It is also where the compiler itself is asked for, once per build folder.
$(CLI_BUILD)/cli.flags: WANT = $(CLI_CC) $(CLI_FLAGS)
$(ENGINE_BUILD)/engine.flags: WANT = $(CC) $(ENGINE_FLAGS) $(if $(TOGETHER),$(TOGETHER) $(ENGINE_TOGETHER))
$(CLI_BUILD)/cli.flags $(ENGINE_BUILD)/engine.flags: always
	@mkdir -p $(@D); [ -e $@ ] || { tools/packages.sh build && tools/packages.sh symbols; }
	@printf '%s\n' $(call quoted,$(WANT)) | cmp -s - $@ || printf '%s\n' $(call quoted,$(WANT)) >$@

.PHONY: always
always:

-include $(CLI_OBJECTS:.o=.d) $(ENGINE_OBJECTS:.o=.d)

include mk/tests.mk mk/install.mk mk/lint.mk bench/bench.mk

.PHONY: demo bench clean help
demo: all
	$(Q)$(CC) -std=gnu11 -O2 -pthread -o $(BUILD)/racy docs/demo/racy.c
	@docs/demo/run $(BUILD)/reprise $(BUILD)/racy

bench: all bench-programs
	@tools/packages.sh bench
	@status=0; bench/run $(BUILD)/reprise || status=1; bench/record $(BUILD)/reprise || status=1; bench/cold $(BUILD)/reprise || status=1; bench/orders $(BUILD)/reprise || status=1; bench/sim $(BUILD)/reprise || status=1; exit $$status

clean:
	$(Q)rm -rf build

help:
	@echo "make            build $(BUILD)/reprise and $(BUILD)/reprise-engine"
	@echo "make demo       a racy program, recorded and replayed"
	@echo "make test       all tests (minutes)"
	@echo "make check      lint, the other compiler, a sample of the tests in a container, those of the command under sanitizers, each fuzzer for some seconds"
	@echo "make test-contained  the same, built and run as in a default container"
	@echo "make soak       the tests at full length, under every stress build (hours)"
	@echo "make fuzz       the readers of recordings and events against a fuzzer, each for FUZZ_SECONDS=$(FUZZ_SECONDS)"
	@echo "make bench      run time and memory against native"
	@echo "make install    into PREFIX (now $(PREFIX)), below DESTDIR; make uninstall removes it"
	@echo "make format     clang-format over the sources"
	@echo "make lint       clang-tidy and cppcheck"
	@echo "make clean      remove build/"
	@echo "Settings: CC=gcc|clang ARCH=x64|a64 STRESS=$(subst $() ,|,$(STRESS_NAMES)) V=1"
