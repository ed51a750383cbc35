# `make install`: the command, the engine beside it in libexec, and the pages that exist.

MAN_PAGES := $(wildcard docs/*.1)
COMPLETIONS := $(wildcard docs/reprise.bash)

.PHONY: install
install: all
	$(Q)install -D -m 755 $(BUILD)/reprise $(DESTDIR)$(PREFIX)/bin/reprise
	$(Q)install -D -m 755 $(BUILD)/reprise-engine $(DESTDIR)$(PREFIX)/libexec/reprise/reprise-engine
ifneq ($(MAN_PAGES),)
	$(Q)install -d $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)install -m 644 $(MAN_PAGES) $(DESTDIR)$(PREFIX)/share/man/man1
endif
ifneq ($(COMPLETIONS),)
	$(Q)install -D -m 644 $(COMPLETIONS) $(DESTDIR)$(PREFIX)/share/bash-completion/completions/reprise
endif
