/* lasting_store.c: stores collected blocks. See lasting.h.
 *
 * What is stored by now and what is new become one file, which takes the place of the old one at once (rename): other processes have the old file or the
 * new one. Of two that store at the same time the last one wins, and what the other one had collected will be translated again. */
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/uio.h>

#include "engine/base/arena.h"
#include "engine/base/lib.h"
#include "engine/base/log.h"
#include "engine/code/lasting_files.h"
#include "engine/code/lasting_folder.h"
#include "input/digest.h"

static int owner; /* the process whose blocks are collected here */

/* Storing costs as much as the whole file. So a few new blocks are stored only now and then: as often as is worth it. */
static bool is_worth_storing(const struct lasting_file *file) {
  enum { FEW = 16, SHARE = 64 };
  if (file->new_count < FEW) return false;
  uint32_t draw = (uint32_t)(arch_ticks() * 0x9e3779b1u >> 8);
  return file->new_count >= file->records / SHARE || draw % (file->records / SHARE) < file->new_count;
}

/* -- The new file ---------------------------------------------------------------------------------------------------------- */

struct draft {
  struct lasting_header header;
  struct lasting_slot *table;
  size_t memory; /* of the table, mapped */
  uint64_t at;   /* where the next record comes */
  /* Pieces that wait to be written. */
  struct iovec pieces[64];
  unsigned piece_count;
  int fd;
  bool failed;
};

/* The slot for a place: it has a record already, or is empty. */
static struct lasting_slot *slot_for(struct draft *draft, uint32_t place) {
  uint32_t mask = draft->header.slots - 1, i = lasting_slot_of(place, draft->header.slots);
  while (draft->table[i].record && draft->table[i].place != place) i = (i + 1) & mask;
  return &draft->table[i];
}

/* Gives the record a place in the file; false: the place in the code is taken, or the file is full. */
static bool enter(struct draft *draft, uint32_t place, uint32_t bytes) {
  struct lasting_slot *slot = slot_for(draft, place);
  if (slot->record || draft->at + bytes > LASTING_FILE_MAX) return false;
  *slot = (struct lasting_slot){place, (uint32_t)(draft->at / 8)};
  draft->at += bytes;
  draft->header.records++;
  return true;
}

static void write_pieces(struct draft *draft) {
  size_t bytes = 0;
  for (unsigned i = 0; i < draft->piece_count; i++) bytes += draft->pieces[i].iov_len;
  if (!draft->failed && bytes)
    draft->failed = os_call3(__NR_writev, draft->fd, draft->pieces, draft->piece_count) != (long)bytes;
  draft->piece_count = 0;
}

static void add_piece(struct draft *draft, const void *from, size_t bytes) {
  struct iovec *last = draft->piece_count ? &draft->pieces[draft->piece_count - 1] : NULL;
  if (last && (uintptr_t)last->iov_base + last->iov_len == (uintptr_t)from) {
    last->iov_len += bytes;
    return;
  }
  if (draft->piece_count == COUNT_OF(draft->pieces)) write_pieces(draft);
  draft->pieces[draft->piece_count++] = (struct iovec){(void *)from, bytes};
}

/* Visits the records of a stored file that lie one behind the other, as they do in every whole one. What they hold is judged when it is used. The kernel reads
 * them: a file that is cut meanwhile makes the call fail. */
static void each_stored(struct draft *draft, const struct lasting_header *header, bool write) {
  size_t at = sizeof *header + (size_t)header->slots * sizeof(struct lasting_slot);
  struct lasting_record r;
  for (uint32_t i = 0; i < header->records && at + sizeof r <= header->bytes; i++, at += r.bytes) {
    if (safe_copy(&r, (const void *)(LASTING_OLD_BASE + at), sizeof r)) return;
    if (r.bytes < sizeof r || r.bytes > LASTING_RECORD_MAX || r.bytes % 8 || r.bytes > header->bytes - at)
      return;
    if (!write) {
      enter(draft, r.place, r.bytes);
    } else if (slot_for(draft, r.place)->record == draft->at / 8) {
      add_piece(draft, (const void *)(LASTING_OLD_BASE + at), r.bytes);
      draft->at += r.bytes;
    }
  }
}

