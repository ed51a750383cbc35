/* lasting.c (AArch64): places in the code of a block that depend on where the block is; see code/lasting_marks.h. */
#include "engine/a64/translate.h"
#include "engine/base/lib.h"

/* The sixteen bits of a movz or movk. */
static uint64_t half_at(const uint32_t *at) {
  return *at >> 5 & 0xffff;
}
static void set_half(uint32_t *at, uint64_t half) {
  *at = (*at & ~(0xffffu << 5)) | (uint32_t)(half & 0xffff) << 5;
}

/* Those of several in a row. */
static uint64_t value_at(const uint32_t *at, unsigned halves) {
  uint64_t value = 0;
  for (unsigned i = 0; i < halves; i++) value |= half_at(at + i) << 16 * i;
  return value;
}
static void set_value(uint32_t *at, unsigned halves, uint64_t value) {
  for (unsigned i = 0; i < halves; i++) set_half(at + i, value >> 16 * i);
}

enum { EXIT_HALVES = 2, ADDRESS_HALVES = 3, HEAT_WORDS = 4, BRANCH = 0x3ffffff };

/* The forms: the exit's number; the target's distance from the cache's beginning, in words; nothing; the distance from pc. */
void arch_detach(struct lasting_place place, uint8_t *code, uintptr_t start, uintptr_t pc,
                 const struct exit *exits) {
  uint32_t *at = (uint32_t *)(void *)(code + place.at);
  uint64_t value;
  switch ((enum lasting_mark)place.kind) {
    case LASTING_EXIT:
      value = (uint64_t)((const struct exit *)(ARENA_BASE + value_at(at, EXIT_HALVES)) - exits);
      set_value(at, EXIT_HALVES, value);
      return;
    case LASTING_ENGINE:
      *at =
          (*at & ~(uint32_t)BRANCH) | ((*at + (uint32_t)((start + place.at - CODE_CACHE_BASE) / 4)) & BRANCH);
      return;
    case LASTING_HEAT:
      memset(at, 0, HEAT_WORDS * sizeof *at);
      return;
    case LASTING_ADDRESS:
      memcpy(&value, at, sizeof value);
      value -= pc;
      memcpy(at, &value, sizeof value);
      return;
    default: /* LASTING_MOVED */
      set_value(at, ADDRESS_HALVES, value_at(at, ADDRESS_HALVES) - pc);
  }
}

uint32_t arch_exit_in_code(const uint8_t *at) {
  return (uint32_t)value_at((const uint32_t *)(const void *)at, EXIT_HALVES);
}

/* Bytes that belong to a mark. */
static size_t extent(enum lasting_mark kind) {
  switch (kind) {
    case LASTING_EXIT:
      return EXIT_HALVES * sizeof(uint32_t);
    case LASTING_ENGINE:
      return sizeof(uint32_t);
    case LASTING_HEAT:
      return HEAT_WORDS * sizeof(uint32_t);
    case LASTING_ADDRESS:
      return sizeof(uint64_t);
    case LASTING_MOVED:
      return ADDRESS_HALVES * sizeof(uint32_t);
    default:
      return SIZE_MAX / 2;
  }
}

static bool attach(struct lasting_place place, uintptr_t start, size_t bytes, const struct block *block,
                   const struct exit *exits, unsigned exit_count) {
  uint32_t *at = code_written((uint32_t *)(start + place.at));
  struct code c = {.at = (uint32_t *)(start + place.at)};
  uint64_t value;
  if (place.at % sizeof *at || place.at + extent(place.kind) > bytes) return false;
  switch ((enum lasting_mark)place.kind) {
    case LASTING_EXIT:
      value = value_at(at, EXIT_HALVES);
      if (value >= exit_count) return false;
      set_value(at, EXIT_HALVES, (uintptr_t)&exits[value] - ARENA_BASE);
      return true;
    case LASTING_ENGINE:
      *at =
          (*at & ~(uint32_t)BRANCH) | ((*at - (uint32_t)((start + place.at - CODE_CACHE_BASE) / 4)) & BRANCH);
      return true;
    case LASTING_HEAT:
      if (!block->heat) return false;
      emit_count_entries(&c, block);
      return true;
    case LASTING_ADDRESS:
      memcpy(&value, at, sizeof value);
      value += block->pc;
      memcpy(at, &value, sizeof value);
      return true;
    case LASTING_MOVED:
      set_value(at, ADDRESS_HALVES, value_at(at, ADDRESS_HALVES) + block->pc);
      return true;
    default:
      return false;
  }
}

bool arch_attach(const struct lasting_place *places, unsigned count, uintptr_t start, size_t bytes,
                 const struct block *block, struct exit *exits, unsigned exit_count) {
  bool fits = true;
  for (unsigned i = 0; i < count && fits; i++)
    fits = attach(places[i], start, bytes, block, exits, exit_count);
  sync_code((const void *)start, (const void *)(start + bytes));
  return fits;
}
