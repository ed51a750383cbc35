/* table.c: every system call has its row, under its own name, and the rows make sense. */
#include <fcntl.h>

#include "trial.h"

/* Not calls: where a table begins that some machines have, and how long the table is. */
static bool is_a_call(const char *name) {
  return strcmp(name, "arch_specific_syscall") && strcmp(name, "syscalls");
}

/* The lines that a command prints. */
static void each_line(const char *command, void (*visit)(const char *line, void *context), void *context) {
  char line[1024];
  FILE *lines = popen(command, "r");
  if (!lines) return;
  while (fgets(line, sizeof line, lines)) visit(line, context);
  pclose(lines);
}

/* The compiler's own list of numbers: "#define __NR_name number" lines. */
static bool is_number(const char *line, char name[128], long *nr) {
  return sscanf(line, "#define __NR_%127s %ld", name, nr) == 2 && is_a_call(name);
}

static void check_number(const char *line, void *seen) {
  char name[128], what[200];
  long nr;
  if (!is_number(line, name, &nr)) return;
  const struct input_row *row = input_row(nr);
  snprintf(what, sizeof what, "row of %s (%ld)", name, nr);
  trial_check(what, row && row->nr == nr && !strcmp(row->name, name));
  ++*(unsigned *)seen;
}

static unsigned check_header(void) {
  unsigned seen = 0;
  each_line("echo '#include <asm/unistd.h>' | ${CC:-cc} -E -dM -", check_number, &seen);
  return seen;
}

/* The same for machines that a cross compiler is installed for: their rows as its preprocessor sees them. */
struct machine {
  char names[512][64];
  unsigned rows, seen;
};

static void note_row(const char *line, void *context) {
  struct machine *machine = context;
  char name[64];
  unsigned nr;
  for (const char *at = line; (at = strstr(at, "{\"")); at++)
    if (sscanf(at, "{\"%63[a-z0-9_]\", %u,", name, &nr) == 2 && nr < 512)
      machine->rows++, strcpy(machine->names[nr], name);
}

static void check_row_of(const char *line, void *context) {
  struct machine *machine = context;
  char name[128], what[200];
  long nr;
  if (!is_number(line, name, &nr)) return;
  snprintf(what, sizeof what, "row of %s (%ld) elsewhere", name, nr);
  trial_check(what, nr < 512 && !strcmp(machine->names[nr], name));
  machine->seen++;
}

static void check_machine(const char *compiler) {
  static struct machine machine;
  char command[512];
  snprintf(command, sizeof command, "command -v %s >/dev/null", compiler);
  if (system(command)) return;
  memset(&machine, 0, sizeof machine);
  snprintf(command, sizeof command,
           "folder=${SOURCES:-src}; %s -E -P -I \"$folder\" \"$folder\"/input/rows_*.c", compiler);
  each_line(command, note_row, &machine);
  snprintf(command, sizeof command, "echo '#include <asm/unistd.h>' | %s -E -dM -", compiler);
  each_line(command, check_row_of, &machine);
  trial_check("numbers and rows elsewhere were seen", machine.seen > 250 && machine.rows >= machine.seen);
}

static bool argument_makes_sense(const struct input_row *row, unsigned i) {
  const struct input_arg *arg = &row->args[i];
  if (arg->kind > INPUT_POINTER || arg->with > 5) return false;
  /* What a rule refers to is an argument of the call. */
  if (arg->kind >= INPUT_IN && arg->kind <= INPUT_INOUT && row->args[arg->with].kind == INPUT_NONE)
    return false;
  /* No argument after the last. */
  return arg->kind != INPUT_NONE || i == 5 || row->args[i + 1].kind == INPUT_NONE;
}

static void check_row(const struct input_row *row) {
  char what[200];
  bool good = row->replay <= INPUT_UNSUPPORTED && (row->replay != INPUT_REFUSE || row->error);
  bool pointer = false, sockaddr = false;
  for (unsigned i = 0; i < 6; i++) {
    good = good && argument_makes_sense(row, i);
    pointer = pointer || row->args[i].kind == INPUT_POINTER;
    sockaddr = sockaddr || (row->args[i].kind == INPUT_OUT && row->args[i].with && !row->args[i].size);
  }
  /* A pointer that no rule knows needs a walker, and the other way round. */
  good = good && (pointer ? row->walk || sockaddr : !row->walk || row->replay == INPUT_REFUSE);
  snprintf(what, sizeof what, "sense of %s", row->name);
  trial_check(what, good);
}

