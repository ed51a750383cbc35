/* core_registers.h: a thread's registers as core files have them (core_registers.c). */
#ifndef REPRISE_DEBUG_CORE_REGISTERS_H
#define REPRISE_DEBUG_CORE_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CORE_REGISTERS_MOST = 1024 /* bytes */ };

struct core_registers {
  uint32_t note; /* the type of the note that has them: NT_… */
  const char *owner;
  size_t bytes;
  uint8_t content[CORE_REGISTERS_MOST];
};

/* The registers, given as the description has them, come in parts; the first one belongs into the status of the thread. call: one more than the number of the system
 * call that the thread is in, or 0. False: there are no more parts. */
bool core_registers(unsigned part, const uint8_t *registers, int call, struct core_registers *to);

#endif
