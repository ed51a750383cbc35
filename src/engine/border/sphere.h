/* sphere.h: what the rest of the engine tells those who record and replay.
 *
 * Everything here is called only when config.mode is not MODE_RUN. The border of a sphere is in recorder.c and replayer.c;
 * sphere.c has what they share: the beginnings and ends of threads, processes and programs. */
#ifndef REPRISE_ENGINE_SPHERE_H
#define REPRISE_ENGINE_SPHERE_H

#include "engine/order/written_memory.h"
#include "engine/region/endings.h"
#include "engine/region/journal.h"
#include "engine/region/reader.h"
#include "input/input.h"

/* -- Programs (start.c, loader.c) ------------------------------------------------------------------------------------ */

/* Joins the sphere, with the baton in hand. */
void sphere_start(struct thread *thread);
/* After arch_reset: the position goes on where the program before was left. */
void sphere_begin_program(struct thread *thread);
/* The file behind fd has been mapped as a program. */
void sphere_mapped_image(struct thread *thread, int fd, uintptr_t address, size_t bytes);
/* Replay: the file that is to be mapped next, and where. */
int sphere_next_image(struct thread *thread, uintptr_t *address);
/* Where the stack ends, before anything is mapped: logged, or as it was in the recording. */
uintptr_t sphere_stack_top(struct thread *thread, uintptr_t top);
/* The initial stack is complete from sp up to top: logged, or filled from the log. Where the stack pointer is. */
uintptr_t sphere_stack(struct thread *thread, uintptr_t sp, uintptr_t top);

/* -- While it runs ----------------------------------------------------------------------------------------------------- */

/* A system call (syscalls.c). */
long sphere_call(struct thread *thread, const struct call *call, perform_call *perform);
/* At a safepoint, before signals are delivered: chunks end here, and replay's signals come. */
void sphere_safepoint(struct thread *thread);

/* -- Threads and processes ------------------------------------------------------------------------------------------------ */

/* A child is about to be created: its slot. The baton is let go for the time of a vfork. */
struct rthread *sphere_before_clone(struct thread *thread, bool process, bool vfork);
/* In the parent. id: what clone has returned. */
void sphere_after_clone(struct thread *thread, struct rthread *child, bool vfork, long id);
/* In a new thread, or in the child of a fork: waits for its first turn. */
void sphere_child(struct thread *thread, struct rthread *own);
/* The last thing that the thread does for the application; the last thing that its process does. */
void sphere_thread_end(struct thread *thread, int status);
void sphere_process_end(struct thread *thread, int status, int signo);
/* execve succeeds next: the other threads of the process are gone. config has the slot for the new program. */
void sphere_before_exec(struct thread *thread, struct engine_config *next);
/* It did not. */
void sphere_exec_failed(struct thread *thread);

/* -- Between recorder.c, replayer.c and sphere.c ---------------------------------------------------------------------------- */

/* Keeps the file behind fd with the recording: its number. */
uint32_t record_file(struct thread *thread, int fd);
long record_call(struct thread *thread, const struct call *call, perform_call *perform);
/* What the kernel may have written, where that can't be told. */
void record_all_it_may_write(struct thread *thread, const struct call *call);
/* The call has sent so many of its bytes: sends the others, and is logged as one. */
long record_rest(struct thread *thread, const struct call *call, perform_call *perform, size_t sent);
/* quick.c: a call that is recorded or replayed the short way; false: it is not. */
bool quick_call(struct thread *thread, const struct call *call, perform_call *perform, long *result);

/* The next event, which must be of this kind: anything else is a divergence. Not yet consumed. */
const struct input_event *replay_expect(struct thread *thread, uint8_t kind, const char *doing);
/* The time that a call told, where the log has that with it. Not yet consumed. */
void replay_time(struct thread *thread, const struct input_event *event);
/* The log has no more for this thread: it was killed here. */
_Noreturn void replay_log_ends(struct thread *thread);
/* Sets the stop at which the thread next has something to do. */
void replay_arm(struct thread *thread);
#define USER_END (1UL << 48) /* no program has memory there, on any machine that can be recorded */

void replay_safepoint(struct thread *thread);
long replay_call(struct thread *thread, const struct call *call, perform_call *perform);

