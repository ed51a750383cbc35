/* ipc.c: System V messages, semaphores and shared memory.
 *
 * The control calls of all three have the same commands, which tell what they read or write at the address. */
#include <linux/ipc.h>
#include <linux/msg.h>
#include <linux/sem.h>
#include <linux/shm.h>

#include "input/row.h"

/* Besides the long that is the message's type. */
enum { TYPE = 8, SEMAPHORES_LIMIT = 32000 };

void walk_msgsnd(struct input_walk *w) {
  walk_in(w, walk_argument(w, 1), TYPE + (size_t)w->call->args[2]);
}

void walk_msgrcv(struct input_walk *w) {
  walk_out(w, walk_argument(w, 1), TYPE + (size_t)w->call->args[2], w->failed ? 0 : TYPE + (size_t)w->result);
}

/* The commands that all three have, under numbers of their own, and the sizes of their structures. */
struct control {
  unsigned stat, stat_any, info;
  size_t set_bytes, limits_bytes, info_bytes;
};

/* Other commands have nothing in memory. The version flag of old programs does not matter. */
static void control(struct input_walk *w, const struct control *c, unsigned command, struct place at) {
  command &= ~(unsigned)IPC_64;
  if (command == IPC_SET)
    walk_in(w, at, c->set_bytes);
  else if (command == IPC_STAT || command == c->stat || command == c->stat_any)
    walk_out(w, at, c->set_bytes, c->set_bytes);
  else if (command == IPC_INFO)
    walk_out(w, at, c->limits_bytes, c->limits_bytes);
  else if (command == c->info)
    walk_out(w, at, c->info_bytes, c->info_bytes);
}

void walk_msgctl(struct input_walk *w) {
  static const struct control messages = {MSG_STAT,
                                          MSG_STAT_ANY,
                                          MSG_INFO,
                                          sizeof(struct msqid64_ds),
                                          sizeof(struct msginfo),
                                          sizeof(struct msginfo)};
  control(w, &messages, (unsigned)w->call->args[1], walk_argument(w, 2));
}

void walk_shmctl(struct input_walk *w) {
  static const struct control segments = {SHM_STAT,
                                          SHM_STAT_ANY,
                                          SHM_INFO,
                                          sizeof(struct shmid64_ds),
                                          sizeof(struct shminfo64),
                                          sizeof(struct shm_info)};
  control(w, &segments, (unsigned)w->call->args[1], walk_argument(w, 2));
}

/* How many semaphores a set has is known to the kernel alone: the caller asks it (input.h). */
void walk_semctl(struct input_walk *w) {
  struct place at = walk_argument(w, 3);
  unsigned command = (unsigned)w->call->args[2];
  size_t count = w->call->semaphores > SEMAPHORES_LIMIT ? SEMAPHORES_LIMIT : w->call->semaphores;
  static const struct control semaphores = {SEM_STAT,
                                            SEM_STAT_ANY,
                                            SEM_INFO,
                                            sizeof(struct semid64_ds),
                                            sizeof(struct seminfo),
                                            sizeof(struct seminfo)};
  switch (command & ~(unsigned)IPC_64) {
    case GETALL:
      walk_out(w, at, count * 2, count * 2);
      break;
    case SETALL:
      /* Nothing tells the count in replay: the values are not compared there. */
      if (w->pass == PASS_REACH) walk_in(w, at, count * 2);
      break;
    default:
      control(w, &semaphores, command, at);
      break;
  }
}
