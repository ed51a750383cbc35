# ARCH=a64 on an x86-64 machine (and the other way round): the engine and the test programs of the other instruction set, in
# build/$(ARCH), and a command of this machine that starts the engine under qemu-user. That command is for tests only.

OTHER_ARCH := $(if $(filter x64,$(HOST_ARCH)),a64,x64)
TARGET_a64 := aarch64-linux-gnu
TARGET_x64 := x86_64-linux-gnu
QEMU_a64 := qemu-aarch64
QEMU_x64 := qemu-x86_64

ifneq ($(ARCH),$(HOST_ARCH))
TARGET := $(TARGET_$(ARCH))

BUILD := build/$(ARCH)
CLI_CC := $(CC)
ifneq ($(findstring clang,$(CC)),)
override CC := clang --target=$(TARGET)
override CXX := clang++ --target=$(TARGET)
else
override CC := $(TARGET)-gcc
override CXX := $(TARGET)-g++
endif

CLI_EXTRA := $(BUILD)/emulated.o
CLI_LINK := -Wl,--wrap=execve
CROSS_FLAGS := -DREPRISE_EMULATED
$(CLI_EXTRA): tests/lib/emulated.c
	$(call say,CC $<)
	$(Q)mkdir -p $(@D) && $(CLI_CC) $(CLI_FLAGS) -DEMULATOR='"$(QEMU_$(ARCH))"' -DTARGET_ROOT='"/usr/$(TARGET)"' -c -o $@ $<
endif
