# `make install`: the command, the engine and the simulator's workloads beside it in libexec, and the pages. `make uninstall` removes them again.
# Nothing that is compiled depends on PREFIX: what was built is copied as it is.

PLACE = $(call quoted,$(DESTDIR)$(PREFIX))
MAN_PAGES := $(wildcard docs/*.1)

.PHONY: install uninstall
install: all
	$(Q)install -D -m 755 $(BUILD)/reprise $(PLACE)/bin/reprise
	$(Q)install -D -m 755 $(BUILD)/reprise-engine $(PLACE)/libexec/reprise/reprise-engine
	$(Q)install -D -m 644 $(BUILD)/reprise.py $(PLACE)/libexec/reprise/reprise.py
	$(Q)install -D -m 644 $(BUILD)/backtrace.py $(PLACE)/libexec/reprise/backtrace.py
	$(Q)[ ! -x $(BUILD)/reprise-solve-gpu ] || install -D -m 755 $(BUILD)/reprise-solve-gpu $(PLACE)/libexec/reprise/reprise-solve-gpu
	$(Q)if [ -d $(BUILD)/tests/sim/workloads ]; then install -d $(PLACE)/libexec/reprise/workloads && \
	  find $(BUILD)/tests/sim/workloads -maxdepth 1 -type f -executable -exec install -m 755 {} $(PLACE)/libexec/reprise/workloads \; ; fi
	$(Q)install -d $(PLACE)/share/man/man1
	$(Q)install -m 644 $(MAN_PAGES) $(PLACE)/share/man/man1
	$(Q)install -D -m 644 docs/reprise.bash $(PLACE)/share/bash-completion/completions/reprise

uninstall:
	$(Q)rm -rf $(PLACE)/libexec/reprise
	$(Q)rm -f $(PLACE)/bin/reprise $(PLACE)/share/bash-completion/completions/reprise \
	  $(patsubst docs/%,$(PLACE)/share/man/man1/%,$(MAN_PAGES))