/* What the engine makes of a row's facts goes together. */
static void check_facts(const struct input_row *row) {
  char what[200];
  unsigned facts = input_facts(row->nr), descriptors = input_descriptors(row->nr);
  bool good = !(facts & REPLAY_BITS) && !(row->facts & INPUT_STORES);
  if (facts & INPUT_ALWAYS) good = good && row->replay == INPUT_REFUSE;
  if (facts & INPUT_QUICK) good = good && row->replay == INPUT_EMULATE;
  if (facts & (INPUT_PLAIN | INPUT_FILES)) good = good && descriptors & 1;
  if (facts & INPUT_AT_OFFSET) good = good && descriptors & 1 && row->args[3].kind == INPUT_VALUE;
  for (unsigned i = 0; i < 6; i++)
    if (row->args[i].kind == INPUT_FD) good = good && descriptors & 1U << i;
  snprintf(what, sizeof what, "facts of %s", row->name);
  trial_check(what, good);
  /* A path and the folder where it begins: calls that take both say so in their names. */
  size_t length = strlen(row->name);
  bool by_name =
      length > 3 && (!strcmp(row->name + length - 2, "at") || !strcmp(row->name + length - 3, "at2"));
  if (!by_name || row->args[0].kind != INPUT_FD || row->args[1].size != 4096) return;
  snprintf(what, sizeof what, "folder of %s", row->name);
  trial_check(what, descriptors >> INPUT_FOLDERS & 1);
}

/* Calls that open a file, and calls that send a signal: the kernel's names say which these are, and each row must say how. */
static bool opens_by_name(const char *name) {
  static const char *const others[] = {"open_tree", "open_tree_attr", "mq_open",
                                       "fsopen",    "pidfd_open",     "perf_event_open"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strcmp(name, others[i])) return false;
  return strstr(name, "open") || !strcmp(name, "creat") || !strcmp(name, "truncate");
}

static bool sends_by_name(const char *name) {
  return strstr(name, "kill") || strstr(name, "sigqueueinfo") || strstr(name, "send_signal");
}

static long read_nothing(void *context, void *to, uintptr_t from, size_t bytes) {
  (void)context, (void)from;
  memset(to, 0, bytes);
  return 0;
}

static void check_meanings(const struct input_row *row) {
  char what[200];
  long args[6] = {0};
  struct input_opening how;
  bool is_called = row->replay != INPUT_REFUSE && row->replay != INPUT_UNSUPPORTED;
  snprintf(what, sizeof what, "whether %s opens a file", row->name);
  trial_check(what,
              !is_called || input_opens(row->nr, args, read_nothing, NULL, &how) == opens_by_name(row->name));
  bool sends = input_argument(row->nr, INPUT_SIGNAL) >= 0;
  bool has_target = input_argument(row->nr, INPUT_TARGET) >= 0 || input_argument(row->nr, INPUT_PIDFD) >= 0 ||
                    input_argument(row->nr, INPUT_THREAD) >= 0;
  snprintf(what, sizeof what, "whether %s sends a signal, and to whom", row->name);
  trial_check(what, !is_called || (sends == sends_by_name(row->name) && sends == has_target));
  snprintf(what, sizeof what, "the path at which %s looks", row->name);
  trial_check(what, !(input_facts(row->nr) & INPUT_LOOKS) || input_path(row->nr) >= 0);
}

static void check_openings(void) {
  struct input_opening how;
  long at[6] = {7, 4096, O_RDWR | O_CREAT};
  bool opens = input_opens(SYS_openat, at, read_nothing, NULL, &how);
  trial_check("openat opens", opens && how.folder == 7 && how.path == 4096 &&
                                  how.flags == (O_RDWR | O_CREAT) && how.certain && how.descriptor);
  opens = input_opens(SYS_openat2, at, read_nothing, NULL, &how);
  trial_check("openat2 opens", opens && how.folder == 7 && how.path == 4096 && !how.flags && !how.certain);
  long cut[6] = {4096, 5};
  opens = input_opens(SYS_truncate, cut, read_nothing, NULL, &how);
  trial_check("truncate opens, and leaves nothing open",
              opens && how.folder == AT_FDCWD && how.path == 4096 && how.flags & O_TRUNC && !how.descriptor);
  long handle[6] = {7, 4096, O_WRONLY};
  opens = input_opens(SYS_open_by_handle_at, handle, read_nothing, NULL, &how);
  trial_check("open_by_handle_at opens without a path", opens && !how.path && how.flags == O_WRONLY);
  trial_check("tgkill sends to a thread", input_argument(SYS_tgkill, INPUT_TARGET) == 0 &&
                                              input_argument(SYS_tgkill, INPUT_THREAD) == 1 &&
                                              input_argument(SYS_tgkill, INPUT_SIGNAL) == 2);
}

static enum input_replay replay_of(long nr, long first, long second, int *error) {
  long args[6] = {first, second};
  static struct input_call call;
  input_begin(&call, nr, args, NULL, NULL);
  return input_replay(&call, error);
}

