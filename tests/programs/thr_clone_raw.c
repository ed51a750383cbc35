/* The clone system call by hand: CLONE_SETTLS, own stack, tid words, an exit that clears and wakes. */
#include "thr_futex.h"

#include <sched.h>

#include "check.h"

enum { THREADS = 8 };

struct child {
  uint64_t self, number, result; /* what the thread pointer points at: the first word is its own address */
  _Atomic int parent_tid, child_tid;
  int tid_seen;
  unsigned char stack[4096] __attribute__((aligned(16)));
};

static struct child child[THREADS];

/* The child runs on its own stack, without the C library, finds its block through the thread pointer and leaves. */
long raw_clone(unsigned long flags, void *stack, _Atomic int *ptid, _Atomic int *ctid, void *tls);
#if defined(__x86_64__)
__asm__(
    ".text\n"
    "raw_clone:\n"
    "  mov %rcx, %r10\n"
    "  mov $56, %eax\n"
    "  syscall\n"
    "  test %rax, %rax\n"
    "  jz 1f\n"
    "  ret\n"
    "1: mov %fs:8, %rcx\n" /* number */
    "  xor %eax, %eax\n"
    "2: push %rcx\n" /* sums number * 1000 .. 1 over the new stack */
    "  add (%rsp), %rax\n"
    "  pop %rcx\n"
    "  dec %rcx\n"
    "  jnz 2b\n"
    "  mov %rax, %fs:16\n"
    "  mov $186, %eax\n" /* gettid */
    "  syscall\n"
    "  mov %eax, %fs:32\n"
    "  xor %edi, %edi\n"
    "  mov $60, %eax\n" /* exit: this thread only */
    "  syscall\n"
    "  ud2\n");
#else
__asm__(
    ".text\n"
    "raw_clone:\n"
    "  mov x5, x3\n" /* the kernel wants the thread pointer first */
    "  mov x3, x4\n"
    "  mov x4, x5\n"
    "  mov x8, 220\n"
    "  svc 0\n"
    "  cbz x0, 1f\n"
    "  ret\n"
    "1: mrs x9, tpidr_el0\n"
    "  ldr x1, [x9, 8]\n" /* number */
    "  mov x0, 0\n"
    "2: str x1, [sp, -16]!\n" /* sums number * 1000 .. 1 over the new stack */
    "  ldr x2, [sp]\n"
    "  add x0, x0, x2\n"
    "  ldr x1, [sp], 16\n"
    "  subs x1, x1, 1\n"
    "  b.ne 2b\n"
    "  str x0, [x9, 16]\n"
    "  mov x8, 178\n" /* gettid */
    "  svc 0\n"
    "  str w0, [x9, 32]\n"
    "  mov x0, 0\n"
    "  mov x8, 93\n" /* exit: this thread only */
    "  svc 0\n"
    "  .inst 0\n");
#endif

int main(void) {
  CHECK(__builtin_offsetof(struct child, tid_seen) == 32);
  const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                              CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID |
                              CLONE_CHILD_CLEARTID;
  for (uint64_t i = 0; i < THREADS; i++) {
    struct child *c = &child[i];
    c->self = (uintptr_t)c;
    c->number = (i + 1) * 1000;
    atomic_store(&c->child_tid, -1);
    long tid = raw_clone(flags, c->stack + sizeof c->stack, &c->parent_tid, &c->child_tid, c);
    CHECK(tid > 0 && tid == atomic_load(&c->parent_tid));
  }
  for (int i = 0; i < THREADS; i++) {
    struct child *c = &child[i];
    for (int word; (word = atomic_load(&c->child_tid)) != 0;)
      futex(&c->child_tid, FUTEX_WAIT, (uint32_t)word, NULL, NULL, 0);
    CHECK(c->tid_seen == atomic_load(&c->parent_tid));
    printf("thread %d: %lu\n", i, (unsigned long)c->result);
  }
  CHECK(raw_clone(CLONE_THREAD, NULL, NULL, NULL, NULL) == -EINVAL);
  return 0;
}
