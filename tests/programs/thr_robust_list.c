/* set_robust_list and get_robust_list directly: the kernel walks the list when the thread ends. */
#include "thr_futex.h"

#include <pthread.h>
#include <stddef.h>

#include "check.h"

struct node {
  struct robust_list list;
  _Atomic uint32_t word;
};

static struct node a, b, pending;
static struct robust_list_head head;

static void *die(void *arg) {
  uint32_t tid = (uint32_t)syscall(SYS_gettid);
  struct robust_list_head *found;
  size_t length;
  CHECK(syscall(SYS_get_robust_list, 0, &found, &length) == 0);
  CHECK(length == sizeof head);
  head.futex_offset = offsetof(struct node, word);
  head.list.next = &a.list;
  a.list.next = &b.list;
  b.list.next = &head.list;
  head.list_op_pending = &pending.list;
  atomic_store(&a.word, tid);
  atomic_store(&b.word, tid | FUTEX_WAITERS);
  atomic_store(&pending.word, tid);
  CHECK(syscall(SYS_set_robust_list, &head, sizeof head) == 0);
  CHECK(syscall(SYS_get_robust_list, 0, &found, &length) == 0 && found == &head);
  CHECK(syscall(SYS_set_robust_list, &head, 8) == -1 && errno == EINVAL);
  syscall(SYS_exit, 0);
  return arg;
}

static void *wait_for_owner(void *arg) {
  uint32_t word;
  while (!((word = atomic_load(&b.word)) & FUTEX_OWNER_DIED)) futex(&b.word, FUTEX_WAIT, word, NULL, NULL, 0);
  return arg;
}

int main(void) {
  pthread_t t, waiter;
  CHECK(pthread_create(&waiter, NULL, wait_for_owner, NULL) == 0);
  CHECK(pthread_create(&t, NULL, die, NULL) == 0 && pthread_join(t, NULL) == 0);
  CHECK(pthread_join(waiter, NULL) == 0);
  printf("a %08x, b %08x, pending %08x\n", atomic_load(&a.word), atomic_load(&b.word),
         atomic_load(&pending.word));
  return 0;
}
