/* table.c: finds the row of a number, and the facts that the call's command adds to it. */
#include <linux/fcntl.h>
#include <stdatomic.h>

#include "input/row.h"

enum { NUMBERS = 512, LAST_SECCOMP = 3 };

static const struct input_group *const groups[] = {
    &input_group_files,   &input_group_tree,    &input_group_memory,  &input_group_processes,
    &input_group_signals, &input_group_sockets, &input_group_events,  &input_group_time,
    &input_group_ipc,     &input_group_system,  &input_group_refused,
};

/* Rows by number, and what follows from them. Filled at the first look, perhaps by several threads, each with the same
 * values. */
static const struct input_row *_Atomic by_number[NUMBERS];
static _Atomic uint8_t moves[NUMBERS];
static _Atomic uint16_t descriptors[NUMBERS];
static _Atomic int8_t changed[NUMBERS];
static _Atomic uint16_t facts[NUMBERS];
static _Atomic uint8_t meanings[NUMBERS][INPUT_MEANINGS]; /* number of the argument + 1, 0: none */
static _Atomic bool filled;

static uint8_t moves_of(const struct input_row *row) {
  static const uint8_t access[] = {[INPUT_IN] = INPUT_READS,
                                   [INPUT_OUT] = INPUT_WRITES,
                                   [INPUT_INOUT] = INPUT_READS | INPUT_WRITES,
                                   [INPUT_POINTER] = 0};
  uint8_t all = row->walk ? INPUT_READS | INPUT_WRITES : 0;
  for (unsigned i = 0; i < 6; i++) {
    all |= access[row->args[i].kind];
    /* The structure itself is read. */
    if (row->args[i].rule == RULE_VECTOR || row->args[i].rule == RULE_SOCKADDR) all |= INPUT_READS;
  }
  return all;
}

static uint16_t descriptors_of(const struct input_row *row) {
  unsigned all = 0;
  for (unsigned i = 0; i < 6; i++) {
    const struct input_arg *arg = &row->args[i];
    if (arg->kind == INPUT_FD) all |= 1U << i | (arg->flags & OF_NEXT ? 1U << (i + INPUT_FOLDERS) : 0);
    if (arg->kind == INPUT_POINTER && arg->flags & BY_COMMAND) all |= 1U << i;
  }
  return (uint16_t)all;
}

static int8_t changed_of(const struct input_row *row) {
  for (int8_t i = 0; i < 6; i++)
    if (row->args[i].kind == INPUT_FD && row->args[i].flags & CHANGED) return i;
  return -1;
}

static uint16_t facts_of(const struct input_row *row) {
  bool stores = changed_of(row) == 0 && row->args[1].kind == INPUT_IN;
  return row->facts | (stores ? INPUT_STORES : 0);
}

static void fill_meanings(const struct input_row *row) {
  for (unsigned i = 0; i < 6; i++)
    if (row->args[i].means)
      atomic_store_explicit(&meanings[row->nr][row->args[i].means], (uint8_t)(i + 1), memory_order_relaxed);
}

static void fill(void) {
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    for (size_t j = 0; j < groups[i]->count; j++) {
      const struct input_row *row = &groups[i]->rows[j];
      if (row->nr >= NUMBERS) continue;
      atomic_store_explicit(&by_number[row->nr], row, memory_order_relaxed);
      atomic_store_explicit(&moves[row->nr], moves_of(row), memory_order_relaxed);
      atomic_store_explicit(&descriptors[row->nr], descriptors_of(row), memory_order_relaxed);
      atomic_store_explicit(&changed[row->nr], changed_of(row), memory_order_relaxed);
      atomic_store_explicit(&facts[row->nr], facts_of(row), memory_order_relaxed);
      fill_meanings(row);
    }
  atomic_store_explicit(&filled, true, memory_order_release);
}

const struct input_row *input_row(long nr) {
  if ((unsigned long)nr >= NUMBERS) return NULL;
  if (!atomic_load_explicit(&filled, memory_order_acquire)) fill();
  return atomic_load_explicit(&by_number[nr], memory_order_relaxed);
}

unsigned input_facts(long nr) {
  return input_row(nr) ? atomic_load_explicit(&facts[nr], memory_order_relaxed) : 0;
}

unsigned input_descriptors(long nr) {
  return input_row(nr) ? atomic_load_explicit(&descriptors[nr], memory_order_relaxed) : 0;
}

int input_changed(long nr) {
  return input_row(nr) ? atomic_load_explicit(&changed[nr], memory_order_relaxed) : -1;
}

int input_argument(long nr, enum input_meaning meaning) {
  return input_row(nr) ? atomic_load_explicit(&meanings[nr][meaning], memory_order_relaxed) - 1 : -1;
}

int input_path(long nr) {
  const struct input_row *row = input_row(nr);
  for (int i = 0; row && i < 6; i++)
    if (row->args[i].rule == RULE_STRING && row->args[i].size == PATH_LIMIT) return i;
  return -1;
}

