/* wrong.h: mistakes that are easily made in the search, for its test to make: see order/wrong.h, which does the same for the protocol. */
#ifndef REPRISE_SEARCH_WRONG_H
#define REPRISE_SEARCH_WRONG_H

#ifdef SEARCH_WRONG_VARIANTS
enum search_wrong {
  WRONG_NOTHING,
  WRONG_SILENT_EAGER,        /* a store that changes nothing is made at once, as a read is */
  WRONG_SILENT_STRANDS,      /* … and is taken for one that destroys the value */
  WRONG_EXCHANGE_STRANDS,    /* the value that an exchange reads itself counts as another's need */
  WRONG_NAME_WITHOUT_MEMORY, /* states that differ in memory have the same name */
  WRONG_TICKETS_TOUCH,       /* the same ticket behind one and before the other orders them */
  WRONG_EDGE_SHORT,          /* the access that an edge comes from may be made later */
  WRONG_PARTS_READ,          /* the first part of an instruction is made as soon as it is possible itself */
  WRONG_BACK_TOO_FAR,        /* the search goes back behind what has to come before an exception */
  WRONG_OVERTAKES_SAME,      /* an access overtakes one to the same bytes */
  WRONG_VECTOR_OF_ONE,       /* a constraint is taken to order all later accesses of that thread, too */
  WRONG_NOT_REDUCED,         /* constraints that follow from others are kept */
  WRONG_VARIANTS
};
extern enum search_wrong search_wrong;
#define SEARCH_WRONG(variant) (search_wrong == (variant))
#else
#define SEARCH_WRONG(variant) 0
#endif

#endif
