/* structures.c: walkers for calls about processes, memory and waiting whose structures hold pointers, or are written
 * only in part. */
#include "input/row.h"

enum { POLLFD = 8, REVENTS_AT = 6, RUSAGE = 144, SCHED_ATTR_FIRST = 48, SIGEVENT = 64, COOKIE = 32 };
enum { CAPABILITY_V1 = 0x19980330, POLLS_LIMIT = 1 << 20 };

static size_t transferred(const struct input_walk *w) {
  return w->failed ? 0 : (size_t)w->result;
}

/* -- Waiting --------------------------------------------------------------------------------------------- */

/* Of each entry only the returned events are written: with EINTR as well. */
void walk_poll(struct input_walk *w) {
  struct place at = walk_argument(w, 0);
  size_t count = (uint32_t)w->call->args[1];
  if (count > POLLS_LIMIT) return;
  walk_inout_fields(w, at, count * POLLFD);
  if (w->pass != PASS_INCOMING || (w->failed && w->result != -EINTR)) return;
  for (size_t i = 0; i < count && !w->status; i++)
    walk_piece(w, walk_part(at, i * POLLFD + REVENTS_AT), INPUT_WRITES, 2, 2, true);
}

/* The last argument is a pair: the signal mask and its size. */
void walk_pselect6(struct input_walk *w) {
  struct place pair = walk_argument(w, 5);
  uint64_t bytes;
  if (!pair.address) return;
  walk_in(w, pair, 16);
  if (walk_u64(w, pair.address + 8, &bytes) && bytes <= 128) walk_in(w, walk_pointer(w, pair, 0), bytes);
}

void walk_epoll_ctl(struct input_walk *w) {
  enum { CTL_DELETE = 2, PACKED = 12 };
#if defined(__x86_64__)
  size_t bytes = PACKED;
#else
  size_t bytes = 16;
#endif
  if ((int)w->call->args[1] != CTL_DELETE) walk_in(w, walk_argument(w, 3), bytes);
}

/* waitid fills in the siginfo whatever its result, all but the hole after si_code, and the usage only when there was
 * a child: the result does not tell. */
void walk_waitid(struct input_walk *w) {
  struct place info = walk_argument(w, 2), usage = walk_argument(w, 4);
  if (w->pass == PASS_INCOMING) {
    uint32_t signo = 1;
    walk_piece(w, info, INPUT_WRITES, 12, 12, true);
    if (info.address) walk_piece(w, walk_part(info, 16), INPUT_WRITES, 12, 12, true);
    if (!info.address || (walk_u32(w, info.address, &signo) && signo))
      walk_piece(w, usage, INPUT_WRITES | INPUT_PARTIAL, RUSAGE, RUSAGE, false);
    return;
  }
  walk_piece(w, info, INPUT_WRITES | INPUT_PARTIAL, 28, 0, false);
  walk_piece(w, usage, INPUT_WRITES | INPUT_PARTIAL, RUSAGE, 0, false);
}

/* -- Programs and threads -------------------------------------------------------------------------------- */

void walk_execve(struct input_walk *w) {
  walk_strings(w, walk_argument(w, 1));
  walk_strings(w, walk_argument(w, 2));
}

void walk_execveat(struct input_walk *w) {
  walk_strings(w, walk_argument(w, 2));
  walk_strings(w, walk_argument(w, 3));
}

enum { CLONE_PIDFD_FLAG = 0x1000, CLONE_PARENT_SETTID_FLAG = 0x100000 };

/* The child's own word is written by the child. */
void walk_clone(struct input_walk *w) {
  if (w->call->args[0] & (CLONE_PIDFD_FLAG | CLONE_PARENT_SETTID_FLAG))
    walk_out(w, walk_argument(w, 2), 4, 4);
}

/* struct clone_args, by word: flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls,
 * set_tid, set_tid_size, cgroup. */
void walk_clone3(struct input_walk *w) {
  enum { LIMIT = 4096, IDS_AT = 64, IDS_END = 80, IDS_LIMIT = 32 };
  struct place at = walk_argument(w, 0);
  size_t bytes = (size_t)w->call->args[1];
  uint64_t flags, ids;
  if (bytes > LIMIT) return;
  walk_in(w, at, bytes);
  if (bytes < IDS_AT || !walk_u64(w, at.address, &flags)) return;
  if (flags & CLONE_PIDFD_FLAG) walk_out(w, walk_pointer(w, at, 8), 4, 4);
  if (flags & CLONE_PARENT_SETTID_FLAG) walk_out(w, walk_pointer(w, at, 24), 4, 4);
  if (bytes >= IDS_END && walk_u64(w, at.address + IDS_END - 8, &ids) && ids <= IDS_LIMIT)
    walk_in(w, walk_pointer(w, at, IDS_AT), ids * 4);
}

