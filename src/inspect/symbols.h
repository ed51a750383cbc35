/* symbols.h: names and source lines of addresses in ELF files (symbols.c). */
#ifndef REPRISE_INSPECT_SYMBOLS_H
#define REPRISE_INSPECT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/* Reads the file behind fd, which stays the caller's. NULL when it is no ELF file, or without memory. */
struct symbols *symbols_open(int fd, const char *name);
void symbols_close(struct symbols *symbols);

/* Writes the address's name as far as it is known, "function+0x12 (file.c:34)"; else an empty text. offset counts from the beginning of
 * the file or, with image, from the first address that the program has. */
void symbols_text(struct symbols *symbols, uint64_t offset, bool image, char *text, size_t size);

#endif
