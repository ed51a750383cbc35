/* directory_entries.c: what the directory knows of blocks: one entry for a group, or some blocks' own. See directory.h.
 *
 * All of this is done by who has the locks of the blocks in question, so it is no step that another thread could see. */
#include "order/directory_steps.h"
#include "order/sets.h"

static uint64_t word_of(const struct directory_group *group) {
  return atomic_load_explicit(&group->word, memory_order_relaxed);
}

/* The first block of the set and all others of it that have the same entry for sure; taken out of the set. */
struct run {
  uint64_t blocks;
  uint64_t word, *info;
  uint64_t *own; /* NULL: the group's */
};

static bool next_run(const struct directory *d, uint64_t number, uint64_t *set, struct run *run) {
  struct directory_group *group = d->group(d, number);
  if (!*set) return false;
  uint64_t plain = *set & ~atomic_load(&group->split);
  run->blocks = plain ? plain : *set & -*set;
  *set &= ~run->blocks;
  if (plain) {
    run->own = NULL;
    run->word = word_of(group);
    run->info = &group->info;
  } else {
    struct directory_place place = d->place(d, group_first(number, run->blocks));
    run->own = place.word;
    run->word = __atomic_load_n(place.word, __ATOMIC_RELAXED);
    run->info = place.info;
  }
  return true;
}

uint64_t directory_touched(const struct directory *d, uint64_t group) {
  uint64_t blocks = 0;
  struct run run;
  for (uint64_t set = GROUP_ALL; next_run(d, group, &set, &run);)
    if (run.word) blocks |= run.blocks;
  return blocks;
}

/* -- Who is in the way -------------------------------------------------------------------------------------------------- */

static void add_sharers(struct order_set *to, uint64_t word) {
  for (unsigned i = 0; i < DIRECTORY_INLINE; i++)
    if (word_field(word, sharer_shift(i))) set_add(to, word_field(word, sharer_shift(i)) - 1);
}

/* Nobody has it: who wrote it last has left it. */
static bool is_left(uint64_t word) {
  return word_mode(word) == DIRECTORY_SHARED && !(word >> WORD_SHARERS);
}

static bool are_sharers_in(const struct order_set *set, uint64_t word, unsigned me) {
  for (unsigned i = 0; i < DIRECTORY_INLINE; i++) {
    unsigned sharer = word_field(word, sharer_shift(i));
    if (sharer && sharer != me + 1 && !set_has(set, sharer - 1)) return false;
  }
  return true;
}

/* Of blocks that are needed. */
static void add_targets(struct directory_claim *claim, unsigned want, uint64_t word) {
  unsigned who = word_field(word, WORD_WHO);
  switch (word_mode(word)) {
    case DIRECTORY_UNTOUCHED:
      return;
    case DIRECTORY_OWNED:
      set_add(&claim->targets, who - 1);
      return;
    case DIRECTORY_SHARED:
      if (want == ORDER_WRITE) add_sharers(&claim->targets, word);
      break;
    case DIRECTORY_MANY:
      break;
  }
  if (who && (want == ORDER_READ || (is_left(word) && !ORDER_WRONG(WRONG_LEFT_NO_EDGE))))
    set_add(&claim->writers, who - 1);
}

/* Whether it can come along: nobody has to be asked for it but those who are asked already. (Who shares what many do is found out
 * later.) */
static bool fits(const struct directory_claim *claim, unsigned me, unsigned want, uint64_t word) {
  unsigned who = word_field(word, WORD_WHO);
  if (word_mode(word) == DIRECTORY_UNTOUCHED) return true;
  if (word_mode(word) == DIRECTORY_OWNED) return who == me + 1 || set_has(&claim->targets, who - 1);
  if (want == ORDER_READ || (is_left(word) && !ORDER_WRONG(WRONG_LEFT_ALONG)))
    return !who || who == me + 1 || set_has(&claim->targets, who - 1) || set_has(&claim->writers, who - 1);
  return word_mode(word) == DIRECTORY_SHARED && are_sharers_in(&claim->targets, word, me);
}

/* Adds all slots that hold any of the blocks that many slots may read. */
static void add_holders(const struct directory *d, struct directory_claim *claim, uint64_t many) {
  unsigned slots = atomic_load_explicit(d->slots, memory_order_acquire);
  for (unsigned slot = 0; slot < slots; slot++)
    if (d->held(d, slot, claim->group, many, ORDER_READ)) set_add(&claim->targets, slot);
}

