/* own_code.h: memory of a file that one process alone has mapped, to write and to execute, often twice: once for each (own_code.c).
 *
 * Compilers that work while the program runs do that where no memory may be both. Recorded in parallel, code in memory that processes share is
 * executed an instruction at a time (shared.h); here that is not needed. All of this with the stage taken. */
#ifndef REPRISE_ENGINE_OWN_CODE_H
#define REPRISE_ENGINE_OWN_CODE_H

#include "engine/memory/mappings.h"
#include "engine/region/rings.h"

/* Where a further view is best put; 0: anywhere. */
uintptr_t own_code_place(const struct call *call);
/* Makes the object this process's own if it can be: its views are not ordered by object any more. */
bool own_code_take(struct region_object *object);
/* Before a fork: the child is going to have it, too. False: it was not this process's own. After it: the child is that process. */
bool own_code_copied(struct region_object *object);
void own_code_forked(uint32_t process);
/* Mappings have changed: a chance to see whether such children are gone. Some have moved: views may not agree any more. */
void own_code_refresh(void);
void own_code_moved(void);

#endif
