/* stored_code.h: the beginning of a file of stored code (engine/code/lasting_format.h), which the manager of a replay looks at, too. */
#ifndef REPRISE_CONTRACT_STORED_CODE_H
#define REPRISE_CONTRACT_STORED_CODE_H

#include <stdint.h>

#define LASTING_MAGIC 0x45444f4353525052UL

/* A table of slots follows, then the records. */
struct lasting_header {
  uint64_t digest; /* of the rest of the header, with the maker as its seed */
  uint64_t magic;
  uint64_t maker; /* the engine, what its code has to do, and the processor's features: lasting_init */
  uint64_t file;  /* the file of code: code_file.content */
  uint64_t bytes; /* of this file */
  uint32_t records;
  uint32_t slots; /* a power of two */
};

_Static_assert(sizeof(struct lasting_header) == 48, "no padding");

/* What the name of a file that is whole ends with; before that is a digest of its code's file, seeded with the maker, in hexadecimal digits. */
#define LASTING_SUFFIX ".code"

enum { LASTING_FILE_MAX = 256 << 20 };

#endif
