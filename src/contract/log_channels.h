/* log_channels.h: the channels of REPRISE_LOG, for the engine, which writes them, and the launcher, which reads their names. */
#ifndef REPRISE_CONTRACT_LOG_CHANNELS_H
#define REPRISE_CONTRACT_LOG_CHANNELS_H

/* name of the channel, what it shows */
#define LOG_CHANNELS(X)                                           \
  X(start, "loading of programs and what the kernel handed over") \
  X(blocks, "every block translated, with its address and size")  \
  X(links, "direct branches linked, indirect targets resolved")   \
  X(calls, "every system call with arguments and result")         \
  X(signals, "signals taken, queued, delivered, returned from")   \
  X(threads, "threads and processes created and ended")           \
  X(order, "steps of the order log: whom a thread waits for")     \
  X(memory, "mapping changes")                                    \
  X(code, "code invalidated and flushed")                         \
  X(checks, "every page of a digest of memory")

#endif
