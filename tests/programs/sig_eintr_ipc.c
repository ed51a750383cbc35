/* msgrcv, msgsnd, semop, semtimedop end with EINTR whatever the flags; mq_receive and eventfd reads
 * restart. */
#include "sig_interrupt.h"
#include <fcntl.h>
#include <mqueue.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

static int queue, semaphores, event;
static mqd_t posix_queue;
static struct {
  long type;
  char text[8192];
} message = {.type = 1};

static long do_msgrcv(void) {
  return msgrcv(queue, &message, sizeof message.text, 77, 0);
}
static long do_msgsnd(void) {
  return msgsnd(queue, &message, sizeof message.text, 0);
}
static long do_semop(void) {
  return semop(semaphores, &(struct sembuf){0, -1, 0}, 1);
}
static long do_semtimedop(void) {
  return semtimedop(semaphores, &(struct sembuf){0, -1, 0}, 1, &(struct timespec){60, 0});
}
static long do_mq_receive(void) {
  return mq_receive(posix_queue, message.text, sizeof message.text, NULL);
}
static long do_eventfd(void) {
  return read(event, message.text, 8);
}
static void send_posix(void) {
  CHECK(mq_send(posix_queue, "four", 4, 1) == 0);
}
static void add_event(void) {
  CHECK(eventfd_write(event, 3) == 0);
}

int main(void) {
  CHECK((queue = msgget(IPC_PRIVATE, 0600)) >= 0 && (semaphores = semget(IPC_PRIVATE, 1, 0600)) >= 0);
  CHECK((event = eventfd(0, 0)) >= 0);
  char name[64];
  snprintf(name, sizeof name, "/queue-%d", getpid());
  CHECK((posix_queue = mq_open(name, O_CREAT | O_RDWR, 0600, NULL)) >= 0 && mq_unlink(name) == 0);
  while (msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0) continue;
  for (int flags = 0;; flags = SA_RESTART) {
    interrupted("msgrcv", flags, do_msgrcv);
    interrupted("msgsnd", flags, do_msgsnd);
    interrupted("semop", flags, do_semop);
    interrupted("semtimedop", flags, do_semtimedop);
    if (flags) break;
  }
  interrupted("mq_receive", 0, do_mq_receive);
  restarted("mq_receive", do_mq_receive, send_posix);
  interrupted("eventfd", 0, do_eventfd);
  restarted("eventfd", do_eventfd, add_event);
  CHECK(msgctl(queue, IPC_RMID, NULL) == 0 && semctl(semaphores, 0, IPC_RMID) == 0);
  return 0;
}
