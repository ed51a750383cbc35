# `make format` rewrites the sources; `make lint` checks the format and the arrows between folders (mk/rooms), and runs both linters over every file of the
# product with the flags it is built with.

C_FILES = $(shell find src tests docs bench -name '*.[ch]' -o -name '*.cc' 2>/dev/null)

TIDY := xargs -r -n 1 -P $(shell nproc) tools/tidy.sh
CPPCHECK := cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 -j $(shell nproc) \
            --enable=warning,performance,portability --suppress=missingIncludeSystem -I src \
            -U$(if $(filter x64,$(ARCH)),__aarch64__,__x86_64__)

.PHONY: format lint check-format check-tidy check-cppcheck
format:
	@tools/packages.sh lint
	$(Q)clang-format -i $(C_FILES)

check-format: all
	@tools/packages.sh lint
	$(call say,ARROWS)
	$(Q)tools/arrows.sh $(BUILD)
	$(call say,FORMAT)
	$(Q)clang-format --dry-run -Werror $(C_FILES)

lint: check-format check-tidy check-cppcheck

check-tidy:
	@tools/packages.sh lint
	$(call say,TIDY)
	$(Q)status=0; \
	printf '%s\n' $(CLI_SOURCES) | TIDY_FLAGS="$(subst ",\",$(subst ',,$(CLI_FLAGS)))" $(TIDY) || status=1; \
	printf '%s\n' $(filter %.c,$(ENGINE_SOURCES)) | TIDY_FLAGS="$(ENGINE_FLAGS)" $(TIDY) || status=1; exit $$status

check-cppcheck:
	@tools/packages.sh lint
	$(call say,CPPCHECK)
	$(Q)status=0; $(CPPCHECK) -D_GNU_SOURCE $(CLI_SOURCES) || status=1; \
	$(CPPCHECK) $(filter %.c,$(ENGINE_SOURCES)) || status=1; exit $$status
