/* dispatch.c: the loop between the code cache and the engine.
 *
 * A thread goes round here whenever generated code can't go on by itself: an exit not linked yet, a system call, an instruction
 * to be emulated, something pending. At the top of the loop the whole application state is in the thread's context:
 * it is a safepoint. */
#include "engine/loop/dispatch.h"

#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/border/sphere.h"
#include "engine/code/cache.h"
#include "engine/code/code.h"
#include "engine/code/paths.h"
#include "engine/loop/syscall_dispatch.h"
#include "engine/order/open_blocks.h"
#include "engine/order/permissions.h"
#include "engine/order/predictors.h"
#include "engine/order/private_stack.h"
#include "engine/order/shared.h"
#include "engine/order/sync.h"
#include "engine/order/thread_order.h"
#include "engine/predict/predict_checks.h"
#include "engine/region/turns.h"
#include "engine/signals/signals.h"
#include "engine/threads/threads.h"
#include "engine/loop/debug_points.h"
#include "engine/loop/diversion_points.h"
#include "engine/region/debug.h"

enum { BLOCK_BITS = 6 }; /* log2 of the bytes of a block of memory */

/* How the cache was left, kept beyond the exit's own life: a flush may take the exit away. */
struct departure {
  struct exit *exit; /* may be NULL for an indirect branch */
  uint32_t epoch;
  enum exit_kind kind;
  enum entry_kind entry; /* how an indirect exit wants to enter its target */
  struct exit copy;
};

/* A parallel recording does not stop at exact positions. */
static bool stops_exactly(void) {
  return in_sphere() && !permissions_on();
}

static bool near_stop(const struct thread *thread) {
  return stops_exactly() && arch_until_stop(thread) < ARCH_NEAR_STOP;
}

/* True if something may be pending for a thread that is not quiet. That a stop cuts the next block in two is no reason, where it is
 * the only one to leave the cache before the stop. */
static bool is_due(const struct thread *thread) {
  if (!stops_exactly() || !arch_stops_late()) return true;
  return thread->signals.queued.signo || arch_requested(thread) || !arch_until_stop(thread);
}

static void serve_pending(struct thread *thread) {
  uintptr_t pc = arch_pc(thread);
  arch_clear_request(thread);
  if (in_sphere()) sphere_safepoint(thread);
  while (thread->signals.queued.signo) {
    if (debugged() && is_diversion) {
      diversion_signal(thread);
      continue;
    }
    if (debugged()) debug_signal(thread);
    signals_deliver(thread, process_die_of);
    if (debugged()) debug_signalled(thread);
    /* The frame has a position of its own, at which the thread may have to wait for others. */
    if (replaying() && !turns->alone) sphere_safepoint(thread);
  }
  if (arch_pc(thread) != pc)
    thread->loop.step_next = false; /* it was meant for the instruction that is interrupted */
}

/* Connects the exit that was taken to the block it led to, if the exit still exists. A signal delivered meanwhile leads
 * somewhere else. */
static void connect(struct thread *thread, const struct departure *from, struct block *to) {
  if (from->epoch != thread->cache_epoch) return;
  if (debugged() && debug_breaks_at(to->pc)) return;
#if defined(REPRISE_STRESS_SIGNALS)
  return; /* every block ends at a safepoint */
#endif
  if (from->kind == EXIT_INDIRECT) {
    arch_resolve(thread, to, from->entry);
    COUNT(indirect_misses);
  } else if (from->kind == EXIT_DIRECT && !from->exit->block->step && !from->exit->block->probe &&
             from->copy.target == to->pc)
    arch_link(from->exit, to);
}

/* Claims for writing the memory that the check tests for writing, and blocks that the instruction reads if the thread is expected to write them soon. */
static void foresee(struct thread *thread, struct check_history *history, const struct miss *miss,
                    struct access *accesses, unsigned count) {
  uint32_t block = (uint32_t)(miss->address >> BLOCK_BITS);
  bool write = miss->write;
  if (predicts(PREDICT_upgrades)) {
    if (write)
      upgrade_note_write(&thread->loop.upgrades, block, thread->cache_epoch);
    else
      write = upgrade_is_expected(&thread->loop.upgrades, history, block, thread->cache_epoch);
  }
  for (unsigned i = 0; i < count && write; i++)
    if (accesses[i].address - miss->address < miss->bytes) accesses[i].write = true;
}

