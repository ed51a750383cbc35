/* listing.h: the folders of /proc that list open descriptors, without the engine's (listing.c). */
#ifndef REPRISE_ENGINE_LISTING_H
#define REPRISE_ENGINE_LISTING_H

#include "engine/base/thread.h"

/* True if path, relative to directory, names a reserved descriptor in such a folder: for the application it does not exist. */
bool listing_hides(int directory, const char *path);
/* getdents and getdents64 of any folder. */
long listing_read(struct thread *thread, const struct call *call);
/* A call of the stat family, about path relative to directory or ("") about the descriptor `directory`, that writes to
 * `answer`: the size of such a folder is the number of open descriptors. */
long listing_stat(struct thread *thread, const struct call *call, int directory, const char *path,
                  long answer);

#endif
