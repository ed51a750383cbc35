/* decode_bytes.c: the sources of instructions for the decoder's tests; see decode_bytes.h. */
#include "decode_bytes.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 15 };

/* ---- files ---- */

static unsigned long visit_section(const uint8_t *start, size_t size, visit_bytes *visit) {
  unsigned long count = 0;
  for (size_t at = 0; at < size; count++) {
    const uint8_t *bytes = start + at;
    uint8_t tail[WINDOW];
    if (size - at < WINDOW) {
      memset(tail, 0x90, sizeof tail);
      memcpy(tail, bytes, size - at);
      bytes = tail;
    }
    unsigned length = visit(bytes);
    at += length ? length : 1;
  }
  return count;
}

static const uint8_t *map_elf(const char *path, size_t *size) {
  struct stat st;
  int fd = open(path, O_RDONLY);
  if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(Elf64_Ehdr)) return NULL;
  *size = (size_t)st.st_size;
  const uint8_t *image = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (image == MAP_FAILED) return NULL;
  const Elf64_Ehdr *elf = (const void *)image;
  return memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_machine != EM_X86_64 ? NULL : image;
}

unsigned long visit_file(const char *path, visit_bytes *visit) {
  size_t size;
  const uint8_t *image = map_elf(path, &size);
  if (!image) {
    printf("%s: not a readable x86-64 ELF file\n", path);
    return 0;
  }
  const Elf64_Ehdr *elf = (const void *)image;
  const Elf64_Shdr *section = (const void *)(image + elf->e_shoff);
  unsigned long count = 0;
  for (unsigned i = 0; i < elf->e_shnum; i++) {
    if (section[i].sh_type == SHT_PROGBITS && (section[i].sh_flags & SHF_EXECINSTR)) {
      count += visit_section(image + section[i].sh_offset, section[i].sh_size, visit);
    }
  }
  munmap((void *)image, size);
  return count;
}

/* ---- all encodings ---- */

struct sweep {
  visit_bytes *visit;
  unsigned long accepted;
  uint8_t bytes[WINDOW + 1];
};

/* Puts opcode and ModRM behind the first `at` bytes. The rest are a SIB byte with base rbx and index rdi,
 * and small numbers for displacements and immediates. */
static void sweep_opcodes(struct sweep *s, unsigned at, bool all_modrm) {
  static const uint8_t rest[] = {0x3b, 0x11, 0x02, 0x03, 0x04, 0x05, 0x06,
                                 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c};
  for (unsigned opcode = 0; opcode < 256; opcode++) {
    for (unsigned modrm = 0; modrm < 256; modrm++) {
      unsigned rm = modrm & 7;
      if (!all_modrm && rm != 0 && rm != 4) continue;
      s->bytes[at] = (uint8_t)opcode;
      s->bytes[at + 1] = (uint8_t)modrm;
      memcpy(s->bytes + at + 2, rest, WINDOW - at - 2);
      s->accepted += s->visit(s->bytes) != 0;
    }
  }
}

static void sweep_legacy(struct sweep *s) {
  static const uint8_t mandatory[] = {0, 0x66, 0xf3, 0xf2, 0xf0};
  static const uint8_t escapes[4][2] = {{0, 0}, {0x0f, 0}, {0x0f, 0x38}, {0x0f, 0x3a}};
  for (unsigned choice = 0; choice < 5 * 3 * 4; choice++) {
    unsigned at = 0, rex = choice / 5 % 3;
    const uint8_t *escape = escapes[choice / 15];
    if (mandatory[choice % 5]) s->bytes[at++] = mandatory[choice % 5];
    if (rex) s->bytes[at++] = rex == 1 ? 0x48 : 0x45;
    if (escape[0]) s->bytes[at++] = escape[0];
    if (escape[1]) s->bytes[at++] = escape[1];
    sweep_opcodes(s, at, true);
  }
}