/* True if all memory that the check covers is to be claimed, not only that of its instruction. */
static bool takes_span(struct thread *thread, struct check_history *history, const struct miss *miss) {
  uint32_t first = (uint32_t)(miss->address >> BLOCK_BITS),
           last = (uint32_t)((miss->address + miss->bytes - 1) >> BLOCK_BITS);
  if (!predicts(PREDICT_spans)) return false;
  bool reaches = permissions_reach(thread, miss->address, miss->bytes, miss->write);
  return miss->stack ? span_of_stack(history, first, reaches) : span_of_window(history, first, last, reaches);
}

/* The instruction can't be made by value, or not by this block. */
static uintptr_t give_up(struct thread *thread, const struct miss *miss) {
  cache_leave(thread);
  by_value_give_up(thread, miss->pc);
  atomic_store(&thread->in_cache, 1); /* as the caller knows it */
  arch_miss_leave(thread, miss);
  return 0;
}

/* Everything is permitted, except memory that is open for the thread, for which the block may lack the code. */
static uintptr_t missed_in_replay(struct thread *thread, const struct exit *exit, const struct miss *miss) {
  open_permit(thread, miss);
  bool concerned = by_value_concerns(thread, miss->pc);
  if (concerned ? miss->opens : !by_value_covers(thread, miss)) return arch_miss_resume(thread, miss);
  uintptr_t made_for = exit->block->pc;
  cache_leave(thread);
  if (!concerned)
    cache_fell_short(made_for, miss->stack ? made_for : miss->pc, miss->stack);
  else if (arch_opens(miss->pc))
    cache_open(made_for, miss->pc);
  atomic_store(&thread->in_cache, 1);
  arch_miss_leave(thread, miss);
  return 0;
}

/* A check has missed. Takes the permissions of the instruction. If no other permission was given up meanwhile, the rest of the block may
 * rely on its earlier checks, and the instruction is checked again: the code address to go on at. Otherwise, 0: the block is
 * left before the instruction. */
static uintptr_t missed(struct thread *thread, struct exit *exit) {
  struct miss miss;
  struct access accesses[ARCH_ACCESSES_MAX + 2];
  uint32_t epoch = thread->cache_epoch;
  arch_miss(thread, exit, &miss);
  if (values_on() && by_value_was_refused(thread, &miss)) {
    if (tells() && !telling_is_inside(thread)) { /* only a step may */
      arch_miss_leave(thread, &miss);
      return 0;
    }
    if (by_value_make_room(thread)) return arch_miss_resume(thread, &miss);
    return give_up(thread, &miss);
  }
  if (!permissions_on() && values_on()) return missed_in_replay(thread, exit, &miss);
  if (!permissions_on()) {
    arch_permit(thread, &miss);
    if (!debugged() || !debug_watches(thread, miss.address, miss.bytes))
      return arch_miss_resume(thread, &miss);
    arch_miss_leave(thread, &miss);
    return 0;
  }
  unsigned count = arch_accesses(thread, miss.pc, accesses), own = count;
  if (!miss.stack) foresee(thread, &exit->history, &miss, accesses, count);
  bool shared = shared_reaches(miss.address, miss.bytes);
  if (!shared && takes_span(thread, &exit->history, &miss))
    accesses[count++] = (struct access){miss.address, miss.bytes, miss.write};
  if (exit->block->contended) accesses[count++] = (struct access){miss.pc, ARCH_INSN_MOST, false};
  uintptr_t made_for = exit->block->pc;
  cache_leave(thread); /* or a flusher would wait for this thread, which may wait for the flusher */
  bool kept = permissions_take(thread, accesses, count);
  /* The rest of the block may rely on earlier checks of just the memory that is opened now. */
  bool opened = values_on() && open_consider(thread, accesses, count);
  bool open = values_on() && by_value_join(thread, accesses, own);
  if (open && !miss.opens && arch_opens(miss.pc)) cache_open(made_for, miss.pc);
  bool reaches = permissions_reach(thread, miss.address, miss.bytes, miss.write);
  shared |= shared_holds(thread);
  if (kept && !reaches && !shared && !open)
    cache_fell_short(made_for, miss.stack ? made_for : miss.pc, miss.stack);
  bool again =
      kept && reaches && !shared && !open && !opened && cache_enter(thread) && thread->cache_epoch == epoch;
  if (again && miss.stack) private_stack_find(thread, miss.address);
  if (again) return arch_miss_resume(thread, &miss);
  atomic_store(&thread->in_cache, 1); /* as the caller knows it */
  arch_miss_leave(thread, &miss);
  thread->loop.has_taken = true;
  return 0;
}

