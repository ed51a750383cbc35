/* makecontext and swapcontext: arguments, uc_link, 100,000 switches, a context that is abandoned. */
#include <stdlib.h>
#include <ucontext.h>

#include "check.h"

enum { STACK = 64 << 10 };

static ucontext_t main_context, left, right;
static long count, checksum;

static void *new_stack(ucontext_t *c, ucontext_t *link) {
  CHECK(getcontext(c) == 0);
  c->uc_stack.ss_sp = malloc(STACK);
  c->uc_stack.ss_size = STACK;
  c->uc_link = link;
  return c->uc_stack.ss_sp;
}

static void player(int sign, int start, int a, int b, int c, int d) {
  CHECK(a == 3 && b == 4 && c == 5 && d == 6);
  ucontext_t *me = sign > 0 ? &left : &right, *other = sign > 0 ? &right : &left;
  double scale = start / 2.0; /* floating-point state belongs to the context's frame */
  for (int i = 0; i < 50000; i++) {
    count++;
    checksum = checksum * 3 + sign * i;
    scale += 0.5;
    CHECK(swapcontext(me, other) == 0);
  }
  printf("player %d: scale %.1f\n", sign, scale);
}

static void link_end(void) {
  puts("second context ran to its end");
}

int main(void) {
  void *a = new_stack(&left, &main_context), *b = new_stack(&right, &main_context);
  makecontext(&left, (void (*)(void))player, 6, 1, 10, 3, 4, 5, 6);
  makecontext(&right, (void (*)(void))player, 6, -1, 20, 3, 4, 5, 6);
  CHECK(swapcontext(&main_context, &left) == 0);
  printf("count %ld, checksum %016lx\n", count, (unsigned long)checksum); /* right is left hanging */
  free(b);
  b = new_stack(&right, &main_context);
  makecontext(&right, link_end, 0);
  CHECK(swapcontext(&main_context, &right) == 0);
  static volatile int passes;
  ucontext_t again;
  CHECK(getcontext(&again) == 0);
  if (passes++ < 1000) setcontext(&again);
  printf("setcontext passes %d\n", passes);
  free(a);
  free(b);
  return 0;
}
