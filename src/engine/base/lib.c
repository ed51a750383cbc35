/* lib.c: memory, strings and formatting for the freestanding engine. See lib.h. */
#include "engine/base/lib.h"

#include <linux/resource.h>

#include "engine/base/os.h"

/* Up to this many bytes go word by word: the processor's own instructions take a while to begin. */
enum { SMALL = 512 };

static void copy_word(uint8_t *to, const uint8_t *from) {
  uint64_t word;
  __builtin_memcpy(&word, from, sizeof word);
  __builtin_memcpy(to, &word, sizeof word);
}

/* The empty asm keeps the compiler from making these loops calls of the functions that they are part of. */
void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  uint8_t *t = to;
  const uint8_t *f = from;
  if (bytes > SMALL) {
    arch_copy_bytes(to, from, bytes);
    return to;
  }
  for (; bytes >= 8; bytes -= 8, t += 8, f += 8) {
    copy_word(t, f);
    __asm__ volatile("");
  }
  for (; bytes; bytes--) {
    *t++ = *f++;
    __asm__ volatile("");
  }
  return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
  if ((uintptr_t)to - (uintptr_t)from >= bytes) return memcpy(to, from, bytes);
  uint8_t *t = to;
  const uint8_t *f = from;
  while (bytes--) t[bytes] = f[bytes];
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  uint8_t *t = to;
  uint64_t word = (uint64_t)(uint8_t)value * 0x0101010101010101UL;
  if (bytes > 2UL * SMALL) {
    arch_fill_bytes(to, value, bytes);
    return to;
  }
  for (; bytes >= 8; bytes -= 8, t += 8) {
    __builtin_memcpy(t, &word, sizeof word);
    __asm__ volatile("");
  }
  for (; bytes; bytes--) {
    *t++ = (uint8_t)value;
    __asm__ volatile("");
  }
  return to;
}

int memcmp(const void *a, const void *b, size_t bytes) {
  const uint8_t *x = a, *y = b;
  for (size_t i = 0; i < bytes; i++)
    if (x[i] != y[i]) return x[i] - y[i];
  return 0;
}

size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}

int strcmp(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return (uint8_t)*a - (uint8_t)*b;
}

int strncmp(const char *a, const char *b, size_t limit) {
  for (; limit; limit--, a++, b++)
    if (*a != *b || !*a) return (uint8_t)*a - (uint8_t)*b;
  return 0;
}

char *strchr(const char *s, int c) {
  for (; *s != (char)c; s++)
    if (!*s) return NULL;
  return (char *)s;
}

char *strrchr(const char *s, int c) {
  const char *found = NULL;
  for (;; s++) {
    if (*s == (char)c) found = s;
    if (!*s) return (char *)found;
  }
}

/* Where formatted text goes: keeps counting when the buffer is full. */
struct sink {
  char *buffer;
  size_t size, length;
};

static void put(struct sink *sink, char c) {
  if (sink->length + 1 < sink->size) sink->buffer[sink->length] = c;
  sink->length++;
}

static void put_number(struct sink *sink, uint64_t value, unsigned base, unsigned width, char pad) {
  char digits[20];
  unsigned n = 0;
  do digits[n++] = "0123456789abcdef"[value % base];
  while (value /= base);
  for (unsigned i = n; i < width; i++) put(sink, pad);
  while (n) put(sink, digits[--n]);
}

static void put_signed(struct sink *sink, int64_t value, unsigned width, char pad) {
  if (value < 0) put(sink, '-');
  put_number(sink, value < 0 ? -(uint64_t)value : (uint64_t)value, 10, width, pad);
}

size_t vformat(char *buffer, size_t size, const char *pattern, va_list args) {
  struct sink sink = {buffer, size, 0};
  for (const char *p = pattern; *p; p++) {
    if (*p != '%') {
      put(&sink, *p);
      continue;
    }
    char pad = ' ';
    unsigned width = 0;
    bool wide = false;
    if (*++p == '0') pad = *p++;
    while (*p >= '0' && *p <= '9') width = width * 10 + (unsigned)(*p++ - '0');
    while (*p == 'l' || *p == 'z') wide = true, p++;
    switch (*p) {
      case 'c':
        put(&sink, (char)va_arg(args, int));
        break;
      case 's':
        for (const char *s = va_arg(args, const char *); *s; s++) put(&sink, *s);
        break;
      case 'd':
        put_signed(&sink, wide ? va_arg(args, int64_t) : va_arg(args, int), width, pad);
        break;
      case 'u':
        put_number(&sink, wide ? va_arg(args, uint64_t) : va_arg(args, unsigned), 10, width, pad);
        break;
      case 'x':
        put_number(&sink, wide ? va_arg(args, uint64_t) : va_arg(args, unsigned), 16, width, pad);
        break;
      case 'p':
        put(&sink, '0'), put(&sink, 'x');
        put_number(&sink, (uintptr_t)va_arg(args, void *), 16, 0, '0');
        break;
      default:
        put(&sink, *p);
    }
  }
  if (size) buffer[MIN(sink.length, size - 1)] = 0;
  return sink.length;
}

size_t format(char *buffer, size_t size, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  size_t length = vformat(buffer, size, pattern, args);
  va_end(args);
  return length;
}

static void print_line(int fd, const char *head, const char *pattern, va_list args, const char *tail) {
  char line[1024];
  size_t n = format(line, sizeof line, "%s", head);
  n += vformat(line + n, sizeof line - n, pattern, args);
  n = MIN(n, sizeof line - 2);
  n += format(line + n, sizeof line - n, "%s", tail);
  os_call3(__NR_write, fd, line, n);
}

void print(int fd, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  print_line(fd, "", pattern, args, "");
  va_end(args);
}

void die(int status, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  print_line(2, "reprise: ", pattern, args, "\n");
  va_end(args);
  for (;;) os_call1(__NR_exit_group, status);
}

void (*bug_report)(void);

void bug(const char *file, int line, const char *pattern, ...) {
  char where[128];
  format(where, sizeof where, "reprise: internal error at %s:%d: ", file, line);
  va_list args;
  va_start(args, pattern);
  print_line(2, where, pattern, args, "\n");
  va_end(args);
  if (bug_report) bug_report();
  for (;;) os_call1(__NR_exit_group, 125);
}

void fail_to_map(const char *what, long error) {
  struct rlimit64 limit;
  bool limited = error == -ENOMEM && !os_call4(__NR_prlimit64, 0, RLIMIT_AS, 0, &limit) &&
                 limit.rlim_cur != RLIM64_INFINITY;
  if (limited) die(125, "cannot map %s: the limit on address space (ulimit -v) is too low", what);
  die(125, "cannot map %s (error %ld)", what, -error);
}
