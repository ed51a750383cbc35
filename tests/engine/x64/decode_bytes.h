/* decode_bytes.h: where the decoder's tests take their instructions from. Each source calls `visit` with
 * 15 readable bytes, which returns whether they were an instruction. */
#ifndef REPRISE_TESTS_DECODE_BYTES_H
#define REPRISE_TESTS_DECODE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* Looks at the bytes and returns the length to step over, or 0 when they are no instruction. */
typedef unsigned visit_bytes(const uint8_t *bytes);

/* Every instruction of the executable sections of an x86-64 ELF file. Returns their number, 0 (and a line
 * on standard output) when the file cannot be used. */
unsigned long visit_file(const char *path, visit_bytes *visit);

/* Every opcode of every map with every mandatory prefix, W, vector length, ModRM.reg and, but for EVEX, the
 * whole ModRM. Returns the number of strings that were instructions. */
unsigned long visit_sweep(visit_bytes *visit);

/* Random strings whose first bytes are drawn so that prefixes and all opcode maps are well represented,
 * until `wanted` of them were instructions. */
void visit_random(uint64_t seed, unsigned long wanted, visit_bytes *visit);

#endif
