/* layout.c: see layout.h. */
#include "engine/memory/layout.h"

#include <linux/prctl.h>

#include "engine/base/arch.h"
#include "engine/base/lib.h"
#include "engine/base/os.h"

enum { AUXV_BYTES = 64 * 16 };
static __u64 saved_auxv[AUXV_BYTES / sizeof(__u64)];
static size_t saved_bytes;
static struct layout started;

void layout_keep(const struct layout *layout, const void *auxv, size_t bytes) {
  saved_bytes = MIN(bytes, AUXV_BYTES);
  memcpy(saved_auxv, auxv, saved_bytes);
  started = *layout;
}

void layout_announce_program(void) {
  if (started.sp) layout_announce(&started);
}

uintptr_t layout_sp(void) {
  return started.sp;
}

void layout_announce(const struct layout *layout) {
  uintptr_t sp = layout->sp, top = layout->top;
  uintptr_t arguments, first[2]; /* of the arguments, and of the environment */
  if (safe_copy(&arguments, (void *)sp, sizeof arguments) || arguments > (top - sp) / sizeof arguments)
    return;
  if (safe_copy(&first[0], (void *)(sp + sizeof arguments), sizeof first[0])) return;
  if (safe_copy(&first[1], (void *)(sp + (arguments + 2) * sizeof arguments), sizeof first[1])) return;
  uintptr_t code = ALIGN_DOWN(layout->entry, PAGE), end = code + PAGE;
  struct prctl_mm_map map = {.start_code = code,
                             .end_code = end,
                             .start_data = end,
                             .end_data = end,
                             .start_brk = MAX(layout->heap, end + PAGE),
                             .brk = MAX(layout->heap, end + PAGE),
                             .start_stack = sp,
                             .arg_start = first[0],
                             .arg_end = first[1] ? first[1] : first[0],
                             .env_start = first[1] ? first[1] : first[0],
                             .env_end = top - sizeof arguments,
                             .auxv = saved_bytes ? saved_auxv : NULL,
                             .auxv_size = (uint32_t)saved_bytes,
                             .exe_fd = (uint32_t)-1};
  os_call5(__NR_prctl, PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0);
}

const void *layout_auxv(size_t *bytes) {
  *bytes = saved_bytes;
  return saved_auxv;
}
