/* restarts.h: a replay that goes back to checkpoints at random: a test of them (restarts.c). */
#ifndef REPRISE_SPHERE_RESTARTS_H
#define REPRISE_SPHERE_RESTARTS_H

#include <stdbool.h>
#include <stdint.h>

struct manager;
struct feed;

/* Before the first process begins. */
void restarts_prepare(struct manager *manager, struct feed *feed, uint64_t seed, uint32_t restarts);
/* In place of manager_run: until the replay has come to its end after so many restarts. False when one has failed, which is told. */
bool restarts_run(struct manager *manager, struct feed *feed);

#endif
