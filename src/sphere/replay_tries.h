/* replay_tries.h: a recording replayed again and again, until a replay does what the recording did (replay_tries.c). */
#ifndef REPRISE_SPHERE_REPLAY_TRIES_H
#define REPRISE_SPHERE_REPLAY_TRIES_H

/* Calls `replay` in processes of its own, at most so many times, as long as it returns 120. Shows the output of the last one, and returns its
 * status; if it died of a signal, the caller dies of it. */
int replay_in_tries(unsigned tries, int (*replay)(void *context), void *context);

#endif
