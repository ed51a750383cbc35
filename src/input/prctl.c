/* prctl.c: the commands of prctl, arch_prctl and seccomp.
 *
 * Most set something that only the kernel knows of, and are not repeated in replay. Commands that change how instructions
 * behave must be repeated; those that would break the engine itself (shadow stacks, memory that may not be
 * executed, keys that differ in every run) are refused as by a kernel without them. */
#include <linux/prctl.h>

#include "input/row.h"
#if defined(__x86_64__)
#include <asm/prctl.h>
#endif

enum { NAME_SIZE = 16, VMA_NAME_SIZE = 80, MM_MAP = 104 };

/* -- Commands with pointers beyond the second argument --------------------------------------------------- */

static void set_seccomp(struct input_walk *w, struct place second) {
  (void)second;
  if (w->call->args[1] == 2) walk_filter(w, walk_argument(w, 2));
}

static void set_mm(struct input_walk *w, struct place second) {
  (void)second;
  struct place at = walk_argument(w, 2);
  switch (w->call->args[1]) {
    case PR_SET_MM_AUXV:
      walk_in(w, at, (size_t)w->call->args[3]);
      break;
    case PR_SET_MM_MAP: {
      uint32_t auxv_bytes;
      walk_in(w, at, MM_MAP);
      if (walk_u32(w, at.address + MM_MAP - 8, &auxv_bytes))
        walk_in(w, walk_pointer(w, at, MM_MAP - 16), auxv_bytes);
      break;
    }
    case PR_SET_MM_MAP_SIZE:
      walk_out(w, at, 4, 4);
      break;
    default:
      break;
  }
}

static void set_vma(struct input_walk *w, struct place second) {
  (void)second;
  walk_string(w, walk_argument(w, 4), VMA_NAME_SIZE);
}

static void set_name(struct input_walk *w, struct place name) {
  walk_string(w, name, NAME_SIZE - 1);
}

static void sched_core(struct input_walk *w, struct place second) {
  (void)second;
  if (w->call->args[1] == PR_SCHED_CORE_GET) walk_out(w, walk_argument(w, 4), 8, 8);
}

static void get_auxv(struct input_walk *w, struct place second) {
  walk_out(w, second, (size_t)w->call->args[2], w->failed ? 0 : (size_t)w->result);
}

/* -- prctl ----------------------------------------------------------------------------------------------- */

