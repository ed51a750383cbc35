/* sphere.h: the interface of the recorder and the replayer to the rest of the engine.
 *
 * Everything here is called only when config.mode is not MODE_RUN. The border of a sphere is in recorder.c and replayer.c;
 * sphere.c has the part that both share: the beginnings and ends of threads, processes and programs. */
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
/* After arch_reset: the position continues from that of the previous program. */
void sphere_begin_program(struct thread *thread);
/* The file behind fd has been mapped as a program. */
void sphere_mapped_image(struct thread *thread, int fd, uintptr_t address, size_t bytes);
/* Replay: the file that is to be mapped next, and its address. */
int sphere_next_image(struct thread *thread, uintptr_t *address);
/* The end of the stack, before anything is mapped: logs top, or returns the value of the recording. */
uintptr_t sphere_stack_top(struct thread *thread, uintptr_t top);
/* The initial stack is complete from sp up to top: logs it, or fills it from the log. Returns the stack pointer. */
uintptr_t sphere_stack(struct thread *thread, uintptr_t sp, uintptr_t top);

/* -- While it runs ----------------------------------------------------------------------------------------------------- */

/* A system call (syscall_dispatch.c). */
long sphere_call(struct thread *thread, const struct call *call, perform_call *perform);
/* At a safepoint, before signals are delivered: chunks end here, and replay's signals come. */
void sphere_safepoint(struct thread *thread);

/* -- Threads and processes ------------------------------------------------------------------------------------------------ */

/* A child is about to be created: returns its slot. Releases the baton for the time of a vfork. */
struct rthread *sphere_before_clone(struct thread *thread, bool process, bool vfork);
/* In the parent. id: the result of clone. */
void sphere_after_clone(struct thread *thread, struct rthread *child, bool vfork, long id);
/* In a new thread, or in the child of a fork: waits for its first turn. */
void sphere_child(struct thread *thread, struct rthread *own);
/* The thread's last action for the application; its process's last action. */
void sphere_thread_end(struct thread *thread, int status);
void sphere_process_end(struct thread *thread, int status, int signo);
/* execve succeeds next: the other threads of the process are gone. config has the slot for the new program. */
void sphere_before_exec(struct thread *thread, struct engine_config *next);
/* execve has failed. */
void sphere_exec_failed(struct thread *thread);

/* -- Between recorder.c, replayer.c and sphere.c ---------------------------------------------------------------------------- */

/* Keeps the file behind fd with the recording. Returns its number. */
uint32_t record_file(struct thread *thread, int fd);
long record_call(struct thread *thread, const struct call *call, perform_call *perform);
/* Logs all memory that the kernel may have written, where the memory it did write is unknown. */
void record_all_it_may_write(struct thread *thread, const struct call *call);
/* The call has sent only `sent` of its bytes: sends the rest and logs both as one call. */
long record_rest(struct thread *thread, const struct call *call, perform_call *perform, size_t sent);
/* quick.c: records or replays the call the short way; false: the call must take the long way. */
bool quick_call(struct thread *thread, const struct call *call, perform_call *perform, long *result);

/* The next event, which must be of this kind: anything else is a divergence. Not yet consumed. */
const struct input_event *replay_expect(struct thread *thread, uint8_t kind, const char *doing);
/* Stores the time that a call returned, if the event has it. Does not consume the event. */
void replay_time(struct thread *thread, const struct input_event *event);
/* The log has no more for this thread: it was killed here. */
_Noreturn void replay_log_ends(struct thread *thread);
/* Sets the stop at which the thread next has something to do. */
void replay_arm(struct thread *thread);
#define USER_END (1UL << 48) /* no program has memory there, on any machine that can be recorded */

void replay_safepoint(struct thread *thread);
long replay_call(struct thread *thread, const struct call *call, perform_call *perform);

/* If the call is sure to kill the caller: makes the writes that the kernel would then make to shared memory first, in turn. */
void call_leave_if_killed(struct thread *thread, const struct call *call);
/* A digest of all that the call reads from the application. */
uint64_t call_digest(struct input_call *call);
/* … to which a piece of memory is added. */
uint64_t digest_memory(uint64_t digest, uintptr_t address, size_t bytes);
/* -- waiting.c ---------------------------------------------------------------------------------------------------------------- */