/* Runs in the cache until something needs the engine. */
static void run(struct thread *thread, struct block *block, struct departure *left) {
  thread->loop.last_blocks[++thread->loop.last_block % COUNT_OF(thread->loop.last_blocks)] = block;
  uintptr_t code = arch_entry(block);
  for (;;) {
    arch_run(thread, code);
    left->exit = arch_exit(thread);
    if (!left->exit || left->exit->kind != EXIT_CHECK) break;
    code = missed(thread, left->exit);
    if (code) continue;
    *left = (struct departure){.kind = EXIT_ACCESS, .copy.target = arch_pc(thread)};
    return;
  }
  left->epoch = thread->cache_epoch;
  left->kind = left->exit ? left->exit->kind : EXIT_INDIRECT;
  left->entry = left->kind == EXIT_INDIRECT ? arch_wanted_entry(thread) : ENTRY_DIRECT;
  if (left->kind == EXIT_INDIRECT && arch_branch_refused(thread, left->exit)) left->kind = EXIT_REFUSED;
  if (left->exit) left->copy = *left->exit;
  /* All threads count in one word: as long as a block is counted at all its count must be set anew, or the block would slow all of them down for
   * good. */
  if (left->kind == EXIT_HOT) {
    if (!block_is_hot(left->exit->block)) left->kind = EXIT_POLL;
    block_warm_up(left->exit->block, PATHS_RETRY);
  }
  if (left->kind == EXIT_POLL || left->kind == EXIT_HOT || left->kind == EXIT_ACCESS ||
      left->kind == EXIT_SOURCE || left->kind == EXIT_SYNC)
    arch_uncount(thread, left->exit->block, left->exit->block->instructions);
}

static bool perform_sync(struct thread *thread) {
  thread->loop.took_value = false;
  bool done = sync_perform(thread);
  if (thread->loop.took_value) replay_arm(thread);
  return done;
}

/* Serves the exit; the thread goes on at arch_pc afterwards. */
static void serve_exit(struct thread *thread, struct departure *left) {
  const struct exit *exit = &left->copy;
  if (left->kind != EXIT_INDIRECT && left->kind != EXIT_REFUSED) arch_set_pc(thread, exit->target);
  switch (left->kind) {
    case EXIT_DIRECT:
    case EXIT_INDIRECT:
    case EXIT_POLL:
      break;
    case EXIT_HOT:
      path_begin(&thread->loop.path, exit->target);
      break;
    case EXIT_CALL:
      arch_begin_call(thread);
      if (debugged() && is_diversion) {
        diversion_call(thread);
        break;
      }
      if (debugged()) debug_call(thread, true);
      syscall_handle(thread);
      if (debugged()) debug_call(thread, false);
      break;
    case EXIT_EMULATE:
      arch_emulate(thread, exit);
      break;
    case EXIT_FETCH:
      cache_drop(exit->target);
      if (!arch_kernel_entry(thread)) signals_raise_fetch(thread, exit->detail);
      break;
    case EXIT_REFUSED:
      signals_raise(thread, SIGSEGV, SI_KERNEL, 0);
      break;
    case EXIT_UNSUPPORTED:
      print(2, "reprise: unsupported instruction at %lx\n", exit->target);
      signals_raise(thread, SIGILL, ILL_ILLOPC, exit->target);
      break;
    case EXIT_STALE:
      cache_drop(exit->target);
      break;
    case EXIT_ACCESS:
      thread->loop.step_next = true;
      break;
    case EXIT_SYNC:
      thread->loop.step_next = !perform_sync(thread);
      break;
    case EXIT_SOURCE: {
      struct source_range source = source_of_detail(exit->detail);
      permissions_take_range(thread, source.start, source.end - source.start, false);
      break;
    }
    case EXIT_CHECK:
      BUG("a permission check left the cache");
  }
}

/* Takes the permissions of the next instruction: also for its own bytes, before they are decoded, where others may write them. */
static void take_step(struct thread *thread, uintptr_t pc) {
  struct access accesses[ARCH_ACCESSES_MAX];
  bool code = code_is_shared(pc, ARCH_INSN_MOST) || code_is_contended(pc) ||
              code_is_contended(pc + ARCH_INSN_MOST - 1);
  uint32_t lost;
  do {
    lost = permissions_lost(thread);
    if (code) permissions_take_range(thread, pc, ARCH_INSN_MOST, false);
    permissions_take(thread, accesses, arch_accesses(thread, pc, accesses));
  } while (code && permissions_lost(thread) != lost);
}