/* If the call kills the caller for sure: what the kernel then does to memory that others share is done first, in turn. */
void call_leave_if_killed(struct thread *thread, const struct call *call);
/* A digest of all that the call reads from the application. */
uint64_t call_digest(struct input_call *call);
/* … to which a piece of memory is added. */
uint64_t digest_memory(uint64_t digest, uintptr_t address, size_t bytes);
/* -- waiting.c ---------------------------------------------------------------------------------------------------------------- */

/* Makes the call work on copies of the application's memory, so that it can go on while others run. */
void waiting_begin(struct thread *thread, struct input_call *call, struct call *bounced);
/* In parallel, before that: takes what is to be written, at one time. */
void waiting_hold(struct thread *thread, long result);
/* After the call, before anything is copied in (audit.h). */
void waiting_audit(struct thread *thread, const struct call *call, struct input_call *in, long result);
/* After the call, with the baton: copies what the kernel has written into the application. The call's result. */
long waiting_end(struct thread *thread, long result);
/* Logs what was copied. */
void waiting_log(struct thread *thread, long result);
/* The copies are not needed any more. */
void waiting_over(struct thread *thread);

/* -- deaths.c ------------------------------------------------------------------------------------------------------------------ */

/* Recording, around a call that kills other processes of the sphere: words of shared memory that change by that. */
struct deaths {
  struct thread *thread; /* who does it */
  bool stopped;          /* … with the stage taken */
  bool common;           /* who is killed has all its memory in common with the thread */
  int32_t awaited;       /* its process, which clears words of that when it is dead; 0: none */
  uint32_t count;
  uintptr_t words[64];
};
void deaths_before(struct thread *thread, const struct call *call, struct deaths *deaths);
/* After the call is logged; and when that is over, too. */
void deaths_after(struct thread *thread, const struct deaths *deaths);
void deaths_over(struct thread *thread, const struct deaths *deaths);

/* -- killed_child.c ------------------------------------------------------------------------------------------------------------ */

/* Recording, after a call that made a child in this memory is logged: what the child has written, if it was killed. */
void killed_child_log(struct thread *thread);

/* -- memory_files.c ------------------------------------------------------------------------------------------------------------ */

/* Recording, after a call: it may have opened a file that is somebody's memory. */
void memory_file_opened(const struct call *call, long fd);
/* After the call is logged: it was this process's. */
void memory_written(struct thread *thread, const struct call *call, long result);
/* Recording: the other process of the sphere whose memory the call writes, 0: none. Around such a call: none of its threads runs meanwhile. */
int32_t memory_of_other(struct thread *thread, const struct call *call);
void memory_other_begin(struct thread *thread, int32_t pid);
void memory_other_end(int32_t pid, const struct call *call, long result);
/* -- tracing.c -------------------------------------------------------------------------------------------------------------- */

/* Registers of a thread of the sphere, for its tracer; requests that can't be recorded. */
bool tracing_call(struct thread *thread, const struct call *call, long *result);
bool tracing_is_refused(struct thread *thread, const struct call *call);

/* -- output.c ----------------------------------------------------------------------------------------------------------------- */

/* Recording: whether the call must fail because what it moves to standard output could not be logged; and after a call. */
bool output_refuses(struct thread *thread, const struct call *call);
void output_record(struct thread *thread, const struct call *call, long result);
/* Replay: shows again what a call has written to the recorded program's standard output and error. */
void output_replay(struct thread *thread, const struct call *call, long result);
/* Which descriptors the next program has them on. */
void output_before_exec(struct thread *thread, uint32_t roles[OUTPUT_ROLES]);
/* Whether the call writes there, or asks or says where in the file that is: its turn is that of a write; and whether it writes. */
bool output_writes(struct thread *thread, const struct call *call);
bool output_shows(struct thread *thread, const struct call *call);
/* Of such a call: whether it never waits where there is room, and whether there is, within so many nanoseconds, or the call fails
 * without. */
bool output_is_short(const struct call *call);
bool output_has_room(const struct call *call, long patience);
/* The call has given the thread's process one more descriptor of them, as the event says. */
void output_named(struct thread *thread, const struct call *call, const struct input_event *event);
/* The digest of all events of output in the thread's log, with this one. */
uint64_t output_digest(struct thread *thread, const struct input_event *event);

/* -- output_names.c ------------------------------------------------------------------------------------------------------------ */

/* Recording: what standard output and error are, once; then, after a call that has succeeded: whether it has made descriptors of them. */
void output_identify(void);
void output_find_names(struct thread *thread, const struct call *call, long result);
/* Whether a descriptor that the call makes has an offset of its own. */
bool output_opens(const struct call *call);

#endif
