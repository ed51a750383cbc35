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

STRESS_FLAGS_tinycache := -DREPRISE_STRESS_TINY_CACHE
STRESS_FLAGS_flush := -DREPRISE_STRESS_FLUSH
STRESS_FLAGS_signals := -DREPRISE_STRESS_SIGNALS
STRESS_FLAGS_lasting := -DREPRISE_STRESS_LASTING
STRESS_FLAGS_audit := -DREPRISE_STRESS_AUDIT
STRESS_FLAGS_slowpaths := -DREPRISE_STRESS_SLOW_PATHS

ifneq ($(STRESS),)
ifeq ($(filter $(STRESS),$(STRESS_NAMES)),)
$(error STRESS=$(STRESS) is not one of: $(STRESS_NAMES))
endif
STRESS_FLAGS := $(STRESS_FLAGS_$(STRESS))
# What is hosted is the same in all but an audit, which has counters in the region: those take its objects from the ordinary build.
ifeq ($(STRESS),audit)
CLI_STRESS_FLAGS := $(STRESS_FLAGS)
else
CLI_BUILD := $(BUILD)
endif
BUILD := $(BUILD)/stress-$(STRESS)
endif

# From the main build: `make stress-engines` builds all, after the objects that most of them share.
.PHONY: stress-engines $(addprefix stress-engine-,$(STRESS_NAMES))
stress-engines: $(addprefix stress-engine-,$(STRESS_NAMES))
$(addprefix stress-engine-,$(STRESS_NAMES)): stress-engine-%: $(BUILD)/reprise
	+@$(MAKE) --no-print-directory STRESS=$* all
