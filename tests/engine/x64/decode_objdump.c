/* decode_objdump.c: prints the decoder's instruction lengths at given addresses of an ELF file.
 *
 *     decode_objdump ELF < addresses
 *
 * One hexadecimal virtual address a line in, "address length" a line out; the length is 0 where the decoder
 * calls the bytes undefined. decode_objdump.sh, which is the test, compares the output with objdump's. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/x64/decode.h"

/* The bytes at a virtual address up to the end of its executable section. */
static const uint8_t *find(const uint8_t *image, uint64_t address, size_t *left) {
  const Elf64_Ehdr *elf = (const void *)image;
  const Elf64_Shdr *section = (const void *)(image + elf->e_shoff);
  for (unsigned i = 0; i < elf->e_shnum; i++) {
    if (!(section[i].sh_flags & SHF_EXECINSTR) || section[i].sh_type != SHT_PROGBITS) continue;
    uint64_t offset = address - section[i].sh_addr;
    if (offset >= section[i].sh_size) continue;
    *left = section[i].sh_size - offset;
    return image + section[i].sh_offset + offset;
  }
  return NULL;
}

/* ud0, ud1 and ud2: undefined by design, with a length of their own. */
static bool is_ud(const struct x64_insn *insn) {
  return insn->encoding == ENC_LEGACY && insn->map == 1 &&
         (insn->opcode == 0x0b || insn->opcode == 0xb9 || insn->opcode == 0xff);
}

int main(int argc, char **argv) {
  struct stat st;
  int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  if (fd < 0 || fstat(fd, &st) < 0) {
    fprintf(stderr, "decode_objdump: needs a readable ELF file\n");
    return 2;
  }
  const uint8_t *image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (image == MAP_FAILED) return 2;
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    uint64_t address = strtoull(line, NULL, 16);
    size_t left = 0;
    struct x64_insn insn;
    const uint8_t *bytes = find(image, address, &left);
    bool good = bytes && x64_decode(bytes, left, &insn) && (insn.kind != INSN_UNDEFINED || is_ud(&insn));
    printf("%lx %u\n", (unsigned long)address, good ? insn.len : 0u);
  }
  return 0;
}