#define COMMAND(name, kind, size) \
  { name, INPUT_EMULATE, 0, INPUT_##kind, size, #name, NULL }
#define COMMAND_WALK(name, walk) \
  { name, INPUT_EMULATE, 0, INPUT_POINTER, 0, #name, walk }
#define COMMAND_EXECUTE(name) \
  { name, INPUT_EXECUTE, 0, INPUT_VALUE, 0, #name, NULL }
#define COMMAND_REFUSE(name) \
  { name, INPUT_REFUSE, EINVAL, INPUT_VALUE, 0, #name, NULL }
/* Without a recording, too: they would make the engine's own calls, or its memory, impossible. */
#define COMMAND_NEVER(number, name) \
  { number, INPUT_REFUSE, EINVAL, INPUT_VALUE, ALWAYS_REFUSED, name, NULL }
/* Newer than some headers. */
#define NUMBERED(number, replay, name) \
  { number, INPUT_##replay, EINVAL, INPUT_VALUE, 0, name, NULL }

static const struct input_command commands[] = {
    COMMAND(PR_SET_PDEATHSIG, VALUE, 0),
    COMMAND(PR_GET_PDEATHSIG, OUT, 4),
    COMMAND(PR_GET_DUMPABLE, NONE, 0),
    COMMAND(PR_SET_DUMPABLE, VALUE, 0),
    COMMAND(PR_GET_UNALIGN, OUT, 4),
    COMMAND(PR_SET_UNALIGN, VALUE, 0),
    COMMAND(PR_GET_KEEPCAPS, NONE, 0),
    COMMAND(PR_SET_KEEPCAPS, VALUE, 0),
    COMMAND(PR_GET_FPEMU, OUT, 4),
    COMMAND(PR_GET_FPEXC, OUT, 4),
    COMMAND(PR_GET_TIMING, NONE, 0),
    COMMAND(PR_SET_TIMING, VALUE, 0),
    COMMAND_WALK(PR_SET_NAME, set_name),
    COMMAND(PR_GET_NAME, OUT, NAME_SIZE),
    COMMAND(PR_GET_ENDIAN, OUT, 4),
    COMMAND(PR_GET_SECCOMP, NONE, 0),
    COMMAND_WALK(PR_SET_SECCOMP, set_seccomp),
    COMMAND(PR_CAPBSET_READ, VALUE, 0),
    COMMAND(PR_CAPBSET_DROP, VALUE, 0),
    COMMAND(PR_GET_TSC, OUT, 4),
    COMMAND_EXECUTE(PR_SET_TSC),
    COMMAND(PR_GET_SECUREBITS, NONE, 0),
    COMMAND(PR_SET_SECUREBITS, VALUE, 0),
    COMMAND(PR_SET_TIMERSLACK, VALUE, 0),
    COMMAND(PR_GET_TIMERSLACK, NONE, 0),
    COMMAND(PR_TASK_PERF_EVENTS_DISABLE, NONE, 0),
    COMMAND(PR_TASK_PERF_EVENTS_ENABLE, NONE, 0),
    COMMAND(PR_MCE_KILL, VALUE, 0),
    COMMAND(PR_MCE_KILL_GET, NONE, 0),
    COMMAND_WALK(PR_SET_MM, set_mm),
    COMMAND(PR_SET_PTRACER, VALUE, 0),
    COMMAND(PR_SET_CHILD_SUBREAPER, VALUE, 0),
    COMMAND(PR_GET_CHILD_SUBREAPER, OUT, 4),
    COMMAND(PR_SET_NO_NEW_PRIVS, VALUE, 0),
    COMMAND(PR_GET_NO_NEW_PRIVS, NONE, 0),
    COMMAND(PR_GET_TID_ADDRESS, OUT, 8),
    COMMAND(PR_SET_THP_DISABLE, VALUE, 0),
    COMMAND(PR_GET_THP_DISABLE, NONE, 0),
    COMMAND(PR_CAP_AMBIENT, VALUE, 0),
    COMMAND_EXECUTE(PR_SVE_SET_VL),
    COMMAND(PR_SVE_GET_VL, NONE, 0),
    COMMAND(PR_GET_SPECULATION_CTRL, VALUE, 0),
    COMMAND(PR_SET_SPECULATION_CTRL, VALUE, 0),
    COMMAND_REFUSE(PR_PAC_RESET_KEYS),
    COMMAND_EXECUTE(PR_SET_TAGGED_ADDR_CTRL),
    COMMAND(PR_GET_TAGGED_ADDR_CTRL, NONE, 0),
    COMMAND(PR_SET_IO_FLUSHER, VALUE, 0),
    COMMAND(PR_GET_IO_FLUSHER, NONE, 0),
    COMMAND_NEVER(PR_SET_SYSCALL_USER_DISPATCH, "PR_SET_SYSCALL_USER_DISPATCH"),
    COMMAND_EXECUTE(PR_PAC_SET_ENABLED_KEYS),
    COMMAND(PR_PAC_GET_ENABLED_KEYS, NONE, 0),
    COMMAND_WALK(PR_SCHED_CORE, sched_core),
    COMMAND_EXECUTE(PR_SME_SET_VL),
    COMMAND(PR_SME_GET_VL, NONE, 0),
    COMMAND_WALK(PR_SET_VMA, set_vma),
    {0x41555856, INPUT_EMULATE, 0, INPUT_POINTER, 0, "PR_GET_AUXV", get_auxv},
    COMMAND_NEVER(65, "PR_SET_MDWE"),
    COMMAND_NEVER(66, "PR_GET_MDWE"),
    NUMBERED(67, EMULATE, "PR_SET_MEMORY_MERGE"),
    NUMBERED(68, EMULATE, "PR_GET_MEMORY_MERGE"),
    NUMBERED(74, REFUSE, "PR_GET_SHADOW_STACK_STATUS"),
    NUMBERED(75, REFUSE, "PR_SET_SHADOW_STACK_STATUS"),
    NUMBERED(76, REFUSE, "PR_LOCK_SHADOW_STACK_STATUS"),
    NUMBERED(77, EMULATE, "PR_TIMER_CREATE_RESTORE_IDS"),
    NUMBERED(78, EMULATE, "PR_FUTEX_HASH"),
};

const struct input_command *prctl_command(uint32_t command) {
  return input_find_command(commands, sizeof commands / sizeof *commands, command);
}

void walk_prctl(struct input_walk *w) {
  walk_command(w, prctl_command((uint32_t)w->call->args[0]), 1);
}

/* -- arch_prctl ------------------------------------------------------------------------------------------ */

#if defined(__x86_64__)
static const struct input_command arch_commands[] = {
    {ARCH_SET_GS, INPUT_VIRTUAL, 0, INPUT_ADDRESS, 0, "ARCH_SET_GS", NULL},
    {ARCH_SET_FS, INPUT_VIRTUAL, 0, INPUT_ADDRESS, 0, "ARCH_SET_FS", NULL},
    {ARCH_GET_FS, INPUT_VIRTUAL, 0, INPUT_OUT, 8, "ARCH_GET_FS", NULL},
    {ARCH_GET_GS, INPUT_VIRTUAL, 0, INPUT_OUT, 8, "ARCH_GET_GS", NULL},
    {ARCH_GET_CPUID, INPUT_EMULATE, 0, INPUT_NONE, 0, "ARCH_GET_CPUID", NULL},
    {ARCH_SET_CPUID, INPUT_EXECUTE, 0, INPUT_VALUE, 0, "ARCH_SET_CPUID", NULL},
    {ARCH_GET_XCOMP_SUPP, INPUT_EMULATE, 0, INPUT_OUT, 8, "ARCH_GET_XCOMP_SUPP", NULL},
    {ARCH_GET_XCOMP_PERM, INPUT_EMULATE, 0, INPUT_OUT, 8, "ARCH_GET_XCOMP_PERM", NULL},
    {ARCH_REQ_XCOMP_PERM, INPUT_EXECUTE, 0, INPUT_VALUE, 0, "ARCH_REQ_XCOMP_PERM", NULL},
    {ARCH_GET_XCOMP_GUEST_PERM, INPUT_EMULATE, 0, INPUT_OUT, 8, "ARCH_GET_XCOMP_GUEST_PERM", NULL},
    {ARCH_REQ_XCOMP_GUEST_PERM, INPUT_EMULATE, 0, INPUT_VALUE, 0, "ARCH_REQ_XCOMP_GUEST_PERM", NULL},
    COMMAND_REFUSE(ARCH_MAP_VDSO_X32),
    COMMAND_REFUSE(ARCH_MAP_VDSO_32),
    COMMAND_REFUSE(ARCH_MAP_VDSO_64),
    {0x4001, INPUT_EMULATE, 0, INPUT_OUT, 8, "ARCH_GET_UNTAG_MASK", NULL},
    NUMBERED(0x4002, REFUSE, "ARCH_ENABLE_TAGGED_ADDR"),
    {0x4003, INPUT_EMULATE, 0, INPUT_OUT, 8, "ARCH_GET_MAX_TAG_BITS", NULL},
    NUMBERED(0x4004, REFUSE, "ARCH_FORCE_TAGGED_SVA"),
    NUMBERED(0x5001, REFUSE, "ARCH_SHSTK_ENABLE"),
    NUMBERED(0x5002, REFUSE, "ARCH_SHSTK_DISABLE"),
    NUMBERED(0x5003, REFUSE, "ARCH_SHSTK_LOCK"),
    NUMBERED(0x5004, REFUSE, "ARCH_SHSTK_UNLOCK"),
    NUMBERED(0x5005, REFUSE, "ARCH_SHSTK_STATUS"),
};

const struct input_command *arch_prctl_command(uint32_t command) {
  return input_find_command(arch_commands, sizeof arch_commands / sizeof *arch_commands, command);
}

void walk_arch_prctl(struct input_walk *w) {
  walk_command(w, arch_prctl_command((uint32_t)w->call->args[0]), 1);
}
#endif

/* -- seccomp --------------------------------------------------------------------------------------------- */

void walk_seccomp(struct input_walk *w) {
  struct place at = walk_argument(w, 2);
  switch (w->call->args[0]) {
    case 1: /* SECCOMP_SET_MODE_FILTER */
      walk_filter(w, at);
      break;
    case 2: /* SECCOMP_GET_ACTION_AVAIL */
      walk_in(w, at, 4);
      break;
    case 3: /* SECCOMP_GET_NOTIF_SIZES */
      walk_out(w, at, 6, 6);
      break;
    default:
      break;
  }
}
