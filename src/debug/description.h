/* description.h: the target description: which registers a thread has, and in which order (description.c). */
#ifndef REPRISE_DEBUG_DESCRIPTION_H
#define REPRISE_DEBUG_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* By the architecture's name in the manifest; false: it is not known. */
bool description_choose(const char *architecture);
/* The description, as XML. */
void description_write(FILE *out);
/* The offset of a register among the bytes of all registers; false: there is none of that number. */
bool description_register(unsigned number, size_t *offset, size_t *bytes);
size_t description_bytes(void);
/* The number of the register with the address of the next instruction. */
unsigned description_program_counter(void);
/* The number of the register that points to the thread's own memory; table: where from there glibc has its table of thread-local blocks. */
unsigned description_thread_pointer(unsigned *table);
/* True if clients expect to be told of a watchpoint before the access is made. */
bool description_stops_before(void);
/* The machine as ELF files name it; as compilers do. */
unsigned description_elf_machine(void);
const char *description_triple(void);

#endif
