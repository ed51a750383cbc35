/* confine.h: the system calls that a process may still make while it replays a recording (confine.c). */
#ifndef REPRISE_ENGINE_CONFINE_H
#define REPRISE_ENGINE_CONFINE_H

/* Confines this process and its descendants, for ever. 0, or -errno of the call that failed. */
long confine(void);

#endif
