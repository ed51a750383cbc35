/* A handler starts with fresh mxcsr and x87 control words, may change them, and the interrupted ones come
 * back. */
#include "sys_helpers.h"

static unsigned get_mxcsr(void) {
  unsigned value;
  __asm__ volatile("stmxcsr %0" : "=m"(value));
  return value;
}
static void set_mxcsr(unsigned value) {
  __asm__ volatile("ldmxcsr %0" ::"m"(value));
}
static unsigned short get_control(void) {
  unsigned short value;
  __asm__ volatile("fnstcw %0" : "=m"(value));
  return value;
}
static void set_control(unsigned short value) {
  __asm__ volatile("fldcw %0" ::"m"(value));
}
static unsigned short get_status(void) {
  unsigned short value;
  __asm__ volatile("fnstsw %0" : "=m"(value));
  return value;
}

static void on_signal(int sig, siginfo_t *info, void *context) {
  struct _libc_fpstate *saved = ((ucontext_t *)context)->uc_mcontext.fpregs;
  (void)sig, (void)info;
  say("in the handler: mxcsr %x control %x status %x\n", get_mxcsr(), get_control(), get_status());
  say("saved: mxcsr %x control %x status %x tag %x\n", saved->mxcsr, saved->cwd, saved->swd, saved->ftw);
  set_mxcsr(0x3f80), set_control(0x77f);
  __asm__ volatile("fldz\n fldz\n fldz");
}

int main(void) {
  double top = 0;
  handle(SIGUSR1, on_signal, 0);
  set_mxcsr(0x7fc0), set_control(0x0f7f);
  __asm__ volatile("fld1\n fldpi");
  CHECK(raise(SIGUSR1) == 0);
  say("after: mxcsr %x control %x status %x\n", get_mxcsr(), get_control(), get_status());
  __asm__ volatile("fstpl %0" : "=m"(top));
  say("x87 top %.17g ", top);
  __asm__ volatile("fstpl %0" : "=m"(top));
  say("below %.17g\n", top);
  return 0;
}