bool input_opens(long nr, const long args[6], input_read *read, void *context, struct input_opening *how) {
  int flags = input_argument(nr, INPUT_OPEN_FLAGS), structure = input_argument(nr, INPUT_OPEN_HOW);
  bool created = input_argument(nr, INPUT_CREATED) >= 0, emptied = input_argument(nr, INPUT_EMPTIED) >= 0;
  int path = input_path(nr);
  if (flags < 0 && structure < 0 && !created && !emptied) return false;
  *how = (struct input_opening){.folder = AT_FDCWD, .certain = structure < 0, .descriptor = !emptied};
  if (path >= 0) how->path = (uintptr_t)args[path];
  if (path > 0 && input_row(nr)->args[path - 1].flags & OF_NEXT) how->folder = (int)args[path - 1];
  if (flags >= 0) how->flags = (uint64_t)args[flags];
  if (created) how->flags = O_WRONLY | O_CREAT | O_TRUNC;
  if (emptied) how->flags = O_WRONLY | O_TRUNC;
  return structure < 0 || !read(context, &how->flags, (uintptr_t)args[structure], sizeof how->flags);
}

bool input_is_descriptor(long nr, const long args[6], unsigned argument) {
  const struct input_row *row = input_row(nr);
  if (!row || row->args[argument].kind != INPUT_POINTER) return row && row->args[argument].kind == INPUT_FD;
  const struct input_command *command = ioctl_command((uint32_t)args[1]);
  return command && command->kind == INPUT_FD;
}

long input_limit(void) {
  long nr = NUMBERS;
  while (nr > 0 && !input_row(nr - 1)) nr--;
  return nr;
}

const struct input_command *input_find_command(const struct input_command *table, size_t count,
                                               uint32_t command) {
  for (size_t i = 0; i < count; i++)
    if (table[i].command == command) return &table[i];
  return NULL;
}

/* A command that is not in the table of its call may write memory in an unknown way: it is answered as by a kernel without it. */
static const struct input_command *known_or_refused(const struct input_command *command, long nr) {
  static const struct input_command unknown = {0, INPUT_REFUSE, EINVAL, INPUT_VALUE, 0, NULL, NULL};
  static const struct input_command unknown_key = {0, INPUT_REFUSE, EOPNOTSUPP, INPUT_VALUE, 0, NULL, NULL};
  if (command) return command;
  return nr == __NR_keyctl ? &unknown_key : &unknown;
}

static const struct input_command *command_of(const struct input_call *call) {
  const long *args = call->args;
  switch (call->nr) {
    case __NR_ioctl:
      return ioctl_command((uint32_t)args[1]);
    case __NR_fcntl:
      return known_or_refused(fcntl_command((uint32_t)args[1]), call->nr);
    case __NR_prctl:
      return known_or_refused(prctl_command((uint32_t)args[0]), call->nr);
#ifdef __NR_arch_prctl
    case __NR_arch_prctl:
      return known_or_refused(arch_prctl_command((uint32_t)args[0]), call->nr);
#endif
    case __NR_keyctl:
      return known_or_refused(keyctl_command((uint32_t)args[0]), call->nr);
    case __NR_quotactl:
      return known_or_refused(quota_command((uint32_t)args[0]), call->nr);
    case __NR_quotactl_fd:
      return known_or_refused(quota_command((uint32_t)args[1]), call->nr);
    case __NR_seccomp:
      return (uint32_t)args[0] > LAST_SECCOMP ? known_or_refused(NULL, call->nr) : NULL;
    case __NR_setsockopt:
    case __NR_getsockopt:
      return sockopt_command((int)args[1], (int)args[2]);
    case __NR_ptrace:
      return ptrace_command((uint32_t)args[0]);
    default:
      return NULL;
  }
}

int input_never(long nr, const long args[6]) {
  if (input_facts(nr) & INPUT_ALWAYS) return input_row(nr)->error;
  const struct input_command *command = nr == __NR_prctl ? prctl_command((uint32_t)args[0]) : NULL;
  return command && command->size == ALWAYS_REFUSED ? command->error : 0;
}

void input_classify(struct input_call *call) {
  const struct input_row *row = input_row(call->nr);
  call->row = row;
  call->replay = INPUT_REFUSE;
  call->error = ENOSYS;
  call->moves = 0;
  call->compares = false;
  if (!row) return;
  const struct input_command *command = command_of(call);
  call->error = command ? command->error : row->error;
  call->replay = command ? command->replay : row->replay;
  if (call->replay != INPUT_REFUSE && call->replay != INPUT_UNSUPPORTED)
    call->moves = atomic_load_explicit(&moves[call->nr], memory_order_relaxed);
  call->compares = call->nr == __NR_ioctl && (!command || command->size == COMPARED_SIZE);
  /* These have no memory but what the command's argument points to. */
  if (command && command->kind < INPUT_IN && (call->nr == __NR_fcntl || call->nr == __NR_ioctl))
    call->moves = 0;
}

enum input_replay input_replay(const struct input_call *call, int *error) {
  *error = call->error;
  return (enum input_replay)call->replay;
}

const char *input_command(const struct input_call *call) {
  const struct input_command *command = command_of(call);
  return command ? command->name : NULL;
}
