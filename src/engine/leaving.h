/* leaving.h: blocks that a thread has taken to write, where others write, too, and leaves when it has run on for a while.
 *
 * Whoever needs them next asks nobody (directory_leave_step), and waits in replay for no more than what came before they were left, instead of all
 * that was executed until somebody asked. It is worth it where many threads use the same memory in turn: locks and what they guard,
 * tables that all write to. What a thread takes back that it has left itself it keeps longer next time, and in the end until it is asked, since
 * nobody else was waiting for it. It is about speed only. */
#ifndef REPRISE_ENGINE_LEAVING_H
#define REPRISE_ENGINE_LEAVING_H

#include <stdbool.h>
#include <stdint.h>

struct directory;
struct thread;

/* A claim of the slot's thread begins: learns from who has had what it needs. writes: what it takes is to be left. */
void leaving_begin(const struct directory *d, unsigned slot, uint64_t page, uint64_t need, bool writes);
/* These were granted to it, for writing. */
void leaving_note(const struct directory *d, unsigned slot, uint64_t page, uint64_t blocks);
/* The claim is done. */
void leaving_end(unsigned slot);
/* At a safepoint: leaves what the thread has had for long enough. */
void leaving_serve(struct thread *thread);
/* Where the thread is to come by next for that, at the latest; UINT64_MAX: nowhere. */
uint64_t leaving_stop(const struct thread *thread);
/* The slot has a new thread. */
void leaving_forget(unsigned slot);

#endif