void directory_find_targets(const struct directory *d, unsigned me, struct directory_claim *claim) {
  uint64_t need = d->slot[me].need, many = 0, same = 0;
  unsigned want = d->slot[me].want;
  struct run run;
  set_clear(&claim->targets);
  set_clear(&claim->writers);
  for (uint64_t set = need; next_run(d, claim->group, &set, &run);) {
    add_targets(claim, want, run.word);
    if (want == ORDER_WRITE && word_mode(run.word) == DIRECTORY_MANY) many |= run.blocks, same = run.word;
  }
  claim->takes = need;
  for (uint64_t set = claim->locked & ~need; next_run(d, claim->group, &set, &run);) {
    bool alike = same && run.word == same;
    if (alike) many |= run.blocks;
    if (alike || fits(claim, me, want, run.word)) claim->takes |= run.blocks;
  }
  if (many) add_holders(d, claim, many);
  set_remove(&claim->targets, me);
  set_remove(&claim->writers, me);
  set_subtract(&claim->writers, &claim->targets);
  for (unsigned slot = 0; ORDER_WRONG(WRONG_MARKS_DROPPED) && slot < ORDER_SLOTS; slot++)
    if (!order_is_alive(&d->slot[slot].recorder)) set_remove(&claim->targets, slot);
}

/* A whole group is had at once, with one entry, or left. */
static bool is_split(const struct directory *d, struct directory_part part) {
  return part.blocks == GROUP_ALL &&
         atomic_load_explicit(&d->group(d, part.group)->split, memory_order_relaxed);
}

bool directory_has_alone(const struct directory *d, struct directory_part part, unsigned answerer,
                         unsigned asker, unsigned want) {
  struct order_set those;
  struct run run;
  if (is_split(d, part)) return false;
  set_clear(&those);
  set_add(&those, answerer);
  for (uint64_t set = part.blocks; next_run(d, part.group, &set, &run);) {
    if (run.word == make_word(DIRECTORY_OWNED, answerer + 1) || is_left(run.word)) continue;
    if (want == ORDER_READ || word_mode(run.word) != DIRECTORY_SHARED) return false;
    if (!are_sharers_in(&those, run.word, asker)) return false;
  }
  return true;
}

bool directory_is_free(const struct directory *d, struct directory_part part, unsigned want) {
  if (is_split(d, part)) return false;
  return want == ORDER_READ ? directory_is_unowned(d, part.group, part.blocks)
                            : directory_left_by(d, ORDER_NOBODY, part.group, part.blocks) == part.blocks;
}

bool directory_is_unowned(const struct directory *d, uint64_t number, uint64_t blocks) {
  struct run run;
  while (next_run(d, number, &blocks, &run))
    if (word_mode(run.word) < DIRECTORY_SHARED) return false;
  return true;
}

void directory_add_writers(const struct directory *d, unsigned me, struct directory_claim *claim,
                           struct directory_part part) {
  struct run run;
  for (uint64_t set = part.blocks; next_run(d, part.group, &set, &run);) {
    unsigned who = word_field(run.word, WORD_WHO);
    if (who && who != me + 1 && !ORDER_WRONG(WRONG_BROUGHT_NO_EDGE)) set_add(&claim->writers, who - 1);
  }
}

void directory_add_leavers(const struct directory *d, unsigned me, struct directory_claim *claim,
                           struct directory_part part) {
  struct run run;
  for (uint64_t set = part.blocks; next_run(d, part.group, &set, &run);) {
    unsigned who = word_field(run.word, WORD_WHO);
    if (is_left(run.word) && who != me + 1) set_add(&claim->writers, who - 1);
  }
}

/* The latest of those that the writer left behind in the part. */
static uint64_t info_of(const struct directory *d, struct directory_part part, unsigned writer,
                        uint64_t latest) {
  struct run run;
  while (next_run(d, part.group, &part.blocks, &run))
    if (word_mode(run.word) >= DIRECTORY_SHARED && word_field(run.word, WORD_WHO) == writer + 1)
      latest = *run.info > latest ? *run.info : latest;
  return latest;
}

uint64_t directory_info(const struct directory *d, unsigned me, const struct directory_claim *claim,
                        unsigned writer) {
  uint64_t latest = info_of(d, (struct directory_part){claim->group, claim->takes}, writer, 0);
  for (unsigned n = 1; n <= claim->brought; n++)
    latest = info_of(d, further_part(&d->slot[me], n), writer, latest);
  return latest;
}

/* -- Changes ------------------------------------------------------------------------------------------------------------ */

static uint64_t add_sharer(uint64_t word, unsigned slot) {
  if (word_mode(word) == DIRECTORY_MANY) return word;
  for (unsigned i = 0; i < DIRECTORY_INLINE; i++) {
    unsigned field = word_field(word, sharer_shift(i));
    if (field == slot + 1) return word;
    if (!field) return word | (uint64_t)(slot + 1) << sharer_shift(i);
  }
  return make_word(DIRECTORY_MANY, word_field(word, WORD_WHO));
}

/* The entry as the grant leaves it. */
static uint64_t granted(uint64_t word, unsigned me, unsigned want) {
  if (want == ORDER_WRITE || word == make_word(DIRECTORY_OWNED, me + 1))
    return make_word(DIRECTORY_OWNED, me + 1);
  if (word_mode(word) == DIRECTORY_UNTOUCHED) word = make_word(DIRECTORY_SHARED, 0);
  return add_sharer(word, me);
}

