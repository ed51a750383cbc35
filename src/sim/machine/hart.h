/* hart.h: one RV64GCV processor, user level. */
#ifndef REPRISE_SIM_HART_H
#define REPRISE_SIM_HART_H

#include "sim/machine/machine.h"

/* Why the interpreter stopped. Registers and position are those of the next instruction to execute. */
enum hart_exit {
  HART_HORIZON,    /* others first */
  HART_WAIT,       /* for the memory system */
  HART_STOP,       /* at port.stop or hart->kernel_stop */
  HART_CALL,       /* at an ECALL */
  HART_FAULT,      /* hart->fault_address can't be accessed as hart->fault_kind */
  HART_MISALIGNED, /* an atomic access at hart->fault_address */
  HART_ILLEGAL,
  HART_BREAK, /* at an EBREAK */
};

enum hart_exit hart_interpret(struct hart *hart);
/* After HART_ILLEGAL: the instruction at the program counter. */
uint32_t hart_instruction(const struct hart *hart);

/* Executes an instruction of the F or D extension that touches no memory. False: there is no such instruction. */
bool hart_float(struct registers *registers, uint32_t bits);
/* Its two ways: by the host, as fast as that is exact (false: nothing has happened), and in integers. */
bool host_float(struct registers *registers, uint32_t bits);
bool integer_float(struct registers *registers, uint32_t bits);
/* It is a division or a square root. */
static inline bool hart_float_divides(uint32_t bits) {
  return (bits & 0x7f) == 0x53 && (bits >> 27 == 0x03 || bits >> 27 == 0x0b);
}
/* Nothing that the thread has done can be undone any more: the kernel may act on it. False: it waits until that is so. */
bool hart_at_border(struct port *port, enum border why);
/* A CSR instruction whose result is input. */
bool hart_csr_is_input(uint32_t bits);
/* Executes a CSR instruction. False: there is no such register. */
bool hart_csr(struct hart *hart, uint32_t bits);

/* Executes an instruction of the V extension. False: it has not happened, or not all of its accesses have, and hart->exit says why. */
bool hart_vector(struct hart *hart, uint32_t bits);
/* A load or store by an instruction. False: it has not happened, and hart->exit says why. */
bool hart_access(struct hart *hart, uint8_t kind, uint64_t vaddr, uint8_t size, void *data);
/* An access was made of which the rest must follow: no interrupt comes between. */
static inline bool hart_is_between(const struct hart *hart) {
  return hart->split || hart->registers.vector.field;
}
/* A handler is entered: what is unfinished begins again after it. */
static inline void hart_drop_half(struct hart *hart) {
  hart->split = false;
  hart->registers.vector.field = 0;
}

#endif
