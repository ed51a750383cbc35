/* table.c: every system call has its row, under its own name, and the rows make sense. */
#include "trial.h"

/* Not calls: where a table begins that some machines have, and how long the table is. */
static bool is_a_call(const char *name) {
  return strcmp(name, "arch_specific_syscall") && strcmp(name, "syscalls");
}

/* The compiler's own list of numbers: "#define __NR_name number" lines. */
static unsigned check_header(void) {
  char line[256], name[128];
  long nr;
  unsigned seen = 0;
  FILE *list = popen("echo '#include <asm/unistd.h>' | ${CC:-cc} -E -dM -", "r");
  if (!list) return 0;
  while (fgets(line, sizeof line, list)) {
    if (sscanf(line, "#define __NR_%127s %ld", name, &nr) != 2 || !is_a_call(name)) continue;
    const struct input_row *row = input_row(nr);
    char what[200];
    snprintf(what, sizeof what, "row of %s (%ld)", name, nr);
    trial_check(what, row && row->nr == nr && !strcmp(row->name, name));
    seen++;
  }
  pclose(list);
  return seen;
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

static enum input_replay replay_of(long nr, long first, long second, int *error) {
  long args[6] = {first, second};
  static struct input_call call;
  input_begin(&call, nr, args, NULL, NULL);
  return input_replay(&call, error);
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
  trial_check("the table reaches the newest call", input_limit() == newest + 1);
  unsigned rows = 0;
  for (long nr = 0; nr < input_limit(); nr++) {
    const struct input_row *row = input_row(nr);
    if (row) check_row(row), rows++;
  }
  for (long nr = 424; nr <= newest; nr++) {
    char what[64];
    snprintf(what, sizeof what, "row of number %ld", nr);
    trial_check(what, input_row(nr) != NULL);
  }
  trial_check("no row beyond",
              !input_row(newest + 1) && !input_row(511) && !input_row(512) && !input_row(1L << 40));
  trial_check("as many rows as calls", rows >= 300);
  check_commands();
  return trial_end();
}
