/* constraints.c: the least constraints between threads that keep an order. See search.h.
 *
 * Accesses are visited in the order that was found. Each has a vector: how many accesses of every thread come before
 * it. An earlier access that conflicts with it needs a constraint only if the vector does not cover it yet; the
 * latest comes first, since its vector covers others. (Netzer's transitive reduction.) */
#include <stdlib.h>
#include <string.h>

#include "search/search.h"
#include "search/wrong.h"

struct book {
  const struct search_slice *slice;
  uint32_t first[SEARCH_THREADS + 1];
  uint32_t *vectors; /* of each access, slice->threads numbers: accesses of each thread up to it */
  uint32_t (*now)[SEARCH_THREADS]; /* the same of each thread's last access */
  /* By location, a list of accesses that a later one may conflict with, linked by `older`. */
  uint32_t *newest, *older;
};

static unsigned thread_of(const struct book *book, uint32_t access) {
  unsigned low = 0, high = book->slice->threads - 1;
  while (low < high) {
    unsigned middle = (low + high + 1) / 2;
    if (book->first[middle] <= access)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static bool conflict(const struct search_access *a, const struct search_access *b) {
  return (a->mask & b->mask) && ((a->kind | b->kind) & SEARCH_WRITE);
}

/* Nothing later can conflict with `old` and not with `access`, which comes behind it, or in the same thread. */
static bool covers(const struct search_access *access, const struct search_access *old, bool same_thread) {
  if (old->mask & ~access->mask) return false;
  return (access->kind & SEARCH_WRITE) || (same_thread && old->kind == SEARCH_READ);
}

/* Constraints of one access: the list is from the latest to the earliest. Those that it covers leave the list. */
static uint32_t constrain(struct book *book, uint32_t index, struct search_constraint *into, uint32_t room) {
  const struct search_access *access = &book->slice->accesses[index];
  unsigned threads = book->slice->threads, me = thread_of(book, index);
  uint32_t *mine = book->now[me], *link = &book->newest[access->location], made = 0;
  while (*link != UINT32_MAX) {
    uint32_t old = *link;
    const struct search_access *earlier = &book->slice->accesses[old];
    unsigned other = thread_of(book, old);
    if (other != me && conflict(access, earlier) &&
        (mine[other] <= old - book->first[other] || SEARCH_WRONG(WRONG_NOT_REDUCED))) {
      if (made < room) into[made] = (struct search_constraint){old, index};
      made++;
      if (SEARCH_WRONG(WRONG_VECTOR_OF_ONE)) mine[other] = UINT32_MAX;
      const uint32_t *its = book->vectors + (size_t)old * threads;
      for (unsigned t = 0; t < threads; t++)
        if (its[t] > mine[t]) mine[t] = its[t];
    }
    if (covers(access, earlier, other == me))
      *link = book->older[old];
    else
      link = &book->older[old];
  }
  mine[me] = index - book->first[me] + 1;
  memcpy(book->vectors + (size_t)index * threads, mine, threads * sizeof *mine);
  book->older[index] = book->newest[access->location];
  book->newest[access->location] = index;
  return made;
}

uint32_t search_constraints(const struct search_slice *slice, const uint32_t *order,
                            struct search_constraint *constraints, uint32_t room) {
  uint32_t size = search_size(slice), count = 0;
  struct book book = {.slice = slice};
  for (unsigned t = 0; t < slice->threads; t++) book.first[t + 1] = book.first[t] + slice->counts[t];
  book.vectors = malloc(((size_t)size * slice->threads + 1) * sizeof *book.vectors);
  book.now = calloc(SEARCH_THREADS, sizeof *book.now);
  book.newest = malloc((slice->locations + 1) * sizeof *book.newest);
  book.older = malloc((size + 1) * sizeof *book.older);
  if (book.vectors && book.now && book.newest && book.older) {
    memset(book.newest, 0xff, slice->locations * sizeof *book.newest);
    for (uint32_t i = 0; i < size; i++) {
      uint32_t left = count < room ? room - count : 0;
      count += constrain(&book, order[i], constraints + (left ? count : 0), left);
    }
  } else {
    count = UINT32_MAX;
  }
  free(book.vectors);
  free(book.now);
  free(book.newest);
  free(book.older);
  return count;
}