/* Makes the call work on copies of the application's memory, so that it can go on while other threads run. */
void waiting_begin(struct thread *thread, struct input_call *call, struct call *bounced);
/* Of a call that began earlier: the same copies. */
void waiting_again(struct thread *thread, struct call *bounced);
/* In parallel, before waiting_end: takes permission for all memory that is to be written, until all of it is held at once. */
void waiting_hold(struct thread *thread, long result);
/* After the call, before anything is copied in (audit.h). */
void waiting_audit(struct thread *thread, const struct call *call, struct input_call *in, long result);
/* After the call, with the baton: copies the kernel's writes into the application's memory. Returns the call's result. */
long waiting_end(struct thread *thread, long result);
/* Logs the bytes copied. */
void waiting_log(struct thread *thread, long result);
/* The copies are not needed any more. */
void waiting_over(struct thread *thread);

/* -- unstored.c ---------------------------------------------------------------------------------------------------------------- */

bool call_sets_stack_limit(const struct call *call);
/* Where checkpoints can be made: the call was made, with this result. */
void unstored_note(const struct call *call, long result);

/* -- triggers.c ---------------------------------------------------------------------------------------------------------------- */

/* Where a flight recorder records: the call was made, with this result. */
void triggers_after_call(struct thread *thread, const struct call *call, long result);

/* -- deaths.c ------------------------------------------------------------------------------------------------------------------ */

/* Recording, around a call that kills other processes of the sphere: the words of shared memory that their death changes. */
struct deaths {
  struct thread *thread; /* the killer */
  bool stopped;          /* … has taken the stage */
  bool common;           /* the killed process has all its memory in common with the thread */
  int32_t awaited;       /* a killed process for which the kernel clears such words; 0: none */
  uint32_t count;
  uintptr_t words[64];
};
void deaths_before(struct thread *thread, const struct call *call, struct deaths *deaths);
/* After the call is logged; and after deaths_after has returned. */
void deaths_after(struct thread *thread, const struct deaths *deaths);
void deaths_over(struct thread *thread, const struct deaths *deaths);

/* -- killed_child.c ------------------------------------------------------------------------------------------------------------ */

/* Recording, after a call that made a child in this memory is logged: logs the child's writes if it was killed. */
void killed_child_log(struct thread *thread);

/* -- memory_files.c ------------------------------------------------------------------------------------------------------------ */

/* Recording, after a call: notes if it has opened a process's memory as a file. */
void memory_file_opened(const struct call *call, long fd);
/* After a call is logged that wrote this process's memory through such a file. */
void memory_written(struct thread *thread, const struct call *call, long result);
/* Recording: the other process of the sphere whose memory the call writes, 0: none. Around such a call: keeps its threads from running. */
int32_t memory_of_other(struct thread *thread, const struct call *call);
void memory_other_begin(struct thread *thread, int32_t pid);
void memory_other_end(int32_t pid, const struct call *call, long result);
/* -- tracing.c -------------------------------------------------------------------------------------------------------------- */

/* Shows a tracer the registers of a thread of the sphere; refuses requests that can't be recorded. */
bool tracing_call(struct thread *thread, const struct call *call, long *result);
bool tracing_is_refused(struct thread *thread, const struct call *call);

/* -- output.c ----------------------------------------------------------------------------------------------------------------- */

/* Recording: true if the call must fail because the bytes it moves to standard output could not be logged; and, after a call, logs them. */
bool output_refuses(struct thread *thread, const struct call *call);
void output_record(struct thread *thread, const struct call *call, long result);
/* Replay: shows again the bytes that a call wrote to the recorded program's standard output and error. */
void output_replay(struct thread *thread, const struct call *call, long result);
/* The descriptors of standard output and error that the next program has. */
void output_before_exec(struct thread *thread, uint32_t roles[OUTPUT_ROLES]);
/* True if the call writes to standard output or error, or reads or moves the offset there, and so takes its turn as a write; true if it writes. */
bool output_writes(struct thread *thread, const struct call *call);
bool output_shows(struct thread *thread, const struct call *call);
/* 1 or 2 if the descriptor is standard output or error, else 0. */
uint8_t output_role(struct thread *thread, long fd);
/* For such a call: true if it never waits where there is room; true if there is room within so many nanoseconds, or the call fails
 * without. */
bool output_is_short(const struct call *call);
bool output_has_room(const struct call *call, long patience);
/* The call has given the thread's process one more descriptor of standard output or error, as the event says. */
void output_named(struct thread *thread, const struct call *call, const struct input_event *event);
/* The digest of all events of output in the thread's log, with this one. */
uint64_t output_digest(struct thread *thread, const struct input_event *event);

/* -- output_names.c ------------------------------------------------------------------------------------------------------------ */

/* Recording: identifies standard output and error, once; then, after a call that has succeeded, finds the descriptors of them that it made. */
void output_identify(void);
void output_find_names(struct thread *thread, const struct call *call, long result);
/* True if a descriptor that the call makes has an offset of its own. */
bool output_opens(const struct call *call);

#endif
