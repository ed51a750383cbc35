/* confine.h: what a process that replays a recording may still ask of the kernel (confine.c). */
#ifndef REPRISE_ENGINE_CONFINE_H
#define REPRISE_ENGINE_CONFINE_H

/* The names that the filter lets through. It knows them by their addresses, in memory of the engine that nobody can change, so whoever opens
 * one of these files in replay names it by the very array. */
extern const char own_maps[], own_first_maps[], own_pagemap[];
/* The empty name, of the file that a descriptor is. */
extern const char no_name[];

/* Confines this process and all that come of it, for ever. 0, or -errno of the call that failed. */
long confine(void);

#endif
