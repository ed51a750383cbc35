/* log.h: the engine's log of its own work, on request: REPRISE_LOG=channel,channel… */
#ifndef REPRISE_ENGINE_LOG_H
#define REPRISE_ENGINE_LOG_H

#include "contract/log_channels.h"
#include "engine/base/config.h"
#include "engine/base/lib.h"

enum log_channel {
#define X(name, text) LOG_##name,
  LOG_CHANNELS(X)
#undef X
};

#define LOG(channel, ...)                                                                               \
  do {                                                                                                  \
    if (__builtin_expect(config.log_channels >> LOG_##channel & 1, 0)) log_line(#channel, __VA_ARGS__); \
  } while (0)

/* One line on standard error: "reprise[tid] channel: …". */
void log_line(const char *channel, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

#endif
