/* paths.h: the paths that threads take from hot blocks on (paths.c).
 *
 * Blocks are first translated without knowledge of how the program behaves. One that is entered often says so; the thread then
 * runs on in small steps, up to one branch at a time, and notes where it goes, several times. The block is translated again
 * along the likely path: across branches that are taken, into functions and back, several times around a loop. */
#ifndef REPRISE_ENGINE_PATHS_H
#define REPRISE_ENGINE_PATHS_H

#include "engine/base/path.h"

struct thread;

enum { PATH_INSTRUCTIONS = 96 };
/* PATHS_NOTED paths, PATHS_APART entries apart, are noted only for their branch targets before the path that is translated. If a path
 * can't be completed, for example because the thread has to stop on the way, the block is hot again after PATHS_RETRY entries. */
#if defined(REPRISE_STRESS_TINY_CACHE) || defined(REPRISE_STRESS_FLUSH)
enum { PATHS_NOTED = 4, PATHS_APART = 2, PATHS_RETRY = 3 };
#else
enum { PATHS_NOTED = 4, PATHS_APART = 401, PATHS_RETRY = 1009 };
#endif
/* The number of times that a branch must have led to one target, and to no other, to be expected to. Functions with two callers are common. */
enum { STEADY_JUMP = 3, STEADY_RETURN = 5 };

void path_begin(struct path *path, uintptr_t head);
/* True if the path has its full length. */
bool path_is_complete(const struct path *path);
void path_add(struct path *path, unsigned instructions);
/* A direct, or an indirect branch at the end of the step just added has led to path->next. */
void path_note_direct(const struct path *path);
void path_note_indirect(struct path *path);
/* True if the indirect branch at the end of the step that starts at pc has always led to target, at least so many times. */
bool path_is_steady(uintptr_t pc, uintptr_t target, unsigned times);
/* A path that comes back to its head ends there. */
void path_close(struct path *path);
/* Replaces a closed path by the likely one from its head, by all branches noted so far; it ends before a pc for which ends_at is true. */
void path_make_likely(struct path *path, bool (*ends_at)(uintptr_t pc));

#endif
