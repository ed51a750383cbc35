/* A program may copy its signal frame elsewhere and return from the copy, or from a frame kept from
 * earlier. */
#include "sys_helpers.h"

static char copy[1 << 16] __attribute__((aligned(64)));
static volatile int passes, handled;

void return_from(void *frame);
__asm__(
    ".text\n"
    "return_from: mov %rdi, %rsp\n mov $15, %eax\n syscall\n");

/* Copies the frame to static memory and returns from there with another pc and register. */
static void on_illegal(int sig, siginfo_t *info, void *context) {
  char *frame = (char *)context, *floats = (char *)((ucontext_t *)context)->uc_mcontext.fpregs;
  (void)sig;
  handled++;
  unsigned extended = *(unsigned *)(floats + 468); /* size of the float state with its end mark */
  long span = floats + extended - frame;
  CHECK(span > 0 && span < (long)sizeof copy - 64 && (char *)info > frame);
  char *target = copy + ((long)frame & 63); /* the float state keeps its alignment */
  memcpy(target, frame, span);
  ucontext_t *moved = (ucontext_t *)target;
  moved->uc_mcontext.fpregs = (void *)(target + (floats - frame));
  REG(moved, REG_RIP) += 2;
  REG(moved, REG_RCX) = 1000 + handled;
  memset(frame, 0, sizeof(ucontext_t) / 2); /* the first one is of no use any more */
  return_from(target);
}

int main(void) {
  handle(SIGILL, on_illegal, 0);
  for (int i = 0; i < 3; i++) {
    long result = 0;
    __asm__ volatile("ud2" : "+c"(result)::"memory");
    say("came back with %ld, blocked %d\n", result, is_blocked(SIGILL));
    passes++;
  }
  say("handled %d passes %d\n", handled, passes);
  return 0;
}
