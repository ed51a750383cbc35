/* search.h: an order of memory accesses that explains every value that was read (LightPlay, sections 2.2 and 2.5).
 *
 * A recording by values says what each thread read and wrote, and not in which order the threads did so. A **slice** is a piece of
 * such a recording: for each thread its accesses in program order, the memory before the first of them and, if known, behind the last.
 * search_solve() looks for one sequentially consistent order of all of them in which each read gets the value that it got.
 *
 * Locations are words of eight bytes. An access covers the bytes of its mask, in one word; the caller splits those that cross words.
 *
 * **Tickets.** Known facts about real time prune the search: a came before b if a.ended < b.began. Both grow from each access of a
 * thread to the next. Without such knowledge: 0 and UINT64_MAX.
 *
 * The search is depth first over states: how far each thread is, and the memory. Three rules make it fast:
 *
 * - A state from which there was no way to the end is remembered, and not entered a second time.
 * - A read that finds its value is made at once, and nothing else is tried there: it changes nothing, so any order that explains all values
 *   with that read later does so with the read now. This is not so for a store that changes nothing ("silent"): it may be needed
 *   later, behind a store of another value.
 * - A store that destroys a value which a thread still has to read, and which no thread will write again, is not tried. A silent store
 *   destroys nothing.
 *
 * Each state is named by 128 bits that stand for it, so that none is taken for another that was remembered. */
#ifndef REPRISE_SEARCH_SEARCH_H
#define REPRISE_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEARCH_THREADS = 64, SEARCH_WINDOW = 16 };

enum search_kind { SEARCH_READ = 1, SEARCH_WRITE = 2, SEARCH_EXCHANGE = 3 /* reads, then writes, at once */ };

struct search_access {
  uint32_t location;     /* index of its word */
  uint8_t kind;          /* enum search_kind */
  uint64_t mask;         /* bytes covered: 0xff for each */
  uint64_t read;         /* within mask */
  uint64_t written;      /* within mask */
  uint64_t began, ended; /* tickets around it */
  uint64_t
      guess; /* when it was made, perhaps: among accesses that may come next, the first by this is tried first */
  bool joined; /* it and the next one of its thread are parts of one instruction: nothing comes in between */
};

/* What comes before what. Between accesses of different threads; indices into accesses. */
struct search_constraint {
  uint32_t before, after;
};

struct search_slice {
  unsigned threads;
  const uint32_t *counts;               /* accesses of each thread */
  const struct search_access *accesses; /* of all threads, one thread after the other */
  uint32_t locations;
  const uint64_t *initial;               /* memory before the slice, a word for each location */
  const uint64_t *final;                 /* behind it; NULL: not known */
  const struct search_constraint *edges; /* known facts about the order, besides tickets */
  uint32_t edge_count;
};

enum search_result {
  SEARCH_FOUND,
  SEARCH_NONE,    /* there is no such order */
  SEARCH_GAVE_UP, /* more states than the limit */
  SEARCH_NO_MEMORY,
  SEARCH_SENSELESS, /* the slice breaks the rules above */
};

struct search_options {
  uint64_t states; /* at most, in each stretch; 0: as many as there are */
  /* So many accesses are a stretch; 0: all of them. The states of a stretch are forgotten when the search comes to the next one for the first time, and
   * `passed` is told, unless it is NULL. */
  uint32_t stretch;
  uint64_t
      patience; /* states without a further access, behind which an exception is made; 0: all states are tried first */
  void (*passed)(void *context, uint32_t accesses, uint64_t states);
  void *context;
  unsigned
      reordered; /* accesses that may be made before an earlier one of their thread; 0: sequential consistency */
};

/* **Exceptions.** Where no order explains all values, or none is found soon, search_solve() can go on with an access that is an exception: what it reads is not what
 * memory has then, or that writes what others have still to read: at the time of which an access that is waited for in vain was made, as far as is known. It
 * does not go back behind it. Memory may be another one in the end, then. */
struct search_answer {
  uint32_t *order; /* indices into accesses, as many as there are: the caller's array */
  uint8_t *
      exceptions; /* of each access: 1 if it is one; the caller's array; NULL: none may be. Not with options.reordered */
  bool has_none;     /* it is known that there is no order without exceptions */
  uint32_t furthest; /* the most accesses that were made */
  uint64_t states;   /* branches that were looked at, in the last stretch */
  uint32_t *
      overtook; /* those of them made before an earlier one of their thread; the caller's, options.reordered long; may be NULL */
  unsigned overtaking;
};

/* Accesses of all threads. */
uint32_t search_size(const struct search_slice *slice);

enum search_result search_solve(const struct search_slice *slice, const struct search_options *options,
                                struct search_answer *answer);

/* For a slice without a sequentially consistent order: the fewest accesses that must have overtaken an earlier one of their thread, to
 * another word, for the values to be explained: at most options->reordered of them, SEARCH_WINDOW accesses far. Other accesses may come between
 * parts of an instruction here: perhaps that is all, and none has overtaken another. */
enum search_result search_explain(const struct search_slice *slice, const struct search_options *options,
                                  struct search_answer *answer);

/* True if the order has every access once, each thread's in program order, parts of an instruction together, and explains every value. Tickets and edges
 * are not looked at. */
bool search_is_explained(const struct search_slice *slice, const uint32_t *order);

/* -- Constraints that a replay of an order needs ------------------------------------------------------------------------- */

/* The least constraints between threads that keep all accesses to the same bytes, of which one is a write, in this order: constraints that follow
 * from others and from the threads' own order are left out. Returns how many there are, at most size * threads; UINT32_MAX without memory. */
uint32_t search_constraints(const struct search_slice *slice, const uint32_t *order,
                            struct search_constraint *constraints, uint32_t room);

#endif
