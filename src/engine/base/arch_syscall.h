/* arch_syscall.h: the raw system call of the architecture this engine is built for. */
#ifndef REPRISE_ENGINE_ARCH_SYSCALL_H
#define REPRISE_ENGINE_ARCH_SYSCALL_H

#if defined(__x86_64__)
#include "engine/x64/syscall.h"
#elif defined(__aarch64__)
#include "engine/a64/syscall.h"
#else
#error "no backend for this architecture"
#endif

#endif
