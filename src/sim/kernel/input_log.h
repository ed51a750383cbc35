/* input_log.h: the input of a simulated sphere, per R-thread.
 *
 * One stream of events per thread: a system call begins (number, position), bytes go out (address, length, checksum), bytes come in (address, bytes), the call's
 * result; a counter was read; a signal is delivered or the thread was killed, at a position. In replay the kernel goes
 * through the same functions and gets the recorded values; the first difference ends the replay with a line that says where. */
#ifndef REPRISE_SIM_INPUT_LOG_H
#define REPRISE_SIM_INPUT_LOG_H

#include "sim/kernel/kernel.h"

struct input_log;

struct input_log *input_log_new(void);
void input_log_free(struct input_log *log);
/* By FDR's kinds of log (its figure 5): results of calls and counters, data moved by the disk, signals and ends of threads from outside. */
struct input_sizes {
  uint64_t input, dma, interrupt;
};
struct input_sizes input_log_sizes(const struct input_log *log);
const uint8_t *input_log_stream(const struct input_log *log, uint32_t thread, size_t *count);
/* All of the thread's log so far is kept elsewhere: it need not be here any more. */
void input_log_drop(struct input_log *log, uint32_t thread);
void input_log_append(struct input_log *log, uint32_t thread, const void *bytes, uint64_t count);

/* Programs that the sphere executed. In replay their contents are the recording's: open descriptors, which the log owns. */
const char *input_log_image(const struct input_log *log, uint32_t index); /* its path; NULL past the last */
void input_log_add_image(struct input_log *log, const char *path, int descriptor);
/* The file to read for a path, in the sphere: written to out. False: the recording has no such program. */
bool input_log_find_image(struct sphere *sphere, const char *path, char out[PATH_BYTES]);

/* Of the task's sphere; nothing for plain ones. thread.number is set. */
void input_attach(struct task *task);
void input_detach(struct task *task);
/* How much of the task's log has been written; replay: that much of it is behind the task. False: there is less. */
uint64_t input_written(const struct task *task);
bool input_skip(struct task *task, uint64_t written);
bool input_records(const struct task *task);
bool input_replays(const struct task *task);
/* The position at which the log wants the kernel, or UINT64_MAX. */
uint64_t input_next_stop(struct task *task);

/* In recording these write, in replay they compare or give. */
void input_call(struct task *task, uint64_t number);
void input_result(struct task *task, int64_t *result);
void input_child(struct task *task, uint32_t *number, uint32_t *tid);
/* Can there be an R-thread of this number? Else the simulation ends with a line. Threads that are not recorded are not limited so. */
bool input_has_room(struct task *task, uint32_t number);
void input_counter(struct task *task, uint64_t *value);
const uint8_t *input_copy_in(struct task *task, uint64_t to, const void *from, uint64_t bytes);
void input_copy_out(struct task *task, uint64_t from, const void *bytes, uint64_t count, int error);
/* The timer interrupts the task: nothing to replay here, but an entry in the log of a recorder of whole machines. */
void input_interrupt(const struct task *task);
/* A signal is about to be delivered. In replay: is one due here, and which? */
void input_signal(struct task *task, const struct signal_info *info);
bool input_signal_due(struct task *task, struct signal_info *info);
/* The thread was killed where it stands. In replay: is that so? */
void input_killed(struct task *task);
bool input_killed_due(struct task *task);
/* Replay: do bytes come in next? */
bool input_expects_in(const struct task *task);
/* Of the disk's pseudo-task: a transfer that a task has asked for. In replay: who asks for the next one, and what it is. */
void input_transfer(struct task *worker, uint32_t tid, uint64_t to, const uint8_t *bytes, uint64_t count);
bool input_next_transfer(struct task *worker, uint64_t *tid);
bool input_take_transfer(struct task *worker, uint64_t *to, const uint8_t **bytes, uint64_t *count);
/* A call takes other signals while it waits, and how it ended; replay does the same where the log has it. */
void input_mask(struct task *task, uint64_t mask);
/* The bytes that go out next are for standard output (1) or error (2), where replay shows them again. */
void input_shown(struct task *task, int descriptor);
/* Replay of a call that is not done again: follows the log until the call's result. False: killed in it. */
bool input_follow(struct task *task, int64_t *result);

#endif
