/* wrong.h: mistakes that are easily made, for the tests to make.
 *
 * Each is a line of the protocol left out or turned round where ORDER_WRONG(it) stands. In the product that is the constant
 * 0. tests/order compiles the same sources with ORDER_WRONG_VARIANTS, switches one on at a time, and must fail. */
#ifndef REPRISE_ORDER_WRONG_H
#define REPRISE_ORDER_WRONG_H

#ifdef ORDER_WRONG_VARIANTS
enum order_wrong {
  WRONG_NOTHING,
  WRONG_GREATER,        /* tokens, dag: ts > TS where >= belongs */
  WRONG_PREVIOUS_FIRST, /* tokens: the previous episode looked at before SUCC of the current */
  WRONG_NO_PREVIOUSLY,  /* tokens: no previously-ordered reply */
  WRONG_TOLD_FOR_EVER,  /* tokens: who was told at the end of the last episode counts as told in this one */
  WRONG_NO_WRITER_EDGE, /* no edge from the last writer */
  WRONG_UNLOCKED_EDGE,  /* that edge registered without the writer's lock */
  WRONG_EXIT_CLOSES,    /* tokens: exit closes the episode for good */
  WRONG_NO_SPAWN_EDGE,
  WRONG_MARKS_DROPPED,   /* a dead thread is nobody's holder any more */
  WRONG_NO_CAS,          /* a parked thread answered for without holding it */
  WRONG_TWO_STEPS,       /* an instruction's second block acquired with the first one up for grabs */
  WRONG_REPLY_GOES_ON,   /* scalar: reply without ending the episode */
  WRONG_ASKED_ONCE,      /* parked is looked at once, not on every round */
  WRONG_DEAF,            /* who waits does not serve */
  WRONG_PINS_EARLY,      /* who waits for locks of a group keeps what it has of it */
  WRONG_PINS_ALL,        /* who waits for answers keeps all that it has of the group */
  WRONG_KEPT_TAKEN,      /* what the answerer keeps is taken nevertheless */
  WRONG_WHOLE_GROUP,     /* the entry of a group changed for some of its blocks */
  WRONG_ALONG_UNLOCKED,  /* blocks come along without being locked */
  WRONG_ABANDONED_LOCKS, /* who gives a claim up leaves its locks behind */
  WRONG_FURTHER_PINNED,  /* a further group is given though some of it is pinned */
  WRONG_FURTHER_BLIND,   /* a further group is given as it was before it was locked */
  WRONG_FURTHER_QUIET,   /* nobody is told when a further group that was brought is unlocked */
  WRONG_BROUGHT_NO_EDGE, /* who brings a group by itself has no edge from its last writer */
  WRONG_BROUGHT_BLIND,   /* … and takes it as it was before it was locked */
  WRONG_BROUGHT_QUIET,   /* … and tells nobody that it has unlocked it without */
  WRONG_LEFT_NO_EDGE,    /* who writes what was left has no edge from who left it */
  WRONG_LEFT_ALONG,      /* … nor when it comes along */
  WRONG_LEFT_FURTHER,    /* a further group is given that somebody has left, without an edge from that one */
  WRONG_LEFT_QUIET,      /* nobody is told when what was left is unlocked */
  WRONG_VARIANTS
};
extern enum order_wrong order_wrong;
#define ORDER_WRONG(variant) (order_wrong == (variant))

/* For WRONG_ASKED_ONCE, of a claim: this is not its first round. */
#define LATE(claim, yes) ((claim)->late = (yes))
#define IS_LATE(claim) ((claim)->late)

/* For WRONG_UNLOCKED_EDGE: what happens to a recorder that is changed without its lock. It is read in one step and written in another,
 * and what its owner did in between is lost. */
#define TORN_READ(d, claim) \
  (ORDER_WRONG(WRONG_UNLOCKED_EDGE) && ((claim)->torn = (d)->slot[(claim)->source].recorder, true))
#define TORN_WRITE(d, claim) \
  (ORDER_WRONG(WRONG_UNLOCKED_EDGE) && ((d)->slot[(claim)->source].recorder = (claim)->torn, true))
#else
#define ORDER_WRONG(variant) 0
#define LATE(claim, yes) ((void)0)
#define IS_LATE(claim) false
#define TORN_READ(d, claim) false
#define TORN_WRITE(d, claim) false
#endif

#endif
