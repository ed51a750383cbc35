/* lib.h: the few library functions of the freestanding engine.
 *
 * The engine links with no libc. Memory and string functions are our own (lib.c); printing goes through one
 * formatter that knows %s %d %u %x %lx %ld %lu %p %c and writes to a descriptor or a buffer. */
#ifndef REPRISE_ENGINE_LIB_H
#define REPRISE_ENGINE_LIB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t limit);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);

/* Formats into buffer, always terminated when size > 0; returns the length it would have had. */
size_t format(char *buffer, size_t size, const char *pattern, ...) __attribute__((format(printf, 3, 4)));
size_t vformat(char *buffer, size_t size, const char *pattern, va_list args);
/* Formats into a line of at most 1 KiB and writes it to fd in one write. */
void print(int fd, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

/* The user's mistake: one line "reprise: …" on standard error, then exit with status. */
_Noreturn void die(int status, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
/* Our mistake: file and line, and what bug_report knows; then exit with status 125. */
_Noreturn void bug(const char *file, int line, const char *pattern, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints where the calling thread is, once there is a code cache (code/report.c). */
extern void (*bug_report)(void);
#define BUG(...) bug(__FILE__, __LINE__, __VA_ARGS__)
/* Memory of the engine can't be mapped: ends the program with a line that names the limit, if a limit is the reason. */
_Noreturn void fail_to_map(const char *what, long error);
/* Always on, in release too. */
#define CHECK(condition) ((condition) ? (void)0 : BUG("check failed: %s", #condition))

#define ALIGN_DOWN(x, a) ((x) & ~((uintptr_t)(a)-1))
#define ALIGN_UP(x, a) ALIGN_DOWN((x) + (a)-1, a)
#define PAGE ((uintptr_t)4096)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
