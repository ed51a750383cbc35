/* confine.h: what a process that replays a recording may still ask of the kernel (confine.c). */
#ifndef REPRISE_ENGINE_CONFINE_H
#define REPRISE_ENGINE_CONFINE_H

/* Confines this process and all that come of it, for ever. 0, or -errno of the call that failed. */
long confine(void);

#endif