/* Third bytes of VEX and XOP: W, three values of vvvv, L and pp. */
static void sweep_vex(struct sweep *s, uint8_t escape, unsigned first_map, unsigned maps) {
  static const uint8_t vvvv[] = {0x78, 0x70, 0x38};
  for (unsigned choice = 0; choice < maps * 3 * 16; choice++) {
    unsigned w_l_pp = choice & 15;
    s->bytes[0] = escape;
    s->bytes[1] = (uint8_t)(0xe0 | (first_map + choice / 48));
    s->bytes[2] = (uint8_t)((w_l_pp & 8) << 4 | vvvv[choice / 16 % 3] | (w_l_pp & 7));
    sweep_opcodes(s, 3, true);
  }
}

/* Fourth bytes of EVEX: zeroing and mask, all lengths, broadcast. */
static void sweep_evex(struct sweep *s) {
  static const uint8_t masks[] = {0x00, 0x01, 0x81};
  for (unsigned choice = 0; choice < 7 * 2 * 8 * 3 * 8; choice++) {
    unsigned map = choice % 7 + 1, neutral = choice / 7 % 2, w_pp = choice / 14 % 8, mask = choice / 112 % 3;
    s->bytes[0] = 0x62;
    s->bytes[1] = (uint8_t)(0xf0 | map);
    s->bytes[2] = (uint8_t)((w_pp & 4) << 5 | (neutral ? 0x78 : 0x68) | 4 | (w_pp & 3));
    s->bytes[3] = (uint8_t)(masks[mask] | 0x08 | (choice / 336) << 4);
    sweep_opcodes(s, 4, false);
  }
}

unsigned long visit_sweep(visit_bytes *visit) {
  struct sweep s = {.visit = visit};
  sweep_legacy(&s);
  sweep_vex(&s, 0xc4, 0, 4);
  sweep_vex(&s, 0x8f, 8, 3);
  sweep_evex(&s);
  return s.accepted;
}

/* ---- random strings ---- */

static uint64_t random_state;

static uint64_t random64(void) { /* xorshift* */
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return random_state * 0x2545f4914f6cdd1dULL;
}

static unsigned pick(unsigned n) {
  return (unsigned)((random64() >> 32) % n);
}

static void begin_evex(uint8_t *out) {
  out[0] = 0x62;
  out[1] = (uint8_t)((out[1] & 0xf0) | (1 + pick(6)));
  out[2] |= 4;
  if (pick(2)) out[2] |= 0x78, out[3] |= 8; /* vvvv neutral */
  if (pick(2)) out[3] &= 0x6f;              /* neither zeroing nor broadcast */
}

static void begin_vex(uint8_t *out, uint8_t escape, unsigned first_map) {
  out[0] = escape;
  out[1] = (uint8_t)((out[1] & 0xe0) | (first_map + pick(3)));
  if (pick(2)) out[2] |= 0x78; /* vvvv neutral */
}

/* Random bytes, of which the first are made a plausible beginning. */
static void make_string(uint8_t out[16]) {
  static const uint8_t legacy[] = {0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x64, 0x65, 0x36};
  unsigned at = 0;
  for (unsigned i = 0; i < 16; i += 8) {
    uint64_t r = random64();
    memcpy(out + i, &r, 8);
  }
  unsigned form = pick(10);
  unsigned rarely = form < 4 ? 3 : 24; /* a vector prefix tolerates few others before it */
  while (at < 4 && pick(rarely) == 0) out[at++] = legacy[pick(sizeof legacy)];
  if (pick(rarely) == 0) out[at++] = (uint8_t)(0x40 | pick(16));
  switch (form) {
    case 0:
      break;
    case 1:
      out[at] = 0x0f;
      break;
    case 2:
      out[at] = 0x0f, out[at + 1] = 0x38;
      break;
    case 3:
      out[at] = 0x0f, out[at + 1] = 0x3a;
      break;
    case 4:
      out[at] = 0xc5;
      break;
    case 5:
    case 6:
      begin_vex(out + at, 0xc4, 1);
      break;
    case 7:
    case 8:
      begin_evex(out + at);
      break;
    case 9:
      begin_vex(out + at, 0x8f, 8);
      break;
  }
}

void visit_random(uint64_t seed, unsigned long wanted, visit_bytes *visit) {
  random_state = seed * 2 + 0x9e3779b97f4a7c15ULL;
  for (unsigned long accepted = 0; accepted < wanted;) {
    uint8_t bytes[16];
    make_string(bytes);
    accepted += visit(bytes) != 0;
  }
}
