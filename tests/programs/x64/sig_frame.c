/* The frame a handler gets: stack alignment, arguments on the stack above it, return to the restorer, red
 * zone kept. */
#include "sys_helpers.h"

static siginfo_t *volatile info_argument;
static ucontext_t *volatile context_argument;
static volatile long entry_stack, first_argument, interrupted_stack, return_address, rax_at_entry;

extern char entry[];
void at_entry(long stack, int sig, siginfo_t *info, void *context, long rax);
__asm__(
    ".text\n"
    "entry:\n"
    "  mov %rdx, %rcx\n mov %rsi, %rdx\n mov %edi, %esi\n mov %rsp, %rdi\n mov %rax, %r8\n"
    "  jmp at_entry\n");

void at_entry(long stack, int sig, siginfo_t *info, void *context, long rax) {
  entry_stack = stack, first_argument = sig, info_argument = info, context_argument = context;
  interrupted_stack = REG(context, REG_RSP), return_address = *(long *)stack, rax_at_entry = rax;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = (void (*)(int, siginfo_t *, void *))entry,
                             .sa_flags = SA_SIGINFO};
  struct {
    long handler, flags, restorer, mask;
  } raw;
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  CHECK(syscall(13 /* rt_sigaction */, SIGUSR1, NULL, &raw, 8L) == 0);
  CHECK(raise(SIGUSR1) == 0);
  say("signal %ld, stack %% 16 = %ld, rax %ld\n", first_argument, entry_stack % 16, rax_at_entry);
  say("returns to the restorer %d\n", return_address == raw.restorer);
  say("context at stack+%ld, info at stack+%ld\n", (long)context_argument - entry_stack,
      (long)info_argument - entry_stack);
  say("frame below the red zone %d\n", (long)(info_argument + 1) <= interrupted_stack - 128);
  long state = (long)context_argument->uc_mcontext.fpregs;
  say("float state above the frame %d, aligned to 64 %d, below the red zone %d\n",
      state > (long)info_argument, state % 64 == 0, state < interrupted_stack - 128);
  say("uc_flags %lx uc_link %p cs/gs/fs/ss %llx\n", context_argument->uc_flags,
      (void *)context_argument->uc_link, REG(context_argument, REG_CSGSFS));
  return 0;
}
