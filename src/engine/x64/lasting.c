/* lasting.c (x86-64): places in the code of a block that depend on where the block is; see code/lasting_marks.h. */
#include "engine/code/cache.h"
#include "engine/code/lasting_marks.h"
#include "engine/x64/emit.h"
#include "engine/x64/translate.h"

enum { HEAT_BEHIND = 1 }; /* bytes between the displacement of the counter and the end of its instruction */

/* The permission's place in the map, away from that for pc: mappings lie a whole number of blocks apart. */
static uint32_t away_from(uint32_t word, uintptr_t pc, int sign) {
  uint32_t own = (uint32_t)pc >> BLOCK_SHIFT;
  return (sign < 0 ? word - own : word + own) % PERMISSION_BLOCKS;
}

/* The forms: the exit's number; the target's distance from the engine's base; nothing; the distance from pc. */
void arch_detach(struct lasting_place place, uint8_t *code, uintptr_t start, uintptr_t pc,
                 const struct exit *exits) {
  uint32_t word = 0;
  uint64_t address;
  uint8_t *at = code + place.at;
  __builtin_memcpy(&word, at, sizeof word);
  switch ((enum lasting_mark)place.kind) {
    case LASTING_EXIT:
      word = (uint32_t)((const struct exit *)(ARENA_BASE + word) - exits);
      break;
    case LASTING_ENGINE:
      word += (uint32_t)(start + place.at + sizeof word - ENGINE_BASE);
      break;
    case LASTING_ADDRESS:
    case LASTING_NEGATED:
      __builtin_memcpy(&address, at, sizeof address);
      address += place.kind == LASTING_ADDRESS ? -pc : pc;
      __builtin_memcpy(at, &address, sizeof address);
      return;
    case LASTING_PERMISSION:
      word = away_from(word - (uint32_t)SLOT_PERMISSIONS, pc, -1);
      break;
    default:
      word = 0;
  }
  __builtin_memcpy(at, &word, sizeof word);
}

uint32_t arch_exit_in_code(const uint8_t *at) {
  uint32_t offset;
  __builtin_memcpy(&offset, at, sizeof offset);
  return offset;
}

static inline bool attach(struct lasting_place place, uintptr_t start, size_t bytes,
                          const struct block *block, struct exit *exits, unsigned exit_count) {
  bool wide = place.kind == LASTING_ADDRESS || place.kind == LASTING_NEGATED;
  uint8_t *at = code_written((uint8_t *)start + place.at);
  uintptr_t behind = start + place.at + sizeof(uint32_t);
  uint32_t word;
  uint64_t address;
  if (place.at + (wide ? sizeof address : sizeof word) > bytes) return false;
  __builtin_memcpy(&word, at, sizeof word);
  switch ((enum lasting_mark)place.kind) {
    case LASTING_EXIT:
      if (word >= exit_count) return false;
      word = (uint32_t)((uintptr_t)&exits[word] - ARENA_BASE);
      break;
    case LASTING_ENGINE:
      word -= (uint32_t)(behind - ENGINE_BASE);
      break;
    case LASTING_HEAT:
      if (!block->heat) return false;
      word = (uint32_t)((uintptr_t)block->heat - (behind + HEAT_BEHIND));
      break;
    case LASTING_ADDRESS:
    case LASTING_NEGATED:
      __builtin_memcpy(&address, at, sizeof address);
      address += place.kind == LASTING_ADDRESS ? block->pc : -block->pc;
      __builtin_memcpy(at, &address, sizeof address);
      return true;
    case LASTING_HIGH_HALF:
      word = (uint32_t) - (block->pc >> 16);
      break;
    case LASTING_PERMISSION:
      word = (uint32_t)SLOT_PERMISSIONS + away_from(word, block->pc, 1);
      break;
    case LASTING_COUNT:
      word = CTX_COUNTS + 8U * block->count_word;
      break;
    default:
      return false;
  }
  __builtin_memcpy(at, &word, sizeof word);
  return true;
}

bool arch_attach(const struct lasting_place *places, unsigned count, uintptr_t start, size_t bytes,
                 const struct block *block, struct exit *exits, unsigned exit_count) {
  for (unsigned i = 0; i < count; i++)
    if (!attach(places[i], start, bytes, block, exits, exit_count)) return false;
  return true;
}
