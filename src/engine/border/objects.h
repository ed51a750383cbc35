/* objects.h: the files that a sphere has mapped, as memory (objects.c).
 *
 * A mapped file is memory that a system call can change: write(2) to it shows in every mapping, private ones included as long
 * as they have not been written. Replay therefore keeps one object for each such file, with the content that the file had
 * when it was first mapped, maps the object, and repeats the logged changes of the file on it. Files that no process of
 * the sphere changed, nearly all of them, are mapped from the recording as they are. */
#ifndef REPRISE_ENGINE_OBJECTS_H
#define REPRISE_ENGINE_OBJECTS_H

#include "engine/region/rings.h"

/* -- Recording, with the baton --------------------------------------------------------------------------------------- */

/* True if mmap is to map something whose content can be kept: a file, or no file at all. Devices and sockets give memory that
 * changes by itself; recorded programs can't map them. */
bool objects_can_map(const struct call *call);
/* True if mmap is to map a file that was changed in the sphere, so that its content is the work of other threads. */
bool objects_map_changed(const struct call *call);
/* mmap has mapped a file: keeps the file and logs that. NULL if the mapping is memory without a file all the same. */
struct region_object *objects_mapped(struct thread *thread, const struct call *call, long at);
/* shmat has attached a segment, which has no file: makes a file of it. */
struct region_object *objects_attached(struct thread *thread, const struct call *call, long at);
/* The object that the call, if it succeeds, changes; NULL: none. Then the call must be made with the baton in hand. */
struct region_object *objects_target(const struct call *call);
/* After the call: logs the change of the object. */
void objects_changed(struct thread *thread, struct region_object *object, const struct call *call,
                     long result);
/* After any call: notes when an object was opened for writing. */
void objects_opened(struct thread *thread, const struct call *call, long result);

/* -- Replay -------------------------------------------------------------------------------------------------------------- */

/* A descriptor of a file of the recording, to map it. */
int objects_open(uint32_t number, bool writable);
/* Repeats the changes of objects that the log has for the call that is being replayed. */
void objects_replay_changes(struct thread *thread);

#endif
