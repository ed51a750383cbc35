/* lasting_blocks.c: blocks made into records, and records made into blocks. See lasting.h.
 *
 * A record is collected when its block has just been translated, before any exit is linked. Its code is in a form that knows no place: see enum
 * lasting_mark. */
#include "engine/base/arena.h"
#include "engine/base/counters.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/code/block_memory.h"
#include "engine/code/code.h"
#include "engine/code/code_view.h"
#include "engine/code/lasting_files.h"
#include "input/digest.h"

#include <linux/mman.h>

/* The parts of a record behind its fixed one. */
struct parts {
  struct lasting_range *ranges;
  struct lasting_exit *exits;
  struct insn_map *map;
  struct lasting_place *places;
  uint8_t *code, *source;
  size_t bytes; /* of the whole record */
};

static struct parts parts_of(struct lasting_record *r) {
  struct parts p = {.ranges = (struct lasting_range *)(r + 1)};
  p.exits = (struct lasting_exit *)(p.ranges + r->ranges);
  p.map = (struct insn_map *)(p.exits + r->exits);
  p.places = (struct lasting_place *)(p.map + r->map);
  p.code = (uint8_t *)(p.places + r->places);
  p.source = p.code + r->code_bytes;
  p.bytes = ALIGN_UP((size_t)(p.source + r->source_bytes - (uint8_t *)r), 8);
  return p;
}

/* The record that is being used: a copy, because the file may change. */
static union {
  struct lasting_record record;
  uint8_t bytes[LASTING_RECORD_MAX];
} taken; /* under cache_lock */

/* -- Collecting -------------------------------------------------------------------------------------------------------------- */

static struct lasting_marks marks; /* under cache_lock */
static uintptr_t room;             /* for the next record; 0: there was none yet */

#if defined(REPRISE_STRESS_LASTING)
static bool comparing; /* under cache_lock */

bool lasting_compares(void) {
  return comparing;
}
#endif

struct lasting_marks *lasting_begin(const void *start) {
  if (!lasting_on() || !lasting_collects() || lasting_compares()) return NULL;
  marks = (struct lasting_marks){.start = start};
  return &marks;
}

