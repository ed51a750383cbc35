/* record_flight.h: the options of `reprise record` about its flight recorder (record_flight.c). */
#ifndef REPRISE_CLI_RECORD_FLIGHT_H
#define REPRISE_CLI_RECORD_FLIGHT_H

#include "travel/flight.h"

/* "TIME[,SIZE]", as 10s or 500ms,512M. */
bool flight_parse_window(const char *text, struct flight_options *to);
/* "signal", "exit", "exit=N", "exit=N-M", "end", "caught=SIGNAL", "memory=SIZE", with commas between them, and perhaps "output=TEXT" behind them. More of them are
 * added to those before. */
bool flight_parse_trigger(const char *text, struct flight_options *to);

#endif