/* Runs one instruction; false if it must be tried again. */
static bool step_once(struct thread *thread, struct departure *left) {
  enum { ONE = 1 };
  uintptr_t pc = arch_pc(thread);
  if (permissions_on() && !thread->loop.has_taken) take_step(thread, pc);
  bool opens = false;
  if (values_on() && !by_value_prepare(thread, pc, &opens)) {
    thread->loop.has_taken = false;
    return false;
  }
  if (!cache_enter(thread)) return false;
  struct block *block = cache_lookup_step(pc, ONE);
  /* That it is known by now what the block needs does not say that it was known when the block was made. */
  if (opens && !(block ? block->opens : cache_is_opened(pc))) {
    cache_leave(thread);
    cache_open(pc, pc);
    return false;
  }
  if (!block) {
    cache_leave(thread);
    cache_translate_step(pc, ONE);
    return false;
  }
  if (near_stop(thread)) arch_favour(thread, block);
  if (in_sphere() && !turns->alone) arch_begin_piece(thread);
  thread->loop.step_next = thread->loop.has_taken = false;
  bool excepted = order_excepts(thread);
  if (excepted) order_except(thread);
  if (tells()) telling_begin(thread, order_position(thread));
  run(thread, block, left);
  cache_leave(thread);
  if (tells()) telling_end(thread, arch_stores_some(pc));
  serve_exit(thread, left);
  if (permissions_on()) shared_leave(thread); /* the instruction counts by now */
  if (in_sphere() && !turns->alone) arch_end_piece(thread, pc);
  if (excepted) order_except_over(thread);
  return true;
}

/* Runs one instruction, with a trap behind it if it was executed. As the kernel has it, none follows a system call. */
static void step(struct thread *thread, struct departure *left) {
  if (sync_on() && !thread->loop.step_next && perform_sync(thread))
    left->kind = EXIT_EMULATE;
  else if (!step_once(thread, left))
    return;
  bool executed = left->kind == EXIT_DIRECT || left->kind == EXIT_INDIRECT || left->kind == EXIT_EMULATE;
  bool faulted = thread->signals.queued.signo && thread->signals.queued.synchronous;
  if (executed && !faulted) arch_stepped(thread);
}

/* Threads come to their stops again and again at the same places: the second time there is worth a translation. */
static bool is_worth_translating(uintptr_t pc, unsigned instructions) {
  static _Atomic uint64_t seen[1 << 12];
  uint64_t key = pc << 8 | instructions;
  _Atomic uint64_t *place = &seen[(key * 0x9e3779b97f4a7c15) >> 52];
  if (atomic_load_explicit(place, memory_order_relaxed) == key) return true;
  atomic_store_explicit(place, key, memory_order_relaxed);
  return false;
}

/* Runs the first instructions of a block that the stop cuts in two, or fewer. Such pieces have no checks, but for open memory: where there are watchpoints each instruction is a point. */
static void run_up_to_stop(struct thread *thread, uint64_t instructions, struct departure *left) {
  unsigned count = (unsigned)MIN(instructions, CACHE_STEP_MAX);
  uintptr_t pc = arch_pc(thread);
  bool watches = debugged() && config.check == CHECK_ALL;
  if (count == 1 || !replaying() || watches) {
    step_once(thread, left);
    return;
  }
  if (!cache_enter(thread)) return;
  struct block *block = cache_lookup_step(pc, count);
  if (block) {
    arch_favour(thread, block);
    run(thread, block, left);
    cache_leave(thread);
    serve_exit(thread, left);
    return;
  }
  cache_leave(thread);
  if (is_worth_translating(pc, count))
    cache_translate_step(pc, count);
  else
    step_once(thread, left);
}

/* Runs up to the next branch on the path of a hot block; false when the path ends. */
static bool probe(struct thread *thread, struct departure *left) {
  struct path *path = &thread->loop.path;
  if (path_is_complete(path)) return false;
  if (!cache_enter(thread)) return true;
  struct block *known = cache_lookup(path->next), *block = cache_lookup_probe(path->next);
  if (known && known->loop) { /* best left alone */
    cache_leave(thread);
    return false;
  }
  if (!block) {
    cache_leave(thread);
    cache_translate(path->next, ENTRY_PROBE);
    return true;
  }
  unsigned instructions = block->instructions;
  run(thread, block, left);
  cache_leave(thread);
  if (left->kind != EXIT_POLL && left->kind != EXIT_SOURCE) path_add(path, instructions);
  serve_exit(thread, left);
  path->next = arch_pc(thread);
  if (left->kind == EXIT_DIRECT) path_note_direct(path);
  if (left->kind == EXIT_INDIRECT) path_note_indirect(path);
  return left->kind == EXIT_DIRECT || left->kind == EXIT_INDIRECT;
}

