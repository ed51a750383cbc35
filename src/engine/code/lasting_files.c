/* lasting_files.c: finds stored blocks. See lasting.h.
 *
 * Stored files are read with care: a file may be cut, or changed, at any time. What is used of one is copied first, and judged then. */
#include "engine/code/lasting_files.h"

#include <linux/auxvec.h>
#include <linux/elf.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/stat.h>

#include "engine/base/arena.h"
#include "engine/base/file_state.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/region/rings.h"
#include "input/digest.h"

#ifndef NT_GNU_BUILD_ID
#define NT_GNU_BUILD_ID 3
#endif

struct lasting_file *lasting_files; /* under cache_lock */

static uint64_t maker;         /* 0: off */
static uintptr_t next_address; /* where the next stored file is mapped */

/* Most questions are about the code of the one before. */
static struct latest {
  struct mapping mapping;
  uint32_t changes; /* of mappings with code, when that was found */
  struct lasting_file *file;
} latest;

bool lasting_on(void) {
  return maker && !arch_time_is_guarded() && !config.sandboxed;
}

bool lasting_collects(void) {
  return !replaying();
}

/* Where all accesses have a place in the order the engine makes those of a repeated instruction, piece by piece. Code that checks accesses is always made
 * so, other code in some replays only. */
bool lasting_repeats(void) {
  return demands.told_accesses == (config.check != CHECK_NONE);
}

uint64_t lasting_maker(void) {
  return maker;
}

/* -- The maker ----------------------------------------------------------------------------------------------------------- */

/* The linker's digest of the engine, by the program headers. */
static const Elf64_Nhdr *build_note(void) {
  const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)ENGINE_BASE;
  const Elf64_Phdr *phdr = (const Elf64_Phdr *)(ENGINE_BASE + ehdr->e_phoff);
  for (unsigned i = 0; i < ehdr->e_phnum; i++) {
    const Elf64_Nhdr *note = (const Elf64_Nhdr *)phdr[i].p_vaddr;
    if (phdr[i].p_type == PT_NOTE && note->n_type == NT_GNU_BUILD_ID) return note;
  }
  return NULL;
}

static uint64_t capabilities[2]; /* of the processor */

/* All that decides how an instruction is translated, but for what marks tell. So what `run` has stored serves recordings and replays that check no accesses.
 * Where single atomics are ordered it depends on code near by whether an instruction is watched, and a debugger has blocks end at its breaks: there no code is kept. */
static void decide_maker(void) {
  const Elf64_Nhdr *note = build_note();
  maker = 0;
  if (!config.keeps_code || !note || !ARCH_CODE_LASTS || sync_on() || debugged()) return;
  bool checked = config.check != CHECK_NONE;
  struct {
    uint64_t check, told, asks, values, capabilities[2];
  } facts = {.check = config.check,
             .told = checked && demands.told_accesses,
             .asks = permissions_on(),
             .values = checked && config.values != VALUES_OFF ? 1 + config.mode : 0,
             .capabilities = {capabilities[0], capabilities[1]}};
  maker = input_digest(LASTING_MAGIC, &facts, sizeof facts);
  maker = input_digest(maker, note, sizeof *note + ALIGN_UP(note->n_namesz, 4) + note->n_descsz);
}

void lasting_init(const uint64_t words[2]) {
  memcpy(capabilities, words, sizeof capabilities);
  next_address = LASTING_BASE;
  decide_maker();
}

void lasting_begin_again(void) {
  if (next_address > LASTING_BASE) os_call2(__NR_munmap, LASTING_BASE, next_address - LASTING_BASE);
  next_address = LASTING_BASE;
  lasting_files = NULL;
  latest = (struct latest){0};
  decide_maker();
}

/* -- Stored files ---------------------------------------------------------------------------------------------------------- */

void lasting_name(char name[LASTING_NAME_MAX], uint64_t content) {
  format(name, LASTING_NAME_MAX, "%lx" LASTING_SUFFIX, input_digest(maker, &content, sizeof content));
}

