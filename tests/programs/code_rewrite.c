/* A function in writable and executable memory is rewritten and called 10,000 times. */
#include "jit.h"

#if defined(__x86_64__)
static byte *put_nop(byte *p) {
  return jit_bytes(p, "\x90", 1);
}
/* xor eax, eax */
static byte *put_zero(byte *p) {
  return jit_bytes(p, "\x31\xc0", 2);
}
/* mov eax, value */
static byte *put_value(byte *p, uint32_t value) {
  return jit_u32(jit_bytes(p, "\xb8", 1), value);
}
/* inc eax */
static byte *put_increment(byte *p) {
  return jit_bytes(p, "\xff\xc0", 2);
}
static byte *put_return(byte *p) {
  return jit_bytes(p, "\xc3", 1);
}
#else
static byte *put_nop(byte *p) {
  return jit_u32(p, 0xd503201f);
}
/* eor w0, w0, w0 */
static byte *put_zero(byte *p) {
  return jit_u32(p, 0x4a000000);
}
/* movz w0, value */
static byte *put_value(byte *p, uint32_t value) {
  return jit_u32(p, 0x52800000 | value << 5);
}
/* add w0, w0, 1 */
static byte *put_increment(byte *p) {
  return jit_u32(p, 0x11000400);
}
static byte *put_return(byte *p) {
  return jit_u32(p, 0xd65f03c0);
}
#endif

int main(void) {
  byte *p = jit_map(JIT_PAGE);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 10000; i++) {
    jit_constant(p, i * 2654435761u);
    uint32_t got = jit_call(p);
    CHECK(got == i * 2654435761u);
    sum += got;
  }
  printf("sum %016lx\n", (unsigned long)sum);
  /* the same place, another length and another shape every time */
  for (uint32_t i = 0; i < 1000; i++) {
    byte *q = p;
    for (uint32_t k = 0; k < i % 13; k++) q = put_nop(q);
    q = i & 1 ? put_zero(q) : put_value(q, i);
    for (uint32_t k = 0; k < i % 7; k++) q = put_increment(q);
    jit_announce(p, put_return(q));
    CHECK(jit_call(p) == (i & 1 ? 0 : i) + i % 7);
  }
  puts("shapes right");
  return 0;
}
