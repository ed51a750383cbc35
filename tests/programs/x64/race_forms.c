/* Races for a few lines of memory with every form of instruction that reads, writes or updates memory: with a lock and without one, with flags that it
 * reads or leaves, registers it changes, of vectors, across lines, of the stack, of strings.
 *
 *   race_forms [THREADS [ROUNDS [FORM]]]
 *     FORM  the number of the only one */
/* cflags: -mno-red-zone -mavx2 */
#include <stdbool.h>
#include <string.h>

#include "race.h"

/* What a form is given, and what it leaves: two registers, the flags, a vector. */
struct state {
  uint64_t a, b, flags, unused;
  _Alignas(32) uint8_t vector[32];
};

/* The address is in rdi; rax = a, rcx = b, and the flags are those of their sum. All are free to use but rsi, which leads to the state. */
/* clang-format off */
#define FORMS(X) \
  X(mov_1, false, "mov %%cl, (%%rdi)") \
  X(mov_2, false, "mov %%cx, (%%rdi)") \
  X(mov_4, false, "mov %%ecx, (%%rdi)") \
  X(mov_8, false, "mov %%rcx, (%%rdi)") \
  X(add_1, false, "add %%cl, (%%rdi)") \
  X(add_2, false, "add %%cx, (%%rdi)") \
  X(add_4, false, "add %%ecx, (%%rdi)") \
  X(add_8, false, "add %%rcx, (%%rdi)") \
  X(adc_1, false, "adc %%cl, (%%rdi)") \
  X(adc_2, false, "adc %%cx, (%%rdi)") \
  X(adc_4, false, "adc %%ecx, (%%rdi)") \
  X(adc_8, false, "adc %%rcx, (%%rdi)") \
  X(xor_1, false, "xor %%cl, (%%rdi)") \
  X(xor_2, false, "xor %%cx, (%%rdi)") \
  X(xor_4, false, "xor %%ecx, (%%rdi)") \
  X(xor_8, false, "xor %%rcx, (%%rdi)") \
  X(cmp_1, false, "cmp %%cl, (%%rdi)") \
  X(cmp_2, false, "cmp %%cx, (%%rdi)") \
  X(cmp_4, false, "cmp %%ecx, (%%rdi)") \
  X(cmp_8, false, "cmp %%rcx, (%%rdi)") \
  X(lock_add_1, false, "lock add %%cl, (%%rdi)") \
  X(lock_add_2, false, "lock add %%cx, (%%rdi)") \
  X(lock_add_4, false, "lock add %%ecx, (%%rdi)") \
  X(lock_add_8, false, "lock add %%rcx, (%%rdi)") \
  X(lock_adc_1, false, "lock adc %%cl, (%%rdi)") \
  X(lock_adc_2, false, "lock adc %%cx, (%%rdi)") \
  X(lock_adc_4, false, "lock adc %%ecx, (%%rdi)") \
  X(lock_adc_8, false, "lock adc %%rcx, (%%rdi)") \
  X(lock_sbb_1, false, "lock sbb %%cl, (%%rdi)") \
  X(lock_sbb_2, false, "lock sbb %%cx, (%%rdi)") \
  X(lock_sbb_4, false, "lock sbb %%ecx, (%%rdi)") \
  X(lock_sbb_8, false, "lock sbb %%rcx, (%%rdi)") \
  X(lock_or_1, false, "lock or %%cl, (%%rdi)") \
  X(lock_or_2, false, "lock or %%cx, (%%rdi)") \
  X(lock_or_4, false, "lock or %%ecx, (%%rdi)") \
  X(lock_or_8, false, "lock or %%rcx, (%%rdi)") \
  X(xchg_1, false, "xchg %%cl, (%%rdi)") \
  X(xchg_2, false, "xchg %%cx, (%%rdi)") \
  X(xchg_4, false, "xchg %%ecx, (%%rdi)") \
  X(xchg_8, false, "xchg %%rcx, (%%rdi)") \
  X(xadd_1, false, "xadd %%cl, (%%rdi)") \
  X(xadd_2, false, "xadd %%cx, (%%rdi)") \
  X(xadd_4, false, "xadd %%ecx, (%%rdi)") \
  X(xadd_8, false, "xadd %%rcx, (%%rdi)") \
  X(lock_xadd_1, false, "lock xadd %%cl, (%%rdi)") \
  X(lock_xadd_2, false, "lock xadd %%cx, (%%rdi)") \
  X(lock_xadd_4, false, "lock xadd %%ecx, (%%rdi)") \
  X(lock_xadd_8, false, "lock xadd %%rcx, (%%rdi)") \
  X(cmpxchg_1, false, "cmpxchg %%cl, (%%rdi)") \
  X(cmpxchg_2, false, "cmpxchg %%cx, (%%rdi)") \
  X(cmpxchg_4, false, "cmpxchg %%ecx, (%%rdi)") \
  X(cmpxchg_8, false, "cmpxchg %%rcx, (%%rdi)") \
  X(lock_cmpxchg_1, false, "lock cmpxchg %%cl, (%%rdi)") \
  X(lock_cmpxchg_2, false, "lock cmpxchg %%cx, (%%rdi)") \
  X(lock_cmpxchg_4, false, "lock cmpxchg %%ecx, (%%rdi)") \
  X(lock_cmpxchg_8, false, "lock cmpxchg %%rcx, (%%rdi)") \
  X(inc_1, false, "incb (%%rdi)") \
  X(inc_2, false, "incw (%%rdi)") \
  X(inc_4, false, "incl (%%rdi)") \
  X(inc_8, false, "incq (%%rdi)") \
  X(lock_inc_1, false, "lock incb (%%rdi)") \
  X(lock_inc_2, false, "lock incw (%%rdi)") \
  X(lock_inc_4, false, "lock incl (%%rdi)") \
  X(lock_inc_8, false, "lock incq (%%rdi)") \
  X(neg_1, false, "negb (%%rdi)") \
  X(neg_2, false, "negw (%%rdi)") \
  X(neg_4, false, "negl (%%rdi)") \
  X(neg_8, false, "negq (%%rdi)") \
  X(lock_neg_1, false, "lock negb (%%rdi)") \
  X(lock_neg_2, false, "lock negw (%%rdi)") \
  X(lock_neg_4, false, "lock negl (%%rdi)") \
  X(lock_neg_8, false, "lock negq (%%rdi)") \
  X(lock_not_1, false, "lock notb (%%rdi)") \
  X(lock_not_2, false, "lock notw (%%rdi)") \
  X(lock_not_4, false, "lock notl (%%rdi)") \
  X(lock_not_8, false, "lock notq (%%rdi)") \
  X(load_mov_1, false, "mov (%%rdi), %%cl") \
  X(load_mov_2, false, "mov (%%rdi), %%cx") \
  X(load_mov_4, false, "mov (%%rdi), %%ecx") \
  X(load_mov_8, false, "mov (%%rdi), %%rcx") \
  X(load_add_1, false, "add (%%rdi), %%cl") \
  X(load_adc_2, false, "adc (%%rdi), %%cx") \
  X(load_sbb_4, false, "sbb (%%rdi), %%ecx") \
  X(load_add_8, false, "add (%%rdi), %%rcx") \
  X(load_signed, false, "movsbl (%%rdi), %%ecx") \
  X(load_over_base, false, "mov (%%rdi), %%rdi\n mov %%rdi, %%rcx") \
  X(load_indexed, false, "mov $1, %%ebx\n mov -8(%%rdi, %%rbx, 8), %%rcx") \
  X(load_high, false, "mov (%%rdi), %%ch") \
  X(store_high, false, "mov %%ch, (%%rdi)") \
  X(lock_add_high, false, "lock add %%ah, (%%rdi)") \
  X(xchg_high, false, "xchg %%ch, (%%rdi)") \
  X(lock_xadd_high, false, "lock xadd %%ah, (%%rdi)") \
  X(xchg_sil, false, "mov %%rsi, %%rbx\n mov %%rcx, %%rsi\n xchg %%sil, (%%rdi)\n mov %%rsi, %%rcx\n mov %%rbx, %%rsi") \
  X(xchg_r9, false, "mov %%rcx, %%r9\n xchg %%r9w, (%%rdi)\n mov %%r9, %%rcx") \
  X(lock_add_rax, false, "lock add %%rax, (%%rdi)") \
  X(lock_and_immediate, false, "lock andl $0x7fffff0f, (%%rdi)") \
  X(lock_bts, false, "lock btsq $5, (%%rdi)") \
  X(lock_btc, false, "lock btcl $3, (%%rdi)") \
  X(btc, false, "btcl $7, (%%rdi)") \
  X(bt, false, "btq $9, (%%rdi)") \
  X(bts_register, false, "and $63, %%ecx\n bts %%rcx, (%%rdi)") \
  X(lock_bts_register, false, "and $63, %%ecx\n lock bts %%rcx, (%%rdi)") \
  X(lock_cmpxchg8b, false, "mov %%ecx, %%ebx\n mov (%%rdi), %%eax\n mov 4(%%rdi), %%edx\n lock cmpxchg8b (%%rdi)") \
  X(lock_cmpxchg16b, false, "mov %%rcx, %%rbx\n and $-16, %%rdi\n mov (%%rdi), %%rax\n mov 8(%%rdi), %%rdx\n lock cmpxchg16b (%%rdi)\n mov %%rdx, %%rcx") \
  X(cmpxchg16b, false, "mov %%rcx, %%rbx\n and $-16, %%rdi\n mov (%%rdi), %%rax\n mov 8(%%rdi), %%rdx\n cmpxchg16b (%%rdi)\n mov %%rdx, %%rcx") \
  X(setc, false, "setc (%%rdi)") \
  X(cmovc, false, "cmovc (%%rdi), %%rcx") \
  X(shl, false, "shll %%cl, (%%rdi)") \
  X(rcl, false, "rcll $3, (%%rdi)") \
  X(shld, false, "shldl $5, %%eax, (%%rdi)") \
  X(imul, false, "imul (%%rdi), %%rcx") \
  X(movbe_like, false, "bswap %%rcx\n mov %%rcx, (%%rdi)") \
  X(push, false, "push (%%rdi)\n pop %%rcx") \
  X(pop, false, "push %%rcx\n pop (%%rdi)") \
  X(stack_in_it, false, "and $-16, %%rdi\n mov %%rsp, %%rbx\n lea 24(%%rdi), %%rsp\n push %%rcx\n push %%rax\n pop %%rcx\n pop %%rax\n mov %%rbx, %%rsp") \
  X(call_in_it, false, "and $-16, %%rdi\n mov %%rsp, %%rbx\n lea 24(%%rdi), %%rsp\n call 1f\n 1: lea 1b(%%rip), %%r9\n sub (%%rsp), %%r9\n mov %%r9, %%rcx\n movq $0, (%%rsp)\n mov %%rbx, %%rsp") \
  X(rep_stosb, false, "mov $40, %%ecx\n rep stosb") \
  X(lodsq, false, "mov %%rsi, %%rbx\n mov %%rdi, %%rsi\n lodsq\n mov %%rbx, %%rsi") \
  X(rep_movsb, false, "mov %%rsi, %%rbx\n mov %%rdi, %%rsi\n and $-64, %%rdi\n mov $9, %%ecx\n rep movsb\n mov %%rbx, %%rsi") \
  X(repne_scasb, false, "mov $50, %%ecx\n repne scasb") \
  X(xlat, false, "mov %%rdi, %%rbx\n and $31, %%eax\n xlat") \
  X(movdqu_load, false, "movdqu (%%rdi), %%xmm0\n movdqu %%xmm0, 32(%%rsi)") \
  X(movdqu_store, false, "movdqu 32(%%rsi), %%xmm0\n movdqu %%xmm0, (%%rdi)") \
  X(movdqa, false, "and $-16, %%rdi\n movdqa (%%rdi), %%xmm0\n paddb 32(%%rsi), %%xmm0\n movdqa %%xmm0, (%%rdi)") \
  X(movhps, false, "movq (%%rdi), %%xmm0\n movhps (%%rdi), %%xmm0\n movdqu %%xmm0, 32(%%rsi)\n movlps %%xmm0, (%%rdi)") \
  X(paddb, false, "and $-16, %%rdi\n movdqu 32(%%rsi), %%xmm0\n paddb (%%rdi), %%xmm0\n movdqu %%xmm0, 32(%%rsi)") \
  X(maskmovdqu, false, "mov %%rsi, %%rbx\n movdqu 32(%%rsi), %%xmm0\n movdqa %%xmm0, %%xmm1\n maskmovdqu %%xmm1, %%xmm0") \
  X(fild, false, "fildll (%%rdi)\n fistpll 32(%%rsi)") \
  X(fistp, false, "fildll 32(%%rsi)\n fistpll (%%rdi)") \
  X(fxsave, false, "lea 512(%%rdi), %%r8\n and $-64, %%r8\n mov %%rcx, %%rbx\n sub $512, %%r8\n fxsave (%%r8)\n mov 32(%%r8), %%rcx\n movq $0, 8(%%r8)\n movq $0, 16(%%r8)") \
  X(movnti, false, "movnti %%rcx, (%%rdi)\n sfence") \
  X(fs, false, "rdfsbase %%rbx\n mov %%rdi, %%rdx\n sub %%rbx, %%rdx\n xadd %%rcx, %%fs:(%%rdx)") \
  X(vmovdqu_load, true, "vmovdqu (%%rdi), %%ymm0\n vmovdqu %%ymm0, 32(%%rsi)\n vzeroupper") \
  X(vmovdqu_store, true, "vmovdqu 32(%%rsi), %%ymm0\n vmovdqu %%ymm0, (%%rdi)\n vzeroupper") \
  X(vpmaskmovd_store, true, "vmovdqu 32(%%rsi), %%ymm0\n vpmaskmovd %%ymm0, %%ymm0, (%%rdi)\n vzeroupper") \
  X(vpmaskmovd_load, true, "vmovdqu 32(%%rsi), %%ymm1\n vpmaskmovd (%%rdi), %%ymm1, %%ymm0\n vmovdqu %%ymm0, 32(%%rsi)\n vzeroupper") \
  X(vpgatherdd, true, "vpcmpeqd %%ymm1, %%ymm1, %%ymm1\n vpsrld $28, %%ymm1, %%ymm0\n vpand 32(%%rsi), %%ymm0, %%ymm0\n vpxor %%xmm2, %%xmm2, %%xmm2\n vpgatherdd %%ymm1, (%%rdi, %%ymm0, 4), %%ymm2\n vmovdqu %%ymm2, 32(%%rsi)\n vzeroupper")
