/* insn_integer.c: the integer instructions of I and M over corner cases, in their long and compressed forms, with digests. */
#include "program.h"

static const uint64_t values[] = {0,
                                  1,
                                  2,
                                  31,
                                  32,
                                  63,
                                  64,
                                  0x7f,
                                  0x80,
                                  0x7fff,
                                  0x8000,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x100000000,
                                  0x7fffffffffffffff,
                                  0x8000000000000000,
                                  ~0ull,
                                  ~1ull,
                                  0xffffffff80000000,
                                  0x123456789abcdef0};
enum { COUNT = sizeof values / 8 };

#define TWO(insn)                                                                          \
  do {                                                                                     \
    uint64_t digest = 0, r;                                                                \
    for (int i = 0; i < COUNT; i++)                                                        \
      for (int j = 0; j < COUNT; j++) {                                                    \
        __asm__ volatile(".option push\n .option norvc\n" insn " %0, %1, %2\n .option pop" \
                         : "=&r"(r)                                                        \
                         : "r"(values[i]), "r"(values[j]));                                \
        digest = mix(digest, r);                                                           \
      }                                                                                    \
    printf("%s %016lx\n", insn, digest);                                                   \
  } while (0)
#define WITH(insn, imm)                                                                        \
  do {                                                                                         \
    uint64_t digest = 0, r;                                                                    \
    for (int i = 0; i < COUNT; i++) {                                                          \
      __asm__ volatile(".option push\n .option norvc\n" insn " %0, %1, " #imm "\n .option pop" \
                       : "=&r"(r)                                                              \
                       : "r"(values[i]));                                                      \
      digest = mix(digest, r);                                                                 \
    }                                                                                          \
    printf("%s %s %016lx\n", insn, #imm, digest);                                              \
  } while (0)
/* rd is a source too; registers a0 and a1 have compressed names. */
#define COMPRESSED(insn)                               \
  do {                                                 \
    uint64_t digest = 0;                               \
    for (int i = 0; i < COUNT; i++)                    \
      for (int j = 0; j < COUNT; j++) {                \
        register uint64_t a __asm__("a0") = values[i]; \
        register uint64_t b __asm__("a1") = values[j]; \
        __asm__ volatile(insn : "+r"(a) : "r"(b));     \
        digest = mix(digest, a);                       \
      }                                                \
    printf("%s %016lx\n", insn, digest);               \
  } while (0)
#define BRANCH(insn)                                                    \
  do {                                                                  \
    uint64_t digest = 0, r;                                             \
    for (int i = 0; i < COUNT; i++)                                     \
      for (int j = 0; j < COUNT; j++) {                                 \
        __asm__ volatile("li %0, 1\n" insn " %1, %2, 1f\n li %0, 0\n1:" \
                         : "=&r"(r)                                     \
                         : "r"(values[i]), "r"(values[j]));             \
        digest = mix(digest, r);                                        \
      }                                                                 \
    printf("%s %016lx\n", insn, digest);                                \
  } while (0)

static void compressed_memory(void) {
  uint64_t frame[64], r, digest = 0;
  for (int i = 0; i < 64; i++) frame[i] = (uint64_t)i * 0x0123456789abcdef;
  register uint64_t *base __asm__("a1") = frame;
  register uint64_t a __asm__("a0");
  __asm__ volatile("c.lw a0, 124(a1)" : "=r"(a) : "r"(base) : "memory");
  digest = mix(digest, a);
  __asm__ volatile("c.ld a0, 248(a1)" : "=r"(a) : "r"(base) : "memory");
  digest = mix(digest, a);
  __asm__ volatile("c.lw a0, 4(a1)\n c.sw a0, 64(a1)\n c.ld a0, 8(a1)\n c.sd a0, 200(a1)"
                   : "=r"(a)
                   : "r"(base)
                   : "memory");
  __asm__ volatile("c.fld fa0, 16(a1)\n c.fsd fa0, 136(a1)" : : "r"(base) : "memory", "fa0");
  for (int i = 0; i < 64; i++) digest = mix(digest, frame[i]);
  __asm__ volatile(
      "mv t0, sp\n addi sp, sp, -512\n c.addi4spn a0, sp, 508\n c.sdsp t0, 256(sp)\n c.swsp t0, 4(sp)\n "
      "c.ldsp %0, 256(sp)\n"
      "c.lwsp t1, 4(sp)\n sext.w t2, t0\n sub t1, t1, t2\n sub a0, a0, t0\n add a0, a0, t1\n c.addi16sp sp, "
      "496\n"
      "c.addi sp, 16\n sub %0, %0, sp\n"
      : "=&r"(r), "=&r"(a)
      :
      : "t0", "t1", "t2", "memory");
  digest = mix(mix(digest, r), a);
  printf("c memory %016lx\n", digest);
}

static void compressed_jumps(void) {
  uint64_t r;
  __asm__ volatile(
      "li %0, 0\n c.j 2f\n1: addi %0, %0, 2\n c.j 3f\n2: addi %0, %0, 1\n la t0, 1b\n c.jr t0\n3:\n"
      "la t0, 4f\n mv t1, ra\n c.jalr t0\n5: addi %0, %0, 16\n c.j 6f\n4: addi %0, %0, 8\n la t2, 5b\n sub "
      "t2, t2, ra\n"
      "add %0, %0, t2\n c.jr ra\n6: mv ra, t1\n"
      : "=&r"(r)
      :
      : "t0", "t1", "t2", "ra");
  printf("c jumps %lu\n", r);
  register uint64_t a __asm__("a0") = 0;
  __asm__ volatile(
      "c.li a0, 5\n1: c.addi a0, -1\n c.bnez a0, 1b\n c.beqz a0, 2f\n li a0, 99\n2: c.lui a0, 0xfffe1\n "
      "c.addiw a0, 7"
      : "+r"(a));
  printf("c loops %lx\n", a);
}

int main(void) {
  TWO("add");
  TWO("sub");
  TWO("sll");
  TWO("slt");
  TWO("sltu");
  TWO("xor");
  TWO("srl");
  TWO("sra");
  TWO("or");
  TWO("and");
  TWO("addw");
  TWO("subw");
  TWO("sllw");
  TWO("srlw");
  TWO("sraw");
  TWO("mul");
  TWO("mulh");
  TWO("mulhsu");
  TWO("mulhu");
  TWO("div");
  TWO("divu");
  TWO("rem");
  TWO("remu");
  TWO("mulw");
  TWO("divw");
  TWO("divuw");
  TWO("remw");
  TWO("remuw");
  WITH("addi", -2048);
  WITH("addi", 2047);
  WITH("slti", -1);
  WITH("slti", 100);
  WITH("sltiu", -1);
  WITH("sltiu", 1);
  WITH("xori", -1);
  WITH("ori", 0x555);
  WITH("andi", -256);
  WITH("slli", 0);
  WITH("slli", 63);
  WITH("srli", 33);
  WITH("srai", 63);
  WITH("srai", 1);
  WITH("addiw", -1);
  WITH("addiw", 2047);
  WITH("slliw", 31);
  WITH("srliw", 31);
  WITH("sraiw", 31);
  WITH("sraiw", 1);
  COMPRESSED("c.addi a0, -32");
  COMPRESSED("c.addi a0, 31");
  COMPRESSED("c.addiw a0, -1");
  COMPRESSED("c.li a0, -32");
  COMPRESSED("c.lui a0, 31");
  COMPRESSED("c.srli a0, 63");
  COMPRESSED("c.srai a0, 33");
  COMPRESSED("c.andi a0, -32");
  COMPRESSED("c.slli a0, 40");
  COMPRESSED("c.sub a0, a1");
  COMPRESSED("c.xor a0, a1");
  COMPRESSED("c.or a0, a1");
  COMPRESSED("c.and a0, a1");
  COMPRESSED("c.subw a0, a1");
  COMPRESSED("c.addw a0, a1");
  COMPRESSED("c.mv a0, a1");
  COMPRESSED("c.add a0, a1");
  BRANCH("beq");
  BRANCH("bne");
  BRANCH("blt");
  BRANCH("bge");
  BRANCH("bltu");
  BRANCH("bgeu");
  compressed_memory();
  compressed_jumps();
  return 0;
}
