/* own_code.h: memory of a file that only one process has mapped, for writing and for execution, often as two views (own_code.c).
 *
 * Just-in-time compilers use two views where no memory may be both writable and executable. Recorded in parallel, code in memory that processes share is
 * executed an instruction at a time (shared.h); code of this kind need not be. All functions are called with the stage taken. */
#ifndef REPRISE_ENGINE_OWN_CODE_H
#define REPRISE_ENGINE_OWN_CODE_H

#include "engine/memory/mappings.h"
#include "engine/region/rings.h"

/* Where a further view is best put; 0: anywhere. */
uintptr_t own_code_place(const struct call *call);
/* Makes the object this process's own if it can be: its views are not ordered by object any more. */
bool own_code_take(struct region_object *object);
/* Before a fork: the child will have the object, too. False: it was not this process's own. After the fork: the child is that process. */
bool own_code_copied(struct region_object *object);
void own_code_forked(uint32_t process);
/* Mappings have changed: checks whether such children are gone. Mappings have moved: views may no longer be the same blocks. */
void own_code_refresh(void);
void own_code_moved(void);

#endif