static void check_descriptors(void) {
  long args[6] = {0, 0x40049409 /* FICLONE */};
  trial_check("descriptors of renameat2", input_descriptors(SYS_renameat2) == (5 | 5 << INPUT_FOLDERS));
  trial_check("descriptor of mmap", input_descriptors(SYS_mmap) == 1 << 4);
  trial_check("no descriptor of getpid, or of a number without a call",
              !input_descriptors(SYS_getpid) && !input_descriptors(-1) && !input_descriptors(1L << 40));
  trial_check("files that are changed", input_changed(SYS_write) == 0 && input_changed(SYS_splice) == 2 &&
                                            input_changed(SYS_read) < 0 && input_changed(-1) < 0);
  trial_check(
      "calls that write memory to a file",
      input_facts(SYS_write) & input_facts(SYS_pwritev2) & INPUT_STORES &&
          !((input_facts(SYS_sendfile) | input_facts(SYS_ftruncate) | input_facts(SYS_read)) & INPUT_STORES));
  trial_check("descriptor of a command", input_is_descriptor(SYS_ioctl, args, 2));
  args[1] = 0x5401; /* TCGETS */
  trial_check("pointer of a command", !input_is_descriptor(SYS_ioctl, args, 2));
}

static void check_never(void) {
  long args[6] = {59 /* PR_SET_SYSCALL_USER_DISPATCH */};
  trial_check("rseq is never served", input_never(SYS_rseq, args) == ENOSYS);
  trial_check("user dispatch is never served", input_never(SYS_prctl, args) == EINVAL);
  args[0] = 15;
  trial_check("a name may be set", !input_never(SYS_prctl, args));
  trial_check("what only a recording can't have is served without", !input_never(SYS_bpf, args));
}

static void check_commands(void) {
  int error;
  trial_check("prctl of a name is emulated", replay_of(SYS_prctl, 15, 0, &error) == INPUT_EMULATE);
  trial_check("prctl of user dispatch is refused",
              replay_of(SYS_prctl, 59, 0, &error) == INPUT_REFUSE && error == EINVAL);
  trial_check("rseq is refused", replay_of(SYS_rseq, 0, 0, &error) == INPUT_REFUSE && error == ENOSYS);
  trial_check("mmap is executed", replay_of(SYS_mmap, 0, 0, &error) == INPUT_EXECUTE);
  trial_check("ioctl of a virtual machine is refused",
              replay_of(SYS_ioctl, 0, 0xae01, &error) == INPUT_REFUSE && error == ENOTTY);
  trial_check("ioctl that fills in pointers is refused",
              replay_of(SYS_ioctl, 0, 0xc0686611, &error) == INPUT_REFUSE && error == ENOTTY);
  trial_check("freezing a file system is not XFS's",
              replay_of(SYS_ioctl, 0, 0xc0045877, &error) == INPUT_EMULATE);
  trial_check("an unknown prctl is refused",
              replay_of(SYS_prctl, 0x7fff, 0, &error) == INPUT_REFUSE && error == EINVAL);
  trial_check("an unknown fcntl is refused",
              replay_of(SYS_fcntl, 0, 0x7fff, &error) == INPUT_REFUSE && error == EINVAL);
  trial_check("an unknown keyctl is refused",
              replay_of(SYS_keyctl, 0x7fff, 0, &error) == INPUT_REFUSE && error == EOPNOTSUPP);
  trial_check("an unknown quotactl is refused",
              replay_of(SYS_quotactl, 0x7fff00, 0, &error) == INPUT_REFUSE && error == EINVAL);
  trial_check("an unknown seccomp is refused",
              replay_of(SYS_seccomp, 17, 0, &error) == INPUT_REFUSE && error == EINVAL);
  trial_check("an unknown number is refused",
              replay_of(100000, 0, 0, &error) == INPUT_REFUSE && error == ENOSYS);
  trial_check("a negative number is refused", replay_of(-1, 0, 0, &error) == INPUT_REFUSE && error == ENOSYS);
#if defined(__x86_64__)
  trial_check("arch_prctl of a base is virtual",
              replay_of(SYS_arch_prctl, 0x1002, 0, &error) == INPUT_VIRTUAL);
#endif
  long args[6] = {0, 0x5401};
  static struct input_call call;
  input_begin(&call, SYS_ioctl, args, NULL, NULL);
  trial_check("name of an ioctl", input_command(&call) && !strcmp(input_command(&call), "TCGETS"));
}

int main(void) {
  long newest = 470;
  trial_check("the header's numbers were seen", check_header() > 250);
  check_machine("x86_64-linux-gnu-gcc");
  check_machine("aarch64-linux-gnu-gcc");
  trial_check("the table reaches the newest call", input_limit() == newest + 1);
  unsigned rows = 0;
  for (long nr = 0; nr < input_limit(); nr++) {
    const struct input_row *row = input_row(nr);
    if (row) check_row(row), check_facts(row), check_meanings(row), rows++;
  }
  for (long nr = 424; nr <= newest; nr++) {
    char what[64];
    snprintf(what, sizeof what, "row of number %ld", nr);
    trial_check(what, input_row(nr) != NULL);
  }
  trial_check("no row beyond",
              !input_row(newest + 1) && !input_row(511) && !input_row(512) && !input_row(1L << 40));
  trial_check("as many rows as calls", rows >= 300);
  check_descriptors();
  check_openings();
  check_never();
  check_commands();
  return trial_end();
}
