# The benchmarks' own programs, in build/bench whichever engine is measured: the kernels, the helper that
# measures a command, and the data that the compressors are given. `make bench` builds them first.

BENCH := build/bench
BENCH_KERNELS := $(patsubst bench/kernels/%.c,$(BENCH)/kernels/%,$(wildcard bench/kernels/*.c))
BENCH_PARALLEL := $(patsubst bench/parallel/%.c,$(BENCH)/parallel/%,$(wildcard bench/parallel/*.c))
BENCH_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror

.PHONY: bench-programs
bench: bench-programs
bench-programs: $(BENCH_KERNELS) $(BENCH_PARALLEL) $(BENCH)/search $(BENCH)/search_gpu $(BENCH)/memory $(BENCH)/looked $(BENCH)/measure $(BENCH)/mixed.data

$(BENCH)/kernels/%: bench/kernels/%.c bench/kernels/kernel.h $(BENCH)/kernels.flags
	$(call say,CC $<)
	$(Q)$(CC) $(BENCH_CFLAGS) -pthread -o $@ $< -lm

$(BENCH)/parallel/%: bench/parallel/%.c bench/parallel/team.h bench/kernels/kernel.h $(BENCH)/kernels.flags
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(BENCH_CFLAGS) -pthread -o $@ $< -lm

$(BENCH)/memory: bench/memory.c bench/parallel/team.h bench/kernels/kernel.h $(BENCH)/kernels.flags
	$(call say,CC $<)
	$(Q)$(CC) $(BENCH_CFLAGS) -pthread -o $@ $<

# At a fixed address, as the session's breakpoints are.
$(BENCH)/looked: bench/looked.c $(BENCH)/kernels.flags
	$(call say,CC $<)
	$(Q)$(CC) $(BENCH_CFLAGS) -fno-pie -no-pie -pthread -o $@ $<

$(BENCH)/search_gpu: bench/search_gpu.c bench/slices.h $(wildcard src/search/*.[ch] src/search/gpu/*.[ch]) $(BENCH)/kernels.flags
	$(call say,CC $<)
	$(Q)$(CC) $(BENCH_CFLAGS) -I src -o $@ $< $(wildcard src/search/*.c src/search/gpu/*.c)

$(BENCH)/search: bench/search.c bench/slices.h $(wildcard src/search/*.[ch]) $(BENCH)/kernels.flags
	$(call say,CC $<)
	$(Q)$(CC) $(BENCH_CFLAGS) -I src -o $@ $< $(wildcard src/search/*.c)

# A kernel made by another compiler is another kernel.
$(BENCH)/kernels.flags: always
	@mkdir -p $(BENCH)/kernels
	@echo '$(CC) $(BENCH_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(BENCH_CFLAGS)' >$@

# Static, so that what the measured process inherits before its exec is smaller than any program.
$(BENCH)/measure: bench/measure.c
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(BENCH_CFLAGS) -D_GNU_SOURCE -static -o $@ $<

$(BENCH)/mixed: bench/mixed.c
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CC) $(BENCH_CFLAGS) -o $@ $<

$(BENCH)/mixed.data: $(BENCH)/mixed
	$(call say,DATA $@)
	$(Q)$< 100 >$@
