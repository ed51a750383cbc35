/* digest.c: one number for how a sphere ended: registers and position of every thread, memory of every process. A replay must come to the same. */
#include "sim/kernel/kernel.h"
#include "sim/machine/pages.h"
#include "sim/machine/vector.h"

static uint64_t mix(uint64_t digest, uint64_t value) {
  digest = (digest ^ value) * 0x9fb21c651e98df25;
  return digest ^ digest >> 29;
}

/* Terms of the sum must differ in all bits where they differ in one: else two differences may cancel each other. */
static uint64_t finish(uint64_t digest) {
  digest = (digest ^ digest >> 33) * 0xff51afd7ed558ccd;
  digest = (digest ^ digest >> 33) * 0xc4ceb9fe1a85ec53;
  return digest ^ digest >> 33;
}

uint64_t digest_thread(const struct thread *thread) {
  const struct port *port = thread->port;
  bool on_hart = port && port->number < port->machine->config.harts;
  const struct registers *r = on_hart ? &((const struct hart *)port)->registers : &thread->registers;
  uint64_t digest = mix(thread->number + 1, port ? port->position : thread->position);
  for (int i = 1; i < 32; i++) digest = mix(digest, r->x[i]);
  for (int i = 0; i < 32; i++) digest = mix(digest, r->f[i]);
  digest = mix(digest, vector_digest(&r->vector));
  return finish(mix(mix(digest, r->pc), r->fcsr));
}

/* Threads end in any order: their digests are added up. */
void digest_task(struct task *task) {
  task->thread.sphere->register_digest += digest_thread(&task->thread);
}

struct page_digest {
  const struct machine *machine;
  uint64_t sum;
};

static void digest_page(void *context, uint64_t vaddr, uint64_t entry) {
  struct page_digest *page = context;
  bool shared = entry & PAGE_SHARED;
  /* Others may go on writing to it, and how far they are by now is in no log: it counts when the last process ends that has it. */
  if (shared && page_users(page->machine, entry & ~(uint64_t)(PAGE_BYTES - 1)) > 1) return;
  const uint64_t *words = (const uint64_t *)machine_ram(page->machine, entry & ~(uint64_t)(PAGE_BYTES - 1));
  uint64_t digest = 0;
  bool zero = true;
  for (int i = 0; i < PAGE_BYTES / 8; i++) {
    zero = zero && !words[i];
    digest = mix(digest, words[i]);
  }
  /* A page of zeros is as good as one that was never touched. */
  if (!zero) page->sum += finish(mix(digest, shared ? 0 : vaddr));
}

void digest_space(struct process *process) {
  struct machine *machine = process->kernel->machine;
  struct page_digest pages = {machine, 0};
  if (machine->system->drain) machine->system->drain(machine);
  space_each_page(process->space, digest_page, &pages);
  process->sphere->memory_digest += pages.sum;
}