static void note_path(struct thread *thread, struct departure *left) {
  struct path *path = &thread->loop.path;
  bool diverted = near_stop(thread) || arch_pc(thread) != path->next;
  if (!diverted && probe(thread, left)) return;
  bool disturbed =
      permissions_on() && (thread->loop.has_taken || left->kind == EXIT_POLL || left->kind == EXIT_SOURCE);
  if (disturbed && cache_note_again(path->head)) {
    path->head = 0;
    return;
  }
  if (!diverted && path->count > 0) {
    path_close(path);
    cache_translate_path(path);
  }
  path->head = 0;
}

/* The block behind a system call or an instruction that synchronises, whose exit remembers it as long as both are there. */
static struct block *behind(struct thread *thread, const struct departure *left) {
  uintptr_t pc = arch_pc(thread);
  bool usual = left->kind == EXIT_SYNC || pc == left->copy.target;
  struct exit *exit =
      left->epoch == thread->cache_epoch && usual && !left->exit->block->step ? left->exit : NULL;
  if (exit && exit->behind && !exit->behind->dead && exit->behind->pc == pc) return exit->behind;
  struct block *block = cache_lookup(arch_pc(thread));
  if (exit) exit->behind = block;
  return block;
}

/* Behind a system call or an instruction that synchronises, when nothing is pending: the block to go on with, entered; NULL: not at once. */
static struct block *go_on(struct thread *thread, const struct departure *left) {
#if defined(REPRISE_STRESS_SIGNALS)
  return NULL; /* every block ends at a safepoint */
#endif
  bool pending = thread->signals.queued.signo || thread->loop.step_next || thread->loop.path.head ||
                 arch_stepping(thread) || order_excepts(thread);
  if (pending || debugged() || !arch_quiet(thread) || !cache_enter(thread)) return NULL;
  struct block *block = behind(thread, left);
  if (!block) cache_leave(thread);
  return block;
}

static _Noreturn void loop(struct thread *thread) {
  struct departure left = {.kind = EXIT_POLL};
  if (!thread->loop.has_taken) serve_pending(thread);
  for (;;) {
    bool nearby = false;
    if (left.kind == EXIT_POLL || thread->signals.queued.signo || !arch_quiet(thread)) {
      if (!thread->loop.has_taken && is_due(thread)) serve_pending(thread);
      nearby = near_stop(thread);
    }
    /* One signal was delivered and the next comes at once: not an instruction in between. */
    if (in_sphere() && replaying() && !arch_until_stop(thread)) {
      left.kind = EXIT_POLL;
      continue;
    }
    signals_stress(thread);
    if (debugged() && debug_point(thread)) {
      left.kind = EXIT_POLL;
      continue;
    }
    if (arch_stepping(thread)) {
      step(thread, &left);
      continue;
    }
    if (thread->loop.step_next || order_excepts(thread)) {
      step_once(thread, &left);
      continue;
    }
    if (thread->loop.path.head) {
      note_path(thread, &left);
      continue;
    }
    uintptr_t pc = arch_pc(thread);
    if (!cache_enter(thread)) continue;
    struct block *block = cache_lookup(pc);
    if (!block || (left.entry != ENTRY_DIRECT && !block->entries[left.entry])) {
      cache_leave(thread);
      cache_translate(pc, left.entry);
      continue;
    }
    if (nearby) {
      if (block->instructions > arch_until_stop(thread)) {
        cache_leave(thread);
        run_up_to_stop(thread, arch_until_stop(thread), &left);
        continue;
      }
      arch_favour(thread, block);
    }
    connect(thread, &left, block);
    do {
      run(thread, block, &left);
      cache_leave(thread);
      serve_exit(thread, &left);
    } while ((left.kind == EXIT_CALL || left.kind == EXIT_SYNC) && (block = go_on(thread, &left)));
  }
}

void dispatch_run(struct thread *thread) {
  if (thread->half_done) {
    syscall_handle(thread);
    if (debugged()) debug_call(thread, false);
  }
  loop(thread);
}

void dispatch_after_fault(struct thread *thread) {
  cache_leave(thread);
  if (tells()) telling_drop(thread);
  if (order_excepts(thread)) order_except_over(thread);
  signals_after_fault(thread);
  if (permissions_on() && !thread->loop.has_taken)
    shared_leave(thread); /* or its instruction is run again at once */
  loop(thread);
}

void thread_begin(struct thread *thread) {
  thread_prepare(thread);
  dispatch_run(thread);
}
