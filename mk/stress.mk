# Stress engines: the same sources with the rare paths made common. Each is a build folder of its own and must
# pass the same tests as the ordinary engine.
#
#   tinycache  a code cache of a few blocks, so that it is full all the time
#   flush      the code cache is thrown away at random
#   signals    a signal arrives at every safepoint
#   audit      a recording compares memory around each system call with what the table names (engine/order/audit.h)
#   lasting    what is taken from stored code is compared with a new translation (engine/code/lasting.h)
#   slowpaths  every inline fast path is refused, and memory handed over block by block

STRESS_NAMES := tinycache flush signals slowpaths lasting audit

STRESS_tinycache := REPRISE_STRESS_TINY_CACHE
STRESS_flush := REPRISE_STRESS_FLUSH
STRESS_signals := REPRISE_STRESS_SIGNALS
STRESS_lasting := REPRISE_STRESS_LASTING
STRESS_audit := REPRISE_STRESS_AUDIT
STRESS_slowpaths := REPRISE_STRESS_SLOW_PATHS

ifneq ($(STRESS),)
ifeq ($(filter $(STRESS),$(STRESS_NAMES)),)
$(error STRESS=$(STRESS) is not one of: $(STRESS_NAMES))
endif
STRESS_FLAGS := -D$(STRESS_$(STRESS))
# What is hosted is the same in all, and so is most of the engine: those objects are the ordinary build's.
CLI_BUILD := $(BUILD)
ENGINE_BUILD := $(BUILD)
BUILD := $(BUILD)/stress-$(STRESS)

# Compiled anew: sources that mention the engine's word, or include a file that does, and those of which the ordinary build does not know yet.
STRESS_WORDS := $(shell grep -rlw $(STRESS_$(STRESS)) src)
STRESS_UNAWARE := $(shell find $(ENGINE_BUILD)/engine -name '*.d' -exec grep -LF $(addprefix -e ,$(STRESS_WORDS)) {} + 2>/dev/null)
STRESSED = $(filter-out $(STRESS_UNAWARE:$(ENGINE_BUILD)/engine/%.d=src/%),$(ENGINE_SOURCES))
endif

# From the main build: `make stress-engines` builds all, after the objects that they share.
.PHONY: stress-engines $(addprefix stress-engine-,$(STRESS_NAMES))
stress-engines: $(addprefix stress-engine-,$(STRESS_NAMES))
$(addprefix stress-engine-,$(STRESS_NAMES)): stress-engine-%: $(BUILD)/reprise $(BUILD)/reprise-engine
	+@$(MAKE) --no-print-directory STRESS=$* all
