/* predictor_names.h: the predictors that `record --without=NAME` switches off, for the engine and for the command, which reads their names. */
#ifndef REPRISE_CONTRACT_PREDICTOR_NAMES_H
#define REPRISE_CONTRACT_PREDICTOR_NAMES_H

/* name, what it decides */
#define PREDICTORS(X)                                                                      \
  X(shares, "how many blocks of a page a request asks for")                                \
  X(leases, "how long a thread keeps the blocks of a page before others may request them") \
  X(habits, "blocks of the page that the thread requested next the last time")             \
  X(walks, "further steps of a walk over memory, in blocks or pages")                      \
  X(rows, "blocks beside a row that the thread writes")                                    \
  X(leaving, "when a thread gives blocks up before anybody requests them")                 \
  X(upgrades, "reads that claim the block for writing, because a write follows")           \
  X(spans, "checks that claim all that the rest of a translated block relies on")

#endif