static struct lasting_new *take_room(size_t bytes) {
  if (!room) {
    long at = os_call6(__NR_mmap, LASTING_NEW_BASE, LASTING_NEW_ROOM, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    room = os_failed(at) ? LASTING_NEW_BASE + LASTING_NEW_ROOM : LASTING_NEW_BASE;
  }
  if (room + bytes > LASTING_NEW_BASE + LASTING_NEW_ROOM) return NULL;
  struct lasting_new *new = (struct lasting_new *)room;
  room += bytes;
  return new;
}

/* A check's exit goes back into the block. */
static uintptr_t origin_of(unsigned kind, uintptr_t pc, uintptr_t start) {
  return kind == EXIT_CHECK ? start : pc;
}

/* Exits that a record can hold. The others belong to blocks that are not kept. */
static bool lasts(const struct exit *exit, uintptr_t pc, uintptr_t start) {
  int64_t away = (int64_t)(exit->target - origin_of(exit->kind, pc, start));
  switch (exit->kind) {
    case EXIT_DIRECT:
    case EXIT_INDIRECT:
    case EXIT_REFUSED:
    case EXIT_POLL:
    case EXIT_HOT:
    case EXIT_CALL:
    case EXIT_EMULATE:
    case EXIT_UNSUPPORTED:
    case EXIT_ACCESS:
    case EXIT_CHECK:
      return away == (int32_t)away && !exit->correction && !exit->borrowed && exit->instructions <= UINT8_MAX;
    default:
      return false;
  }
}

/* True if this process has found that checks of the block should be others than at first (cache.h). */
static bool is_adapted(uintptr_t pc, const struct insn_map *map, unsigned count) {
  if (config.check == CHECK_NONE) return false;
  bool adapted = cache_is_narrow(pc, true);
  for (unsigned i = 0; i < count && !adapted; i++) {
    uintptr_t at = pc + (uintptr_t)(intptr_t)map[i].pc;
    adapted = cache_is_narrow(at, false) || cache_is_opened(at);
  }
  return adapted;
}

static bool can_be_kept(const struct lasting_made *made, const struct mapping *mapping) {
  const struct block *block = made->block;
  bool plain = !block->step && !block->probe && !block->hot && !block->self_checking && !block->contended;
  if (!plain || made->marks->lost || block->far_pc || block->uncount) return false;
  if ((made->marks->repeats && !lasting_repeats()) || is_adapted(block->pc, block->map, block->map_count))
    return false;
  for (unsigned i = 0; i < made->range_count; i++)
    if (made->ranges[i].start < mapping->start || made->ranges[i].end > mapping->end) return false;
  for (unsigned i = 0; i < made->exit_count; i++)
    if (!lasts(&made->exits[i], block->pc, (uintptr_t)made->marks->start)) return false;
  return made->range_count && block->pc - mapping->file_base <= UINT32_MAX;
}

static size_t source_bytes(const struct lasting_made *made) {
  size_t bytes = 0;
  for (unsigned i = 0; i < made->range_count; i++) bytes += made->ranges[i].end - made->ranges[i].start;
  return bytes;
}

static void fill(struct lasting_record *r, const struct lasting_made *made) {
  struct parts p = parts_of(r);
  const struct block *block = made->block;
  uintptr_t start = (uintptr_t)made->marks->start;
  for (unsigned i = 0; i < made->range_count; i++) {
    const struct source_range *range = &made->ranges[i];
    p.ranges[i] =
        (struct lasting_range){(int32_t)(range->start - block->pc), (uint32_t)(range->end - range->start)};
    if (safe_copy(p.source, (const void *)range->start, p.ranges[i].bytes))
      memset(p.source, 0, p.ranges[i].bytes);
    p.source += p.ranges[i].bytes;
  }
  for (unsigned i = 0; i < made->exit_count; i++) {
    const struct exit *exit = &made->exits[i];
    uintptr_t origin = origin_of(exit->kind, block->pc, start);
    p.exits[i] = (struct lasting_exit){.target = (int32_t)(exit->target - origin),
                                       .patch = (uint16_t)(exit->patch ? exit->patch - start + 1 : 0),
                                       .kind = (uint8_t)exit->kind,
                                       .instructions = (uint8_t)exit->instructions,
                                       .detail = exit->detail};
  }
  memcpy(p.map, block->map, block->map_count * sizeof *p.map);
  memcpy(p.places, made->marks->places, made->marks->count * sizeof *p.places);
  memcpy(p.code, (const void *)start, r->code_bytes);
  for (unsigned i = 0; i < made->marks->count; i++)
    arch_detach(made->marks->places[i], p.code, start, block->pc, made->exits);
}

void lasting_collect(const struct lasting_made *made) {
  struct mapping mapping;
  const struct block *block = made->block;
  uintptr_t start = (uintptr_t)made->marks->start, pc = block->pc;
  struct lasting_file *file = lasting_file_at(pc, &mapping);
  if (!file || !can_be_kept(made, &mapping)) return;
  struct lasting_record r = {
      .file = file->content,
      .fixed_at = made->marks->fixed ? pc : 0,
      .place = (uint32_t)(pc - mapping.file_base),
      .code_bytes = (uint32_t)(block->code + block->code_size - start),
      .entry_bytes = (uint32_t)(block->code - start),
      .body_bytes = block->body_size,
      .killed = (uint32_t)(block->killed - start),
      .source_bytes = (uint16_t)source_bytes(made),
      .instructions = block->instructions,
      .ranges = (uint16_t)made->range_count,
      .exits = (uint16_t)made->exit_count,
      .map = block->map_count,
      .places = made->marks->count,
      .entry = (uint8_t)made->entry,
      .entry_at = (uint8_t)(made->entry == ENTRY_DIRECT ? 0 : block->entries[made->entry] - start),
      .alignment = start % ARCH_CODE_ALIGNMENT,
      .flags_unused = block->flags_unused,
      .hot_counted = block->heat != NULL,
      .repeats = made->marks->repeats,
  };
  r.bytes = (uint32_t)parts_of(&r).bytes;
  if (r.bytes > LASTING_RECORD_MAX) return;
  struct lasting_new *new = take_room(offsetof(struct lasting_new, record) + r.bytes);
  if (!new) return;
  new->next = NULL;
  new->record = r;
  fill(&new->record, made);
  new->record.digest = input_digest(lasting_maker(), &new->record.file, r.bytes - sizeof r.digest);
  /* In the order in which a program needs them. */
  *(file->new ? &file->last->next : &file->new) = new;
  file->last = new;
  file->new_count++;
  file->new_bytes += r.bytes;
}

void lasting_drop_new(void) {
  for (struct lasting_file *file = lasting_files; file; file = file->next) {
    file->new = NULL;
    file->new_count = 0;
    file->new_bytes = 0;
  }
  if (room) room = LASTING_NEW_BASE;
}

/* -- Taking ------------------------------------------------------------------------------------------------------------------ */

/* The digest says that the record is as it was written. That its numbers fit each other is checked all the same. */
static bool is_coherent(struct lasting_record *r, const struct parts *p) {
  size_t source = 0;
  if (p->bytes != r->bytes || r->entry_bytes >= r->code_bytes || r->killed >= r->code_bytes ||
      r->entry >= ENTRY_KINDS || r->entry_at > r->entry_bytes ||
      r->body_bytes > r->code_bytes - r->entry_bytes || r->alignment >= ARCH_CODE_ALIGNMENT ||
      r->code_bytes > CACHE_BLOCK_MAX / 2)
    return false;
  for (unsigned i = 0; i < r->ranges; i++) source += p->ranges[i].bytes;
  for (unsigned i = 0; i < r->exits; i++) {
    const struct lasting_exit *exit = &p->exits[i];
    bool back =
        exit->kind != EXIT_CHECK || ((uint32_t)exit->target < r->code_bytes && exit->instructions < r->map);
    if (exit->patch + sizeof(uint32_t) > r->code_bytes + 1UL || !back) return false;
  }
  return source == r->source_bytes;
}

/* True if the program's memory has the bytes that the block was made from, all of them in the mapping. */
static bool is_same_source(const struct lasting_record *r, const struct parts *p, uintptr_t pc,
                           const struct mapping *m, struct source_range *ranges) {
  static uint8_t now[LASTING_RECORD_MAX]; /* under cache_lock */
  const uint8_t *then = p->source;
  for (unsigned i = 0; i < r->ranges; i++) {
    uintptr_t start = pc + (uintptr_t)(intptr_t)p->ranges[i].start, end = start + p->ranges[i].bytes;
    if (start < m->start || end > m->end || end < start) return false;
    ranges[i] = (struct source_range){start, end};
    if (safe_copy(now, (const void *)start, end - start) || memcmp(now, then, end - start)) return false;
    then += end - start;
  }
  return true;
}

/* A block that was just taken, and its exits. */
struct fresh {
  struct block *block;
  struct exit *exits;
  unsigned exit_count;
};

static void attach_exits(const struct lasting_record *r, const struct parts *p, struct block *block,
                         uintptr_t start, struct exit *exits) {
  for (unsigned i = 0; i < r->exits; i++) {
    exits[i].block = block;
    exits[i].kind = p->exits[i].kind;
    exits[i].target = origin_of(p->exits[i].kind, block->pc, start) + (uintptr_t)(intptr_t)p->exits[i].target;
    exits[i].instructions = p->exits[i].instructions;
    exits[i].patch = p->exits[i].patch ? start + p->exits[i].patch - 1 : 0;
    exits[i].detail = p->exits[i].detail;
  }
}

/* False: a mark lies outside the code. */
static bool make_block(const struct lasting_record *r, const struct parts *p, uintptr_t pc, uintptr_t start,
                       struct fresh *fresh) {
  struct block *block = block_memory_take(sizeof *block);
  block->pc = pc;
  block->code = start + r->entry_bytes;
  block->code_size = r->code_bytes - r->entry_bytes;
  block->body_size = r->body_bytes;
  block->instructions = r->instructions;
  block->flags_unused = r->flags_unused;
  block->killed = start + r->killed;
  block->count_word = (uint8_t)arch_count_word(pc);
  if (r->entry != ENTRY_DIRECT) block->entries[r->entry] = start + r->entry_at;
  if (r->hot_counted) cache_heat(block);
  struct exit *exits = block_memory_take(r->exits * sizeof *exits);
  attach_exits(r, p, block, start, exits);
  block->map_count = r->map;
  block->map = block_memory_take(r->map * sizeof *block->map);
  memcpy(block->map, p->map, r->map * sizeof *block->map);
  memcpy(code_written((const void *)start), p->code, r->code_bytes);
  bool attached = arch_attach(p->places, r->places, start, r->code_bytes, block, exits, r->exits);
  if (!attached) block_memory_trim(block);
  *fresh = (struct fresh){block, exits, r->exits};
  return attached;
}

#if defined(REPRISE_STRESS_LASTING)
static void compare_exits(const struct block *block, uint32_t taken_exit, uint32_t made_exit) {
  const struct exit *a = (const struct exit *)(ARENA_BASE + taken_exit),
                    *b = (const struct exit *)(ARENA_BASE + made_exit);
  bool same = a->target == b->target && a->kind == b->kind && a->patch == b->patch &&
              a->detail == b->detail && a->instructions == b->instructions &&
              a->correction == b->correction && a->borrowed == b->borrowed;
  if (!same) BUG("an exit of stored code at %lx differs from a translation's", block->pc);
}

/* A translation at the same place must be the same, byte by byte, but for the addresses of its exits. */
static void compare_with_translation(const struct lasting_record *r, const struct parts *p, uintptr_t start,
                                     const struct block *block) {
  static uint8_t code[CACHE_BLOCK_MAX]; /* under cache_lock */
  memcpy(code, (const void *)start, r->code_bytes);
  comparing = true;
  cache_commit((uint8_t *)start);
  struct block *made = arch_translate(block->pc, r->entry, 0);
  comparing = false;
  if (!made) return; /* the cache is full */
  if (made->code_size != block->code_size) BUG("stored code at %lx is no translation's", block->pc);
  for (unsigned i = 0; i < r->places; i++) {
    if (p->places[i].kind != LASTING_EXIT) continue;
    uint32_t id = arch_exit_in_code(code + p->places[i].at);
    compare_exits(block, id, arch_exit_in_code((const uint8_t *)start + p->places[i].at));
    memcpy(code_written((uint8_t *)start + p->places[i].at), code + p->places[i].at, ARCH_EXIT_BYTES);
  }
  struct exit none;
  arch_attach(p->places, 0, start, r->code_bytes, block, &none, 0);
  bool same = made->code == block->code && made->code_size == block->code_size &&
              made->body_size == block->body_size && made->instructions == block->instructions &&
              made->map_count == block->map_count && made->flags_unused == block->flags_unused &&
              made->killed == block->killed && made->heat == block->heat &&
              made->entries[r->entry] == block->entries[r->entry] && !made->far_pc && !made->uncount &&
              !memcmp(made->map, block->map, block->map_count * sizeof *block->map) &&
              !memcmp(code, (const void *)start, r->code_bytes);
  if (!same) BUG("stored code at %lx differs from a translation", block->pc);
}
#endif

/* Makes the block of the record in `taken`; false: it is refused, or there is no room. */
static bool take_record(uintptr_t pc, const struct mapping *mapping, struct fresh *fresh) {
  struct lasting_record *r = &taken.record;
  struct parts p = parts_of(r);
  struct source_range ranges[LASTING_RANGES];
  if (r->ranges > LASTING_RANGES || !is_coherent(r, &p) || (r->fixed_at && r->fixed_at != pc) ||
      !is_same_source(r, &p, pc, mapping, ranges) || (r->repeats && !lasting_repeats()) ||
      is_adapted(pc, p.map, r->map)) {
    LOG(code, "stored block refused: %lx", pc);
    return false;
  }
  uintptr_t start = (uintptr_t)cache_reserve(CACHE_BLOCK_MAX);
  if (!start) return false;
  start += (r->alignment - start) % ARCH_CODE_ALIGNMENT;
  if (!make_block(r, &p, pc, start, fresh)) return false;
#if defined(REPRISE_STRESS_LASTING)
  compare_with_translation(r, &p, start, fresh->block);
#endif
  cache_commit((uint8_t *)start + r->code_bytes);
  cache_register(fresh->block);
  codewatch_register(fresh->block, ranges, r->ranges);
  COUNT(lasting);
  return true;
}

/* Links the exits of new blocks before any thread executes them: to patch code that is being executed takes a processor long. Blocks that were first
 * entered by an indirect branch will be again: the thread's table leads there from the beginning. */
static void link_fresh(const struct fresh *fresh) {
#if !defined(REPRISE_STRESS_SIGNALS) /* there every block ends at a safepoint */
  for (unsigned i = 0; i < fresh->exit_count; i++) {
    struct exit *exit = &fresh->exits[i];
    bool of_entry = exit->patch - fresh->block->code < 8; /* for the time after the block is dropped */
    if (exit->kind != EXIT_DIRECT || !exit->patch || of_entry) continue;
    struct block *to = cache_lookup(exit->target);
    if (to) arch_link(exit, to);
  }
  struct thread *thread = arch_self();
  bool has_table = thread->cache_epoch == cache_epoch(); /* else it lays out an empty one before it enters */
  for (enum entry_kind entry = ENTRY_INDIRECT; entry < ENTRY_KINDS && has_table; entry++)
    if (fresh->block->entries[entry]) arch_resolve(thread, fresh->block, entry);
#else
  (void)fresh;
#endif
}

/* Records are in the order in which blocks were needed, and will be again. So some of those behind the one that was asked for are taken as well: more and
 * more as long as that was right. */
enum { AHEAD_LEAST = 2, AHEAD_MOST = 64 };

struct block *lasting_take(uintptr_t pc) {
  struct mapping mapping;
  static struct fresh fresh[AHEAD_MOST + 1]; /* under cache_lock */
  if (!lasting_on()) return NULL;
  struct lasting_file *file = lasting_file_at(pc, &mapping);
  uintptr_t place = pc - mapping.file_base;
  size_t at;
  if (!file || place > UINT32_MAX || !(at = lasting_find(file, (uint32_t)place, &taken.record))) return NULL;
  if (!take_record(pc, &mapping, &fresh[0])) return NULL;
  file->ahead = at == file->expected ? MIN(2 * file->ahead, AHEAD_MOST) : MAX(file->ahead / 2, AHEAD_LEAST);
  unsigned count = 1;
  for (unsigned i = 0; i < file->ahead; i++) {
    at += taken.record.bytes;
    if (!lasting_read(file, at, &taken.record)) break;
    uintptr_t next = mapping.file_base + taken.record.place;
    if (next < mapping.start || next >= mapping.end) break;
    if (!cache_lookup(next) && !take_record(next, &mapping, &fresh[count++])) count--;
  }
  file->expected = at + taken.record.bytes;
  for (unsigned i = 0; i < count; i++) link_fresh(&fresh[i]);
  return fresh[0].block;
}