/* In a replay the manager opens it, and vouches for it (sphere/code_folder.c). */
static long open_stored(uint64_t content) {
  char name[LASTING_NAME_MAX];
  if (replaying())
    return region_ask_file(REQUEST_CODE, (int64_t)input_digest(maker, &content, sizeof content));
  lasting_name(name, content);
  return os_call4(__NR_openat, engine_fd + FD_CODE, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
}

/* A file that is used counts as new (lasting_folder.c); once a day is enough. */
static void touch(long fd, int64_t changed) {
  enum { DAY = 24 * 60 * 60, REALTIME = 0 };
  struct {
    int64_t seconds, nanoseconds;
  } now;
  if (!os_call2(__NR_clock_gettime, REALTIME, &now) && now.seconds - changed > DAY)
    os_call4(__NR_utimensat, fd, NULL, NULL, 0);
}

/* Another user's file, or one that others may write, is not trusted. */
static bool is_own(long fd, size_t *bytes) {
  struct statx info;
  if (file_state((int)fd, "", &info)) return false;
  *bytes = info.stx_size;
  if (info.stx_size < sizeof(struct lasting_header) || info.stx_size > LASTING_FILE_MAX) return false;
  if (replaying()) return true; /* the manager has looked */
  touch(fd, info.stx_mtime.tv_sec);
  return S_ISREG(info.stx_mode) && !(info.stx_mode & (S_IWGRP | S_IWOTH)) &&
         info.stx_uid == (uint32_t)os_call0(__NR_geteuid);
}

static bool is_sound(const struct lasting_header *header, uint64_t content, size_t bytes) {
  size_t table = (size_t)header->slots * sizeof(struct lasting_slot);
  return header->digest == input_digest(maker, &header->magic, sizeof *header - sizeof header->digest) &&
         header->magic == LASTING_MAGIC && header->maker == maker && header->file == content &&
         header->bytes == bytes && header->slots && !(header->slots & (header->slots - 1)) &&
         header->records < header->slots && sizeof *header + table <= bytes;
}

size_t lasting_map(uint64_t content, uintptr_t at, size_t room, struct lasting_header *header) {
  size_t bytes = 0;
  long fd = open_stored(content);
  if (fd < 0) return 0;
  long address = -EACCES;
  if (is_own(fd, &bytes) && bytes <= room)
    address = os_call6(__NR_mmap, at, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
  os_call1(__NR_close, fd);
  if (os_failed(address)) return 0;
  if (!safe_copy(header, (const void *)at, sizeof *header) && is_sound(header, content, bytes)) return bytes;
  *header = (struct lasting_header){0};
  LOG(code, "stored code refused: %lx", content);
  os_call2(__NR_munmap, at, bytes);
  return 0;
}

static struct lasting_file *new_file(uint64_t content) {
  struct lasting_file *file = arena_alloc(sizeof *file);
  struct lasting_header header;
  file->content = content;
  file->stored = next_address;
  file->bytes = lasting_map(content, next_address, LASTING_BASE + LASTING_ROOM - next_address, &header);
  if (file->bytes) {
    file->slots = header.slots;
    file->records = header.records;
    next_address += ALIGN_UP(file->bytes, PAGE);
    LOG(code, "stored code: %u blocks of %lx", file->records, content);
  }
  file->next = lasting_files;
  lasting_files = file;
  return file;
}

static struct lasting_file *file_of(uint64_t content) {
  struct lasting_file *file = lasting_files;
  while (file && file->content != content) file = file->next;
  return file ? file : new_file(content);
}

struct lasting_file *lasting_file_at(uintptr_t pc, struct mapping *mapping) {
  struct mapping *found = &latest.mapping;
  uint32_t now = atomic_load(&mappings_code_changes);
  if (now != latest.changes || pc < found->start || pc >= found->end) {
    if (!mappings_find(pc, found)) *found = (struct mapping){0};
    latest.changes = now;
    const struct code_file *code = found->file;
    bool lasts =
        code && code->content && found->prot & PROT_EXEC && !(found->prot & PROT_WRITE) && !found->shared;
    latest.file = lasts ? file_of(code->content) : NULL;
  }
  *mapping = *found;
  return latest.file && !found->file->written ? latest.file : NULL;
}

/* -- Records --------------------------------------------------------------------------------------------------------------- */

uint32_t lasting_slot_of(uint32_t place, uint32_t slots) {
  return place * 0x9e3779b1u >> 7 & (slots - 1);
}

/* Where the table says that the record is; 0: there is none. */
static size_t look_up(const struct lasting_file *file, uint32_t place) {
  const struct lasting_slot *table =
      (const struct lasting_slot *)(file->stored + sizeof(struct lasting_header));
  struct lasting_slot slot;
  uint32_t i = lasting_slot_of(place, file->slots);
  for (uint32_t looks = 0; looks < file->slots; looks++, i = (i + 1) & (file->slots - 1)) {
    if (safe_copy(&slot, &table[i], sizeof slot) || !slot.record) return 0;
    if (slot.place == place) return (size_t)slot.record * 8;
  }
  return 0;
}

/* Most records are needed once. Pages that were read count as the process's memory as long as they are mapped. */
static void let_go(struct lasting_file *file, size_t bytes) {
  enum { OFTEN = 512 << 10 };
  file->copied += bytes;
  if (file->copied < OFTEN) return;
  os_call3(__NR_madvise, file->stored, ALIGN_UP(file->bytes, PAGE), MADV_DONTNEED);
  file->copied = 0;
}

bool lasting_read(struct lasting_file *file, size_t at, struct lasting_record *to) {
  if (at + sizeof *to > file->bytes) return false;
  const uint8_t *from = (const uint8_t *)file->stored + at;
  if (safe_copy(to, from, sizeof *to) || to->bytes > MIN((size_t)LASTING_RECORD_MAX, file->bytes - at) ||
      to->bytes < sizeof *to)
    return false;
  if (safe_copy(to + 1, from + sizeof *to, to->bytes - sizeof *to)) return false;
  let_go(file, to->bytes);
  return to->file == file->content &&
         to->digest == input_digest(maker, &to->file, to->bytes - sizeof to->digest);
}

size_t lasting_find(struct lasting_file *file, uint32_t place, struct lasting_record *to) {
  size_t at = file->slots ? look_up(file, place) : 0;
  return at && lasting_read(file, at, to) && to->place == place ? at : 0;
}

uint64_t lasting_content(int fd, uint64_t size) {
  uint8_t beginning[PAGE];
  if (!lasting_on()) return 0;
  long n = os_call4(__NR_pread64, fd, beginning, sizeof beginning, 0);
  return n > 0 && size <= UINT32_MAX ? input_digest(size, beginning, (size_t)n) : 0;
}