/* clang-format on */

#ifdef __x86_64__
#define FUNCTION(name, is_wide, text)                                                                      \
  static void name##_form(uint8_t *at, struct state *s) {                                                  \
    uint64_t a = s->a, b = s->b, flags;                                                                    \
    __asm__ volatile("mov %%rax, %%rdx\n add %%rcx, %%rdx\n mov %3, %%rdi\n " text "\n pushfq\n pop %%rdx" \
                     : "+a"(a), "+c"(b), "=&d"(flags)                                                      \
                     : "r"(at), "S"(s)                                                                     \
                     : "rdi", "rbx", "r8", "r9", "memory", "cc", "xmm0", "xmm1", "xmm2");                  \
    s->a = a, s->b = b, s->flags = flags & 0x8c1;                                                          \
  }
FORMS(FUNCTION)
#define ENTRY(name, is_wide, text) {name##_form, is_wide},
static bool has_wide(void) {
  return __builtin_cpu_supports("avx2");
}
static const struct {
  void (*run)(uint8_t *at, struct state *s);
  bool is_wide;
} forms[] = {FORMS(ENTRY)};
#endif

enum { COUNT = sizeof forms / sizeof *forms, LINE = 64, BYTES = 4 * LINE, FAR = 1024 };
static _Alignas(BYTES) uint8_t area[BYTES + FAR];
static int only = -1;

static uint32_t digest(const void *bytes, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; i++) sum = sum * 31 + ((const uint8_t *)bytes)[i];
  return sum;
}

/* Mostly in the first line, often right before its end. */
static void run(unsigned me) {
  struct state s = {.a = me + 1, .b = 3 * me};
  memset(s.vector, (int)(0x91 * me), sizeof s.vector);
  uint32_t dice = me;
  for (unsigned i = 0; i < race_rounds; i++) {
    dice = race_mix(dice, race_seen[me] + i);
    unsigned form = only >= 0 ? (unsigned)only : (dice >> 8) % COUNT, where = dice % 8;
    if (forms[form].is_wide && !has_wide()) continue;
    unsigned at = where == 0 ? dice >> 16 & 127 : where == 1 ? 57 + (dice >> 16 & 7) : 8 * (dice >> 16 & 7);
    forms[form].run(area + at, &s);
    race_note(me, digest(&s, sizeof s));
  }
}

static uint32_t content(void) {
  return digest(area, sizeof area);
}

int main(int argc, char **argv) {
  if (argc > 3) only = atoi(argv[3]);
  return race_run(argc, argv, 2000, run, content);
}