/* Changes the entry of a run of blocks: the group's, if no others have that one. */
static void change(const struct directory *d, uint64_t number, const struct run *run, uint64_t word,
                   uint64_t info) {
  struct directory_group *group = d->group(d, number);
  bool shared = word_mode(word) >= DIRECTORY_SHARED;
  if (run->own) {
    *run->own = word;
    if (shared) *run->info = info;
    return;
  }
  uint64_t others = GROUP_ALL & ~atomic_load(&group->split) & ~run->blocks;
  if (!others || ORDER_WRONG(WRONG_WHOLE_GROUP)) {
    atomic_store_explicit(&group->word, word, memory_order_relaxed);
    if (shared) group->info = info;
    return;
  }
  for (uint64_t set = run->blocks; set; set &= set - 1) {
    struct directory_place place = d->place(d, group_first(number, set));
    *place.word = word;
    if (shared) *place.info = info;
  }
  atomic_fetch_or(&group->split, run->blocks);
}

/* Blocks that have their own entries and need not, any more: the group's is the same and in our hands, or is nobody's. */
static void join(const struct directory *d, uint64_t number, uint64_t locked) {
  struct directory_group *group = d->group(d, number);
  uint64_t split = atomic_load(&group->split), same = 0;
  struct run run;
  if (!(split & locked) || GROUP_ALL & ~split & ~locked || (split == GROUP_ALL && locked != GROUP_ALL))
    return;
  if (split == GROUP_ALL) {
    struct directory_place place = d->place(d, group_first(number, split));
    atomic_store_explicit(&group->word, *place.word, memory_order_relaxed);
    if (word_mode(*place.word) >= DIRECTORY_SHARED) group->info = *place.info;
  }
  uint64_t word = word_of(group);
  bool shared = word_mode(word) >= DIRECTORY_SHARED;
  for (uint64_t set = split & locked; next_run(d, number, &set, &run);)
    if (run.own && run.word == word && (!shared || *run.info == group->info)) same |= run.blocks;
  if (same) atomic_fetch_and(&group->split, ~same);
}

void directory_disown(const struct directory *d, const struct directory_claim *claim, unsigned owner,
                      uint64_t info) {
  uint64_t owned = make_word(DIRECTORY_OWNED, owner + 1);
  struct run run;
  for (uint64_t set = claim->takes; next_run(d, claim->group, &set, &run);)
    if (run.word == owned)
      change(d, claim->group, &run, add_sharer(make_word(DIRECTORY_SHARED, owner + 1), owner), info);
}

uint64_t directory_left_by(const struct directory *d, unsigned who, uint64_t number, uint64_t blocks) {
  uint64_t left = 0;
  struct run run;
  while (next_run(d, number, &blocks, &run))
    if (is_left(run.word) && (who == ORDER_NOBODY || word_field(run.word, WORD_WHO) == who + 1))
      left |= run.blocks;
  return left;
}

uint64_t directory_owned_by(const struct directory *d, unsigned who, uint64_t number, uint64_t blocks) {
  uint64_t owned = 0;
  struct run run;
  while (next_run(d, number, &blocks, &run))
    if (run.word == make_word(DIRECTORY_OWNED, who + 1)) owned |= run.blocks;
  return owned;
}

void directory_set_left(const struct directory *d, unsigned me, struct directory_part part, uint64_t info) {
  struct run run;
  for (uint64_t set = part.blocks; next_run(d, part.group, &set, &run);)
    change(d, part.group, &run, make_word(DIRECTORY_SHARED, me + 1), info);
}

/* For reading it was read only, or owned by who brought it. */
void directory_grant_part(const struct directory *d, unsigned me, struct directory_part part, uint64_t info) {
  struct run run;
  for (uint64_t set = part.blocks; next_run(d, part.group, &set, &run);) {
    unsigned owner = word_field(run.word, WORD_WHO);
    bool shared = word_mode(run.word) >= DIRECTORY_SHARED;
    uint64_t word = make_word(DIRECTORY_OWNED, me + 1), left = shared ? *run.info : info;
    if (d->slot[me].want == ORDER_READ)
      word = add_sharer(shared ? run.word : add_sharer(make_word(DIRECTORY_SHARED, owner), owner - 1), me);
    change(d, part.group, &run, word, left);
  }
  join(d, part.group, part.blocks);
}

void directory_grant(const struct directory *d, unsigned me, const struct directory_claim *claim) {
  struct run run;
  for (uint64_t set = claim->takes; next_run(d, claim->group, &set, &run);) {
    uint64_t word = granted(run.word, me, d->slot[me].want);
    uint64_t info = word_mode(run.word) >= DIRECTORY_SHARED ? *run.info : 0;
    change(d, claim->group, &run, word, info);
  }
  join(d, claim->group, claim->locked);
}
