/* objects.h: the files that a sphere has mapped, as memory (objects.c).
 *
 * A mapped file is memory that a system call can change: write(2) to it shows in every mapping, private ones included as long
 * as they have not been written. Replay therefore keeps one object for each such file, with the content it had
 * when it was first mapped, maps that, and does to it what the log says was done to the file. Files that nobody in
 * the sphere ever changed, nearly all of them, are mapped from the recording as they are. */
#ifndef REPRISE_ENGINE_OBJECTS_H
#define REPRISE_ENGINE_OBJECTS_H

#include "engine/region/rings.h"

/* -- Recording, with the baton --------------------------------------------------------------------------------------- */

/* Whether what mmap is to map has a content that can be kept: a file, or nothing at all. Devices and sockets give memory that
 * changes by itself; recorded programs find that they can't be mapped. */
bool objects_can_map(const struct call *call);
/* Whether what mmap is to map has been changed in the sphere, so that its content is the work of others. */
bool objects_map_changed(const struct call *call);
/* mmap has mapped a file: keeps it and logs that. NULL if it is memory without a file all the same. */
struct region_object *objects_mapped(struct thread *thread, const struct call *call, long at);
/* shmat has attached a segment, which has no file: one is made of it. */
struct region_object *objects_attached(struct thread *thread, const struct call *call, long at);
/* The object that the call, if it succeeds, changes; NULL: none. Then the call must be made with the baton in hand. */
struct region_object *objects_target(const struct call *call);
/* After the call: logs what it has changed. */
void objects_changed(struct thread *thread, struct region_object *object, const struct call *call,
                     long result);
/* After any call: notes when an object was opened for writing. */
void objects_opened(struct thread *thread, const struct call *call, long result);

/* -- Replay -------------------------------------------------------------------------------------------------------------- */

/* A descriptor of a file of the recording, to map it. */
int objects_open(uint32_t number, bool writable);
/* Does what the log says was done to objects by the call that is being replayed. */
void objects_replay_changes(struct thread *thread);

#endif