/* The kernel's own size is written where the caller's is too large. */
void walk_sched_setattr(struct input_walk *w) {
  struct place at = walk_argument(w, 1);
  uint32_t bytes;
  if (!walk_note(w, at.address, &bytes)) return;
  if (!bytes) bytes = SCHED_ATTR_FIRST;
  if (bytes > 4096) bytes = 4096;
  if (w->pass != PASS_INCOMING)
    walk_piece(w, at, INPUT_READS | INPUT_WRITES | INPUT_PARTIAL, bytes, bytes, false);
  else if (w->result == -E2BIG)
    walk_piece(w, at, INPUT_WRITES, 4, 4, true);
}

/* An unknown version is answered with the kernel's; a known one decides how much there is. */
static size_t capability_bytes(struct input_walk *w, struct place header) {
  uint32_t version;
  return walk_note(w, header.address, &version) && version == CAPABILITY_V1 ? 12 : 24;
}

static void capability_header(struct input_walk *w, struct place header) {
  walk_inout_fields(w, header, 8);
  if (w->pass == PASS_INCOMING) walk_piece(w, header, INPUT_WRITES | INPUT_PARTIAL, 4, 4, true);
}

void walk_capget(struct input_walk *w) {
  struct place header = walk_argument(w, 0);
  capability_header(w, header);
  walk_out(w, walk_argument(w, 1), capability_bytes(w, header), 24);
}

void walk_capset(struct input_walk *w) {
  struct place header = walk_argument(w, 0);
  capability_header(w, header);
  walk_in(w, walk_argument(w, 1), capability_bytes(w, header));
}

/* -- Memory ---------------------------------------------------------------------------------------------- */

/* Which way the data goes depends on the end of the pipe. The pages themselves go into it. */
void walk_vmsplice(struct input_walk *w) {
  unsigned flags = INPUT_READS | INPUT_WRITES | INPUT_PARTIAL | INPUT_IN_PLACE;
  walk_vector(w, walk_argument(w, 1), (uint64_t)w->call->args[2], flags, transferred(w));
}

/* The other side is of interest when it is the caller itself. */
void walk_process_vm(struct input_walk *w) {
  bool reads = w->call->nr == __NR_process_vm_readv, self = (int)w->call->args[0] == w->call->pid;
  unsigned remote = reads ? INPUT_READS : INPUT_WRITES;
  size_t remote_count = (size_t)w->call->args[4];
  walk_vector(w, walk_argument(w, 1), (uint64_t)w->call->args[2], reads ? INPUT_WRITES : INPUT_READS,
              transferred(w));
  if (self)
    walk_vector(w, walk_argument(w, 3), remote_count, remote | INPUT_IN_PLACE, transferred(w));
  else if (remote_count <= 1024)
    walk_in(w, walk_argument(w, 3), remote_count * 16);
}

void walk_kexec(struct input_walk *w) {
  enum { SEGMENT = 32, SEGMENTS_LIMIT = 16 };
  struct place array = walk_argument(w, 2);
  size_t count = (size_t)w->call->args[1];
  uint64_t bytes;
  if (count > SEGMENTS_LIMIT) return;
  walk_in(w, array, count * SEGMENT);
  for (size_t i = 0; i < count; i++)
    if (walk_u64(w, array.address + i * SEGMENT + 8, &bytes))
      walk_in(w, walk_pointer(w, array, i * SEGMENT), bytes);
}

/* -- Notifications --------------------------------------------------------------------------------------- */

/* A notification by thread has a cookie that is read from where its value points. */
void walk_mq_notify(struct input_walk *w) {
  enum { BY_THREAD = 2 };
  struct place at = walk_argument(w, 1);
  uint32_t how;
  if (!at.address) return;
  walk_in(w, at, SIGEVENT);
  if (walk_u32(w, at.address + 12, &how) && how == BY_THREAD) walk_in(w, walk_pointer(w, at, 0), COOKIE);
}