static void each_new(struct draft *draft, const struct lasting_file *file, bool write) {
  for (const struct lasting_new *new = file->new; new; new = new->next) {
    const struct lasting_record *r = &new->record;
    if (!write) {
      enter(draft, r->place, r->bytes);
    } else if (slot_for(draft, r->place)->record == draft->at / 8) {
      add_piece(draft, r, r->bytes);
      draft->at += r->bytes;
    }
  }
}

static bool make_table(struct draft *draft, uint64_t records) {
  enum { RECORDS_MOST = LASTING_FILE_MAX / sizeof(struct lasting_record) };
  draft->header.slots = 64;
  while (draft->header.slots < 2 * MIN(records, (uint64_t)RECORDS_MOST)) draft->header.slots *= 2;
  draft->memory = draft->header.slots * sizeof *draft->table;
  if (draft->memory > LASTING_TABLE_ROOM) return false;
  long at = os_call6(__NR_mmap, LASTING_TABLE_BASE, draft->memory, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  draft->table = (struct lasting_slot *)at;
  return !os_failed(at);
}

/* New blocks come first: where one was made again, what is stored had been refused. */
static void write_draft(struct draft *draft, const struct lasting_file *file,
                        const struct lasting_header *old) {
  uint64_t first = sizeof draft->header + draft->memory;
  draft->at = first;
  each_new(draft, file, false);
  each_stored(draft, old, false);
  draft->header.bytes = draft->at;
  draft->header.digest =
      input_digest(lasting_maker(), &draft->header.magic, sizeof draft->header - sizeof(uint64_t));
  add_piece(draft, &draft->header, sizeof draft->header);
  add_piece(draft, draft->table, draft->memory);
  draft->at = first;
  each_new(draft, file, true);
  each_stored(draft, old, true);
  write_pieces(draft);
}

static void store(const struct lasting_file *file) {
  static struct draft draft; /* under cache_lock */
  struct lasting_header old = {0};
  char name[LASTING_NAME_MAX], other[LASTING_NAME_MAX];
  size_t mapped = lasting_map(file->content, LASTING_OLD_BASE, LASTING_OLD_ROOM, &old);
  draft = (struct draft){.header = {.magic = LASTING_MAGIC, .maker = lasting_maker(), .file = file->content}};
  lasting_name(name, file->content);
  format(other, sizeof other, LASTING_UNFINISHED "%x-%lx", (unsigned)owner, arch_ticks());
  if (make_table(&draft, (uint64_t)old.records + file->new_count)) {
    draft.fd = (int)os_call4(__NR_openat, engine_fd + FD_CODE, other,
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (draft.fd >= 0) {
      write_draft(&draft, file, &old);
      os_call1(__NR_close, draft.fd);
      if (draft.failed || os_call4(__NR_renameat, engine_fd + FD_CODE, other, engine_fd + FD_CODE, name))
        os_call3(__NR_unlinkat, engine_fd + FD_CODE, other, 0);
    }
    LOG(code, "stored %u new blocks of %lx: %s", file->new_count, file->content,
        draft.fd < 0 || draft.failed ? "failed" : "done");
    os_call2(__NR_munmap, draft.table, draft.memory);
  }
  if (mapped) os_call2(__NR_munmap, LASTING_OLD_BASE, mapped);
}

/* -- When ------------------------------------------------------------------------------------------------------------------- */

/* A file beyond the limit on files would raise a signal. */
static bool may_write(void) {
  struct rlimit64 limit;
  return !os_call4(__NR_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) && limit.rlim_cur == RLIM64_INFINITY;
}

void lasting_save(void) {
  if (!lasting_on() || !lasting_collects()) return;
  lock_take(&cache_lock);
  bool any = false;
  /* A process that shares our memory does not store what is ours. */
  if (owner == (int)os_call0(__NR_getpid) && may_write())
    for (struct lasting_file *file = lasting_files; file; file = file->next)
      if (is_worth_storing(file)) {
        store(file);
        any = true;
      }
  if (any) lasting_limit_folder(engine_fd + FD_CODE);
  if (any) lasting_drop_new();
  lock_release(&cache_lock);
}

void lasting_own(void) {
  lasting_drop_new();
  owner = (int)os_call0(__NR_getpid);
}
