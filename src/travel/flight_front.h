/* flight_front.h: the process that stands for a flight recorder, which may be killed (flight_front.c). */
#ifndef REPRISE_TRAVEL_FLIGHT_FRONT_H
#define REPRISE_TRAVEL_FLIGHT_FRONT_H

#include <stdbool.h>

/* Makes a child that records. True in the child, and where none can be made; else the child has ended, and *status is the exit status of this process, should
 * it not end as the child has. */
bool flight_front(int *status);

/* In the child: true if the process before it was killed. */
bool flight_front_is_gone(void);
/* All that is to be stored is. */
void flight_front_may_go(void);

#endif
