/* kernel_writes.c: the memory that the kernel writes when it performs a call for the application.
 *
 * A call whose result can't be stored has often taken effect all the same: a message is taken, a child is reaped. The kernel must
 * not find a page unwritable that only the engine has made so. The call's row (input/) names the memory. A call
 * without such a row (one that is refused in a recording) fails there, and is performed again (kernel_call.c). */
#include "engine/base/lib.h"
#include "engine/code/code.h"
#include "engine/order/permissions.h"
#include "engine/signals/kernel_call.h"
#include "input/input.h"

static long release_piece(void *visitor, const struct input_piece *piece) {
  (void)visitor;
  uintptr_t end = piece->address + piece->bytes;
  if (piece->flags & INPUT_WRITES) codewatch_release(piece->address, end < piece->address ? ~PAGE : end);
  return 0;
}

void codewatch_before_call(const struct call *call) {
  struct input_call in;
  input_begin(&in, call->nr, call->args, read_application, NULL);
  in.pid = (int)call->args[0]; /* of process_vm_writev: another process may share the memory */
  if (in.moves & INPUT_WRITES) input_reach(&in, release_piece, NULL);
}

/* A write to a process's memory file goes to an address, whatever the protection there. Memory files are
 * not told from others: an ordinary file costs a look at a table, and a needless translation if there happens to
 * be code at that address. */
void codewatch_after_call(const struct call *call, long result) {
  if (result > 0 && input_facts(call->nr) & INPUT_AT_OFFSET)
    code_overwritten((uintptr_t)call->args[3], (uintptr_t)call->args[3] + (uintptr_t)result);
}
