/* stat_simulated.h: the numbers of a recording of the simulated machine (stat_simulated.c). */
#ifndef REPRISE_CLI_STAT_SIMULATED_H
#define REPRISE_CLI_STAT_SIMULATED_H

#include <stdbool.h>

#include "recording/recording.h"

/* Closes the recording. Returns the command's status. */
int print_simulated(struct recording_reader *reader, bool json);

#endif
